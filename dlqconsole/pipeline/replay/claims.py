"""The dead letters that one worker holds for an operation: claimed, begun, extended, settled, given back."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
import psycopg
from psycopg.rows import dict_row

from dlqconsole.core.flow.judging import Bounds
from dlqconsole.core.lifecycle.retry_limits import RetryLimits, limits_for_failure
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.running.items import settle
from dlqconsole.pipeline.sink.samples import Samples
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.isolation.deaths import MOST_DEATHS, MOST_TIMEOUTS
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded
from dlqconsole.processing.texts import one_line

from .queries import query

KIND = "replay"
REASON_LIMIT = 500


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """The task of a worker: the run it works for, the operation, and how failures are tried again.

    ``pace``: between which rates it is slowed while much comes back; None: it is not.
    """

    work: RunWork
    operation: int
    retry_limits: RetryLimits
    pace: Bounds | None = None

    @property
    def lease(self) -> float:
        """Seconds: a handler may take its whole time, and be killed after it, before it is extended."""
        return 60.0 + 2 * self.work.handler_timeout


@dataclass(slots=True)
class ReplayClaim:
    """A dead letter in this worker's hands, and what came of it."""

    id: int
    event_type: str
    payload: str | None
    raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    key: str
    retry_count: int
    token: UUID
    status_before: str
    operation_before: int | None
    group_id: int
    # its handler ran when a process before this one died
    is_suspect: bool
    begun_at: datetime
    occurred_at: datetime | None = None
    # of the event's payload; None: nobody could read it
    digest: str | None = None
    outcome: Outcome | None = None


