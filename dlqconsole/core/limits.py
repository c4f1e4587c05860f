"""The limits of one event that this process reads and keeps."""

from functools import lru_cache

from dlqconsole.core.settings import settings
from dlqconsole.processing.limits import Limits

_of = lru_cache(maxsize=8)(Limits)


def limits() -> Limits:
    """Return the limits of the settings."""
    return _of(settings.DLQ_MAX_PAYLOAD_BYTES)
