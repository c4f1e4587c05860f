"""The messages on a queue, read without touching them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.dead_letters.excerpts import SHOWN, preview_of
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.numbers import as_id

SIZE = 50
# the beginning of each list: the place of a row is its list's order, and its id
_STARTS = {"live": "-65535", "scheduled": "1900-01-02T00:00:00+00:00", "waiting": "", "held": "0"}
LISTS = tuple(_STARTS)


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Some messages in their list's order, and the place where the next page begins; empty at the end."""

    rows: list[dict[str, Any]]
    next: str


def page(queue: str, list_name: str, *, after: str = "") -> MessagePage:
    """Return messages of a queue: ``live`` (claimable or in flight), ``scheduled``, ``waiting``, ``held``."""
    place, number = _place(list_name, after)
    values = {"queue": queue, "place": place, "id": number, "limit": SIZE + 1}
    columns = sql("queued_messages.shown").format(preview=preview_of("m"))
    rows = fetch_dicts(sql(f"queued_messages.{list_name}").format(shown=columns), values)
    last = rows[SIZE - 1] if len(rows) > SIZE else None
    return MessagePage(rows[:SIZE], f"{last['id']}~{last['place']}" if last else "")


def message(queue: str, number: int) -> dict[str, Any] | None:
    """Return a message with the beginning of its payload; ``behind``: the first of its group, if earlier."""
    rows = fetch_dicts(sql("queued_messages.one"), {"queue": queue, "id": number, "limit": SHOWN})
    return rows[0] if rows else None


def whole_payload(queue: str, number: int) -> tuple[bytes, bool] | None:
    """Return the payload's bytes, and whether they are JSON text; None when the message has left."""
    rows = fetch_dicts(sql("queued_messages.whole_payload"), {"queue": queue, "id": number})
    if not rows:
        return None
    return _bytes_of(rows[0])


def _bytes_of(row: Mapping[str, Any]) -> tuple[bytes, bool]:
    if row["raw"] is not None:
        return bytes(row["raw"]), False
    return (row["text"] or "").encode(), True


def _place(list_name: str, after: str) -> tuple[str, int]:
    """Return the place that a link names; a wrong one begins at the beginning."""
    number, _tilde, place = after.partition("~")
    last = as_id(number)
    if last is None or not _is_place(list_name, place):
        return _STARTS[list_name], 0
    return place, last


def _is_place(list_name: str, place: str) -> bool:
    if list_name == "waiting":
        return len(place) <= 255 and "\x00" not in place
    try:
        if list_name == "scheduled":
            return 1900 < datetime.fromisoformat(place).year < 9999
        # a turn, or a message's number, as the database writes it
        return str(int(place)) == place and abs(int(place)) <= (65_538 if list_name == "live" else 2**63 - 1)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class StateCount:
    """Messages of a queue in one state, and the ages of the oldest and the newest; None: nobody knows them.

    ``revived``: for so many of them a REVIVED dead letter waits. ``expired``: so many are still marked as in
    flight, and their lease has run out.
    """

    status: str
    number: int
    oldest_seconds: float | None
    newest_seconds: float | None
    revived: int
    expired: int


def last_message() -> int:
    """Return the newest message on any queue: later ones have a higher number."""
    return int(fetch_column(sql("purging.last"), {})[0])


def standing(queue: str, last: int) -> Sequence[StateCount]:
    """Count the queue's messages up to that one, by state, one by one."""
    return [StateCount(**row) for row in fetch_dicts(sql("purging.standing"), {"queue": queue, "last": last})]


def kept_until(queue: str) -> datetime | None:
    """Return until when the queue keeps a message archived now; None where it archives nothing."""
    rows = fetch_column(sql("purging.kept_until"), {"queue": queue})
    return rows[0] if rows else None