class WorkerClaims:
    """One worker's claims, on a connection of its own. ``owner`` is its name in the rows."""

    def __init__(self, replay: ReplayTask, connection: psycopg.Connection[Any], owner: str) -> None:
        self._replay, self._connection, self.owner = replay, connection, owner
        self._extended_at = time.monotonic()
        self._samples = Samples(replay.work.sampling)

    def claim(
        self,
        after: int,
        last: int,
        limit: int,
        types: Sequence[str],
        blocked_types: Sequence[str],
        *,
        full: Sequence[int] = (),
        only: int | None = None,
    ) -> tuple[int | None, list[ReplayClaim]]:
        """The next of a range: up to which id was looked (None: nothing is left), and what is ours and begun.

        ``full``: failure groups that are passed over; ``only``: one that is not.
        Nothing is left, too, once somebody has cancelled or paused the operation.
        """
        values = {
            "operation": self._replay.operation,
            "owner": self.owner,
            "lease": self._replay.lease,
            "after": after,
            "last": last,
            "limit": limit,
            "event_types": list(types),
            "stopped": list(blocked_types),
            "full": list(full),
            "only": only,
        }
        with self._connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(query("claim"), values).fetchall()
        self._extended_at = time.monotonic()
        return rows[0]["last"], [_claim(row) for row in rows if row["id"] is not None]

    def is_wanted(self) -> bool:
        """Tell whether the operation still runs: nobody has cancelled or paused it."""
        row = self._connection.execute(
            sql("items.operation"), {"operation": self._replay.operation}
        ).fetchone()
        return row is not None and row[1] == "running"

    def extend_in_time(self, *groups: Sequence[ReplayClaim]) -> None:
        """Lengthen the leases of all that is held, once a third of them has passed."""
        if time.monotonic() - self._extended_at > self._replay.lease / 3:
            self._extended_at = time.monotonic()
            claims = [claim for some in groups for claim in some]
            self._run("claims.extend", _tokens_of(claims) | {"leases": [self._replay.lease] * len(claims)})

    def give_back(self, claims: Sequence[ReplayClaim]) -> None:
        """Make the claims as they were before."""
        if claims:
            before = {
                "statuses": [claim.status_before for claim in claims],
                "operations": [claim.operation_before for claim in claims],
            }
            self._run("claims.give_back", _tokens_of(claims) | before)

    def settle(self, claims: Sequence[ReplayClaim]) -> list[ReplayClaim]:
        """Record what came of these, each by its token, with their items and all counts, in one transaction.

        Those that were still ours. Raises RunIsOver when this run is over: then nothing is recorded.
        """
        ok = [claim for claim in claims if isinstance(claim.outcome, Succeeded)]
        failures = [claim for claim in claims if isinstance(claim.outcome, Failed)]
        with self._connection.transaction():
            rows = self._run("claims.succeed", self._success_values(ok)) if ok else []
            rows += self._run("claims.fail_again", self._failure_values(failures)) if failures else []
            ours = {row[0] for row in rows}
            mine = [claim for claim in claims if claim.id in ours]
            self._samples.write(self._connection, mine, were_dead_letters=True)
            settle(self._connection, self._replay.operation, [(claim.id, *_item(claim)) for claim in mine])
            self._count(mine)
        return mine

    def skip(self, claims: Sequence[ReplayClaim], reason: str) -> None:
        """Give them back as they were, and leave them out of the operation."""
        with self._connection.transaction():
            self.give_back(claims)
            items = [(claim.id, "skipped", reason) for claim in claims]
            settle(self._connection, self._replay.operation, items)

    def _count(self, claims: Sequence[ReplayClaim]) -> None:
        ok = sum(isinstance(claim.outcome, Succeeded) for claim in claims)
        counts = {"read": len(claims), "enriched": ok, "dead_lettered": len(claims) - ok}
        values = {"id": self._replay.work.run_id, "done": len(claims), "blank": 0}
        row = self._connection.execute(
            sql("runs.add"), values | {"counts": orjson.dumps(counts).decode()}
        ).fetchone()
        if row is None:
            raise RunIsOver("this run was marked as ended while a worker still wrote: its batch is undone")

    def _success_values(self, claims: Sequence[ReplayClaim]) -> dict[str, Any]:
        return _tokens_of(claims) | {
            "started": [claim.begun_at for claim in claims],
            "occurred": [claim.occurred_at for claim in claims],
            "records": [_record(claim) for claim in claims],
            "digests": [claim.digest for claim in claims],
            "kind": KIND,
        }

    def _failure_values(self, claims: Sequence[ReplayClaim]) -> dict[str, Any]:
        outcomes = [claim.outcome for claim in claims if isinstance(claim.outcome, Failed)]
        limits = [
            limits_for_failure(claim.event_type, failure, self._replay.retry_limits)
            for claim, failure in zip(claims, outcomes, strict=True)
        ]
        return _tokens_of(claims) | {
            "started": [claim.begun_at for claim in claims],
            "statuses": [failure.status for failure in outcomes],
            "most": [each.max_retries for each in limits],
            "delays": [
                each.backoff.seconds(claim.retry_count + 1)
                for each, claim in zip(limits, claims, strict=True)
            ],
            "fatal": [failure.fatal for failure in outcomes],
            "reasons": [failure.reason for failure in outcomes],
            "categories": [failure.category for failure in outcomes],
            "traces": [failure.stacktrace for failure in outcomes],
            "max_crashes": MOST_DEATHS,
            "max_timeouts": MOST_TIMEOUTS,
            "kind": KIND,
        }

    def _run(self, name: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._connection.execute(core_sql(name).encode(), values).fetchall()


def _claim(row: Mapping[str, Any]) -> ReplayClaim:
    raw = row["payload_raw"]
    return ReplayClaim(
        id=row["id"],
        event_type=row["event_type"],
        payload=row["payload"],
        raw=None if raw is None else bytes(raw),
        headers=read_headers(row["headers"]),
        source=row["source"],
        key=row["source_key"],
        retry_count=row["retry_count"],
        token=row["lease_token"],
        status_before=row["frozen_status"],
        operation_before=row["operation_id"],
        group_id=row["group_id"],
        is_suspect=row["is_suspect"],
        begun_at=row["begun_at"],
    )


def _tokens_of(claims: Sequence[ReplayClaim]) -> dict[str, Any]:
    return {"ids": [claim.id for claim in claims], "tokens": [claim.token for claim in claims]}


def _record(claim: ReplayClaim) -> str:
    assert isinstance(claim.outcome, Succeeded)  # noqa: S101
    return claim.outcome.record_json


def _item(claim: ReplayClaim) -> tuple[str, str]:
    if isinstance(claim.outcome, Failed):
        return "failed", one_line(claim.outcome.reason, REASON_LIMIT)
    return "done", ""
