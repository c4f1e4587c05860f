"""The pace of retries, for people to look at: slower by itself while they fail again, faster afterwards."""

from dlqconsole.engine.pacing.paces import GroupPace, paces, rule_words

__all__ = ["GroupPace", "paces", "rule_words"]
