"""Error messages without secrets: an exception's words may hold what a handler or a service was given."""

import os
from functools import lru_cache

from dlqconsole.processing.masking import Masker


def masked(sentence: str) -> str:
    """The sentence without personal data and secrets, as a line of the log has it."""
    return _masker(os.environ.get("DLQ_MASKED_KEYS", "")).text(sentence)


@lru_cache(maxsize=1)
def _masker(more_keys: str) -> Masker:
    return Masker(filter(None, map(str.strip, more_keys.split(","))))
