"""The part that sealing adds to the audit page."""

from django.http import HttpRequest

from dlqconsole.contrib.sealing.integrity import integrity
from dlqconsole.engine.access_scope import current_access
from dlqconsole.features import Card


def on_audit(request: HttpRequest) -> Card | None:
    """The integrity of the log; the number of entries, and of the sealed ones, concerns everybody's."""
    if current_access().is_limited:
        return None
    return Card("sealing/standing.html", {"standing": integrity()})
