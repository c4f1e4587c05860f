"""The limits of one event that this process reads and keeps."""

from dlqconsole.core.settings import settings
from dlqconsole.processing.limits import Limits


def limits() -> Limits:
    """Return the limits of the settings."""
    return Limits(settings.DLQ_MAX_PAYLOAD_BYTES)
