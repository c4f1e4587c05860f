"""Insight: traits that failures share and successes lack, and changes in the payloads that come in."""
