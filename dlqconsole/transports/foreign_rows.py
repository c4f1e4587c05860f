"""The rows of another system's messages, in the shape that pages know."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from dlqconsole.engine.queues.waiting_messages import SIZE, MessagePage
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.transports.forwarded import letters_of

# what only queues of ours know
_UNKNOWN: dict[str, Any] = dict.fromkeys(
    (
        "priority", "max_retries", "crash_count", "group_key", "dedupe_key", "owner", "last_error",
        "unhandled_type", "dequeued_time", "behind",
    )
)  # fmt: skip
START = "1900-01-02T00:00:00+00:00"


def shown(name: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with every column that a page reads; ``name`` is the queue's, with its system."""
    filled = [_UNKNOWN | dict(row) for row in rows]
    letters = letters_of(name, [row["id"] for row in filled])
    return [row | {"dlq_event_id": letters.get(row["id"])} for row in filled]


def page_of(name: str, rows: list[dict[str, Any]]) -> MessagePage:
    """Return a page of rows, of which one more was read than it shows."""
    last = rows[SIZE - 1] if len(rows) > SIZE else None
    return MessagePage(shown(name, rows[:SIZE]), f"{last['id']}~{last['place']}" if last else "")


def place_of(after: str) -> tuple[str, int]:
    """Return the moment and the number that a link names; a wrong one begins at the beginning."""
    number, _tilde, place = after.partition("~")
    last = as_id(number)
    if last is None:
        return START, 0
    if not place:
        return START, last
    try:
        return (place, last) if 1900 < datetime.fromisoformat(place).year < 9999 else (START, 0)
    except ValueError:
        return START, 0
