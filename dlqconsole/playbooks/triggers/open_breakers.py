"""Which breakers are open now, and since when."""

from datetime import datetime

from dlqconsole.engine.models import QueueBreaker


def open_since(key: str) -> datetime | None:
    """Since when nothing is tried of it; None: it is closed."""
    rows = QueueBreaker.objects.filter(queue=key.partition(":")[2])
    return rows.values_list("opened_at", flat=True).first()


def known_keys() -> list[str]:
    """Those that were open lately, for the form to propose."""
    return [f"type:{queue}" for queue in QueueBreaker.objects.values_list("queue", flat=True)]
