"""Reviving by the schedule: dead letters that are due go back on their queues, each page in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dlqconsole.core.dead_letters.claims import ClaimRequest, due_values
from dlqconsole.core.host import host
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.core.transient_errors import is_refused, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviveRequest(ClaimRequest):
    """Up to ``room`` of one lane, with the waits of its policy and the ``reason`` of their audit rows.

    The waits: from one revival to the next, should it fail again.
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
    """The revivals of one lane, and numbers: of all that were due, and of those that were not revived.

    ``exhausted``: without tries left, EXHAUSTED now. ``failed``: no message could be made of them, and an
    attempt of each says why.
    """

    revived: list[Revived] = field(default_factory=list)
    due: int = 0
    exhausted: int = 0
    failed: int = 0


def revive_due(requests: Sequence[ReviveRequest], run: int) -> list[RevivedPage]:
    """Revive due dead letters, the longest due first; return a page for each request.

    An error harms only the dead letter that causes it.
    """
    try:
        return _revive(requests, run)
    except host().error as error:
        if not is_refused(error):
            raise
    with host().atomic():
        return [_revive_one_by_one(request, run) for request in requests]


def _revive(requests: Sequence[ReviveRequest], run: int, only: int | None = None) -> list[RevivedPage]:
    pages = [RevivedPage() for _ in requests]
    values = due_values(requests) | {"run": run, "only": only}
    for row in fetch_dicts(sql("claims.revive_due"), values):
        page = pages[row.pop("lane")]
        page.due += 1
        if row.pop("status") == DeadLetterStatus.REVIVED:
            page.revived.append(Revived(**row))
        else:
            page.exhausted += 1
    return pages


def _revive_one_by_one(request: ReviveRequest, run: int) -> RevivedPage:
    page = RevivedPage()
    for number in fetch_column(sql("claims.due"), due_values([request])):
        try:
            with host().atomic():
                [one] = _revive([request], run, only=number)
        except host().error as error:
            if not is_refused(error):
                raise
            one = _fail(request, number, error)
        page.revived += one.revived
        page.due += one.due
        page.exhausted += one.exhausted
        page.failed += one.failed
    return page


def _fail(request: ReviveRequest, number: int, error: Exception) -> RevivedPage:
    values = {
        "only": number,
        "max_retries": request.max_retries,
        "first_wait": request.first_wait,
        "longest_wait": request.longest_wait,
        "factor": request.factor,
        "reason": f"NotRevived: the database did not store its message: {sentence(error)}",
    }
    statuses = fetch_column(sql("claims.fail_revival"), values)
    return RevivedPage([], len(statuses), statuses.count(DeadLetterStatus.EXHAUSTED), len(statuses))


def outcomes(revived: dict[int, int]) -> dict[int, bool]:
    """Tell of revivals that are over, by id, whether the dead letter failed again. ``revived``: counts."""
    query = "SELECT id, status, revive_count FROM dlq_events WHERE id = ANY (%(ids)s::bigint[])"
    rows = fetch_dicts(query, {"ids": list(revived)})
    return {
        row["id"]: row["status"] != DeadLetterStatus.SUCCEEDED
        for row in rows
        if row["status"] != DeadLetterStatus.REVIVED or row["revive_count"] != revived[row["id"]]
    }
