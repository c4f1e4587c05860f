"""Share groups (KIP-1191): ``__dlq.errors.*``.

The broker writes them, and copies no payload unless it is told to.
"""

from dlqconsole.pipeline.kafka.dialects.foreign import Foreign
from dlqconsole.pipeline.kafka.dialects.notes import Notes

SIGNS = PREFIXES = ("__dlq.errors.",)
EXHAUSTED = "DeliveriesExhausted"


def read(notes: Notes) -> Foreign:
    """The failure that the broker noted: it knows no exception, only that nobody accepted the record."""
    deliveries = notes.number(f"{SIGNS[0]}delivery.count")
    group = notes.text(f"{SIGNS[0]}group") or None
    times = f"{deliveries:,} times" if deliveries else "again and again"
    return Foreign(
        dialect="a share group",
        error_class=EXHAUSTED,
        message=notes.text(f"{SIGNS[0]}message") or f"delivered {times} and never accepted",
        topic=notes.topic(f"{SIGNS[0]}topic"),
        partition=notes.number(f"{SIGNS[0]}partition"),
        offset=notes.number(f"{SIGNS[0]}offset"),
        group=group,
        deliveries=deliveries,
        payload_left_out=True,
    )
