"""Reviving by the schedule: dead letters that are due go back on their queues, each page in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dlqconsole.core.dead_letters.claims import ClaimRequest, due_values
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.sql import sql


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviveRequest(ClaimRequest):
    """Up to ``room`` of one lane, with the waits of its policy and the ``reason`` of their audit rows.

    The waits: from one revival to the next, should it come back.
    """

    first_wait: float
    longest_wait: float
    factor: float
    reason: str


@dataclass(frozen=True, slots=True)
class Revived:
    """A dead letter whose message is on its queue; ``revive_count``: which of its revivals that is."""

    id: int
    event_type: str
    group_id: int
    revive_count: int


@dataclass(slots=True)
class RevivedPage:
    """What was revived of one lane, and the number of those without tries left: EXHAUSTED now."""

    revived: list[Revived] = field(default_factory=list)
    exhausted: int = 0


def revive_due(requests: Sequence[ReviveRequest], run: int) -> list[RevivedPage]:
    """Revive due dead letters, the longest due first; return a page for each request."""
    pages = [RevivedPage() for _ in requests]
    for row in fetch_dicts(sql("claims.revive_due"), due_values(requests) | {"run": run}):
        page = pages[row.pop("lane")]
        if row.pop("status") == DeadLetterStatus.REVIVED:
            page.revived.append(Revived(**row))
        else:
            page.exhausted += 1
    return pages


def outcomes(revived: dict[int, int]) -> dict[int, bool]:
    """Tell of revivals that are over, by id, whether the dead letter came back. ``revived``: their counts."""
    query = "SELECT id, status, revive_count FROM dlq_events WHERE id = ANY (%(ids)s::bigint[])"
    rows = fetch_dicts(query, {"ids": list(revived)})
    return {
        row["id"]: row["status"] != DeadLetterStatus.SUCCEEDED
        for row in rows
        if row["status"] != DeadLetterStatus.REVIVED or row["revive_count"] != revived[row["id"]]
    }
