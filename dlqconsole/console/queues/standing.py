"""One queue as the console shows it: of ours, or of another system."""

from typing import Any

from dlqconsole.engine.queues import metrics
from dlqconsole.transports.models import AttachedQueue


def standing(name: str) -> dict[str, Any]:
    """Its figures (``engine.queues.metrics``) with its ``policy``.

    An attached queue has none of ours, but the ``max_deliveries`` and ``lease_seconds`` of its attachment.
    """
    row = metrics.metrics_of(name)
    attached = AttachedQueue.objects.filter(name=name).first()
    if attached is None:
        return row
    known = {"max_deliveries": attached.max_deliveries, "lease_seconds": attached.lease_seconds}
    return row | {"policy": known}
