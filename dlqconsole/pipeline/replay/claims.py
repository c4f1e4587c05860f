"""The dead letters that one worker holds for an operation: claimed, begun, extended, settled, given back."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
import psycopg

from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.dead_letters.claims import Claim, claim_of
from dlqconsole.core.dead_letters.transitions import Settling, settle_all
from dlqconsole.core.flow.judging import Bounds
from dlqconsole.core.handling import HandlerResult
from dlqconsole.core.host import use
from dlqconsole.core.lifecycle.retry_limits import RetryLimits, limits_for_failure
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.pipeline.errors import RunIsOver
from dlqconsole.pipeline.running.items import settle
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.processing.texts import one_line

KIND = "replay"
REASON_LIMIT = 500
_CLAIM = sql("replay.claim").replace(b"{passed}", sql("replay.passed")).decode()


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """The task of a worker: the run it works for, the operation, and how failures are tried again.

    ``pace``: between which rates it is slowed while many fail again; None: it is not.
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
    """A dead letter in this worker's hands, and its handler's result.

    ``is_suspect``: its handler ran when a process before this one died.
    """

    letter: Claim
    begun_at: datetime
    is_suspect: bool
    result: HandlerResult | None = None

    @property
    def failure(self) -> Failed | None:
        """The failure of its handler; None where it succeeded or did not run."""
        outcome = self.result and self.result.outcome
        return outcome if isinstance(outcome, Failed) else None

    @property
    def is_succeeded(self) -> bool:
        """Tell whether its handler succeeded."""
        return self.result is not None and isinstance(self.result.outcome, Succeeded)


class WorkerClaims:
    """One worker's claims, on a connection of its own. ``owner`` is its name in the rows."""

    def __init__(self, replay: ReplayTask, connection: psycopg.Connection[Any], owner: str) -> None:
        self._replay, self._connection, self.owner = replay, connection, owner
        self._extended_at = time.monotonic()

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
        with use(self._connection):
            rows = fetch_dicts(_CLAIM, values)
        self._extended_at = time.monotonic()
        [last_id] = {row.pop("last") for row in rows}
        return last_id, [_claim(row) for row in rows if row["id"] is not None]

    def is_wanted(self) -> bool:
        """Tell whether the operation still runs: nobody has cancelled or paused it."""
        values = {"operation": self._replay.operation}
        row = self._connection.execute(sql("items.operation"), values).fetchone()
        return row is not None and row[1] == "running"

    def extend_in_time(self, *groups: Sequence[ReplayClaim]) -> None:
        """Lengthen the leases of all that is held, once a third of them has passed."""
        if time.monotonic() - self._extended_at > self._replay.lease / 3:
            self._extended_at = time.monotonic()
            letters = [claim.letter for some in groups for claim in some]
            with use(self._connection):
                dead_letters.extend(letters, [self._replay.lease] * len(letters))

    def give_back(self, claims: Sequence[ReplayClaim]) -> None:
        """Make the claims as they were before."""
        if claims:
            with use(self._connection):
                dead_letters.give_back([claim.letter for claim in claims])

    def settle(self, claims: Sequence[ReplayClaim]) -> list[ReplayClaim]:
        """Record what came of these, each by its token, with their items and all counts, in one transaction.

        Those that were still ours. Raises RunIsOver when this run is over: then nothing is recorded.
        """
        results = [self._settling(claim) for claim in claims]
        with use(self._connection), self._connection.transaction():
            letters = settle_all(results, KIND, self._replay.work.success_keepers)
            ours = {letter.id for letter in letters}
            mine = [claim for claim in claims if claim.letter.id in ours]
            items = [(claim.letter.id, *_item(claim)) for claim in mine]
            settle(self._connection, self._replay.operation, items)
            self._count(mine)
        return mine

    def skip(self, claims: Sequence[ReplayClaim], reason: str) -> None:
        """Give them back as they were, and leave them out of the operation."""
        with self._connection.transaction():
            self.give_back(claims)
            items = [(claim.letter.id, "skipped", reason) for claim in claims]
            settle(self._connection, self._replay.operation, items)

    def _settling(self, claim: ReplayClaim) -> Settling:
        assert claim.result is not None  # noqa: S101
        if claim.failure is None:
            return Settling(claim.letter, claim.result, claim.begun_at, 0.0, 0)
        with use(self._connection):
            limits = limits_for_failure(claim.letter.event_type, claim.failure, self._replay.retry_limits)
        delay = limits.backoff.seconds(claim.letter.retry_count + 1)
        return Settling(claim.letter, claim.result, claim.begun_at, delay, limits.max_retries)

    def _count(self, claims: Sequence[ReplayClaim]) -> None:
        ok = sum(claim.is_succeeded for claim in claims)
        counts = {"read": len(claims), "enriched": ok, "dead_lettered": len(claims) - ok}
        values = {"id": self._replay.work.run_id, "done": len(claims), "blank": 0}
        row = self._connection.execute(
            sql("runs.add"), values | {"counts": orjson.dumps(counts).decode()}
        ).fetchone()
        if row is None:
            raise RunIsOver("this run was marked as ended while a worker still wrote: its batch is undone")


def _claim(row: dict[str, Any]) -> ReplayClaim:
    return ReplayClaim(begun_at=row.pop("begun_at"), is_suspect=row.pop("is_suspect"), letter=claim_of(row))


def _item(claim: ReplayClaim) -> tuple[str, str]:
    failure = claim.failure
    return ("failed", one_line(failure.reason, REASON_LIMIT)) if failure else ("done", "")
