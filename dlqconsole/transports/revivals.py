"""The notes that a forwarded message carries: which dead letter it is, and which revival."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing.inputs.numbers import as_id

EVENT_ID, REVIVE_SEQ = "x-dlq-event-id", "x-dlq-revive-seq"


def revival(headers: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the dead letter and the revival that a message's headers name, or None."""
    event_id = as_id(str(headers.get(EVENT_ID, "")))
    sequence = as_id(str(headers.get(REVIVE_SEQ, "")), most=2**31 - 1)
    return None if event_id is None or sequence is None else (event_id, sequence)
