"""Another system's messages: their rows in the shape that pages know, and the revivals among them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.queues.waiting_messages import SIZE, MessagePage
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.sql import sql

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


def letters_of(name: str, numbers: Sequence[int]) -> dict[int, int]:
    """Return the dead letters that messages of the queue revive, by the messages' numbers."""
    rows = ForwardedMessage.objects.filter(queue=name, remote_id__in=list(map(str, numbers)))
    return {int(remote): letter for remote, letter in rows.values_list("remote_id", "dlq_event_id")}


def take_back(name: str, numbers: Sequence[int], why: str) -> dict[int, int]:
    """Return dead letters to their former state: their messages are removed, in the caller's transaction.

    Return those that did, by their messages' numbers. Leaving the queue would else count as success.
    """
    rows = ForwardedMessage.objects.filter(queue=name, remote_id__in=list(map(str, numbers)))
    messages = list(rows.values_list("pk", "remote_id", "dlq_event_id"))
    if not messages:
        return {}
    ids = set(fetch_column(sql("relay.lost"), {"ids": [pk for pk, _remote, _id in messages], "why": why}))
    return {int(remote): letter for _pk, remote, letter in messages if letter in ids}


def count_of(name: str) -> int:
    """Count the revived dead letters that a queue has not let go of."""
    return ForwardedMessage.objects.filter(queue=name).count()
