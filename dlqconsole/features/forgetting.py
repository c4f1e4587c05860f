"""The part of a statement that lets dead letters go for ever, with all that anybody holds of them."""

from dlqconsole.core.sql import sql
from dlqconsole.features.installed import features


def all_about() -> str:
    """Return the parts for ``purged`` rows: the core's, then each feature's. See ``forgetting.sql``."""
    deletions = [text for feature in features() for text in feature.forgetting]
    parts = [f"of_feature_{number} AS (\n    {text}\n)" for number, text in enumerate(deletions, 1)]
    return ", ".join([sql("forgetting.all_about"), *parts])
