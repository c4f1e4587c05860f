"""The limits of one event that this process reads and keeps."""

from functools import lru_cache

from dlqconsole.core.settings import settings
from dlqconsole.processing.limits import Limits


def limits() -> Limits:
    """Return the limits of the settings."""
    return _limits(settings.DLQ_MAX_PAYLOAD_BYTES)


@lru_cache(maxsize=8)
def _limits(payload_bytes: int) -> Limits:
    return Limits(payload_bytes)
