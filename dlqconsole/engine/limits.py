"""How much of one event this process reads and keeps."""

from django.conf import settings

from dlqconsole.processing.limits import Limits


def limits() -> Limits:
    """What the settings say."""
    return Limits(settings.DLQ_MAX_PAYLOAD_BYTES)
