"""Error messages without secrets: an exception's words may hold what a handler or a service was given."""

from functools import lru_cache

from dlqconsole.configuration.given import given_text
from dlqconsole.processing.masking import Masker


def masked(sentence: str) -> str:
    """The sentence without personal data and secrets, as a line of the log has it."""
    return _masker(given_text("DLQ_MASKED_KEYS")).text(sentence)


@lru_cache(maxsize=1)
def _masker(more_keys: str) -> Masker:
    return Masker(filter(None, map(str.strip, more_keys.split(","))))
