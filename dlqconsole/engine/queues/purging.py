"""Emptying a queue: page by page, each with its commit and its audit row, so that it may be interrupted."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from dlqconsole.engine import audit, messages
from dlqconsole.engine.errors import InvalidQueue
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.queues.known import require_known
from dlqconsole.engine.queues.policy import shown
from dlqconsole.engine.sql import sql

PAGE = 5_000
_PASSES = 3
# What moves on meanwhile moves towards the last of these, so none is missed: held messages wait or become
# claimable, and so do scheduled and waiting ones.
_HELD = {"place": "m.id", "type": "bigint", "which": "m.phase = 'held'"}
_SCHEDULED = {"place": "m.next_retry_at", "type": "timestamptz", "which": "m.phase = 'scheduled'"}
_WAITING = {
    "place": "m.group_key",
    "type": "text",
    "which": "m.group_key IS NOT NULL AND m.status = 'waiting'",
}
_LIVE = {"place": "(m.priority::integer * -1)", "type": "integer", "which": "m.phase = 'live'"}
_WALKS = ((_HELD, "0"), (_SCHEDULED, "-infinity"), (_WAITING, ""), (_LIVE, "-32769"))
_NOT_IN_FLIGHT = {"which": "m.phase = 'live' AND m.status = 'pending'"}


@dataclass(slots=True)
class Purged:
    """What a purge did. ``returned``: dead letters whose revival was among the purged messages.

    ``in_flight`` and ``left`` are still there: held by consumers, and not reached in time or just locked.
    What was sent after the purge began is in none of these numbers.
    """

    purged: int = 0
    returned: int = 0
    in_flight: int = 0
    left: int = 0


def purgeable(name: str) -> int:
    """How many messages a purge would remove now: all that are not in flight. Counts them one by one."""
    return _count(name, _last())["purgeable"]


def purge(
    name: str,
    *,
    actor: str,
    reason: str,
    expect: int | None = None,
    in_flight: bool = False,
    seconds: float | None = None,
) -> Purged:
    """Remove the messages that stand on a queue now, but not, unless ``in_flight``, what consumers hold.

    Raises UnknownQueue, and InvalidQueue when there are not ``expect`` of them. Ends early after ``seconds``.
    A revived dead letter whose message goes is PENDING again, or EXHAUSTED where no retries are left.
    """
    require_known(name)
    last = _last()
    if expect is not None:
        _check_expected(name, _count(name, last)["purgeable"], expect)
    deadline = time.monotonic() + (seconds if seconds is not None else float("inf"))
    done = Purged()
    values = {"queue": name, "last": last, "actor": actor, "reason": reason}
    for _ in range(_PASSES):
        if not _pass(values, done, in_flight, deadline):
            break
    if not done.purged:
        audit.record(actor, "purge", f"queue:{name}", reason=reason, detail={"purged": 0, "returned": 0})
    messages.unblock_forgotten(name)
    rest = _count(name, last)
    done.in_flight, done.left = rest["in_flight"], rest["purgeable"]
    return done


def _pass(values: Mapping[str, Any], done: Purged, in_flight: bool, deadline: float) -> int:
    """Walk each index once; how many were removed."""
    before = done.purged
    for walk, start in _WALKS:
        shape = walk | _NOT_IN_FLIGHT if walk is _LIVE and not in_flight else walk
        query = sql("purging.purge").format(**shape)
        place: dict[str, Any] = {"place": start, "id": 0}
        while place["id"] is not None and time.monotonic() < deadline:
            place = _page(query, {**values, **place}, done)
    return done.purged - before


def _page(query: str, values: Mapping[str, Any], done: Purged) -> dict[str, Any]:
    """One page and its commit; where the next begins."""
    more = {"limit": PAGE, "schedule_max_retries": settings.DLQ_RETRY_MAX_RETRIES}
    [row] = fetch_dicts(query, {**values, **more})
    done.purged += row["purged"]
    done.returned += row["returned"]
    return {"place": row["place"], "id": row["id"]}


def _check_expected(name: str, found: int, expect: int) -> None:
    if found != expect:
        raise InvalidQueue(
            f"The queue {shown(name)} holds {found:,} messages that a purge would remove, not {expect:,}."
            " Nothing"
            " was purged; look again, or pause the queue first."
        )


def _count(name: str, last: int) -> dict[str, int]:
    return fetch_dicts(sql("purging.count"), {"queue": name, "last": last})[0]


def _last() -> int:
    return int(fetch_column(sql("purging.last"), {})[0])
