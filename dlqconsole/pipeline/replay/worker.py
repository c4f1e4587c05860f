"""The work of a Spark worker on one range of an operation's items: claim, run handlers, settle, in bulk.

What is claimed has begun, and is held under leases with tokens of this worker's own: as many at a time as are
done in a moment. A worker that dies has Spark try its range again: the next takes over what it held, and runs
that apart.
"""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import psycopg
from psycopg import errors

from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.dead_letters.transitions import stored_event
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.flow.outcomes import note_retry
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.core.handling import HandlerResult, Unhandled
from dlqconsole.core.handling.events import identity_by_position, identity_of, read_event
from dlqconsole.core.host import use
from dlqconsole.pipeline.database import connect, in_words
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.running.items import ItemRange
from dlqconsole.pipeline.sink.executors import Attempt, apart, in_place
from dlqconsole.pipeline.sink.work import make_ready
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge, UnusableRecord
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.outcomes import Failed, Outcome

from .claims import ReplayClaim, ReplayTask, WorkerClaims

# dead letters claimed and begun at once, at first and where handlers are quick or slow: these are suspects
# when their worker is killed, and are done before a cancel is heard
FIRST, MOST, FEWEST = 10, 500, 2
# a claim that takes longer is made smaller the next time, a much quicker one larger
LONG_SECONDS, SHORT_SECONDS = 1.0, 0.25
# a cancel is heard so soon
REST_SECONDS = 2.0
PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)
_OF_A_ROW = (psycopg.DataError, psycopg.IntegrityError, errors.ProgramLimitExceeded, UnicodeEncodeError)
_PASSES = (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable)


def replay_range(replay: ReplayTask, part: ItemRange) -> int:
    """Try the items of a range that remain, but for what fails again; return how many were settled."""
    return _replay_with(replay, part, lambda worker, _connection: worker.work(part))


def replay_passed_over(replay: ReplayTask, part: ItemRange) -> int:
    """Try what remains of a range, each failure group at its own rate; return how many were settled."""

    def work(worker: "_Worker", connection: psycopg.Connection) -> int:
        values = {"operation": replay.operation, "first": part.first, "last": part.last}
        groups = [group for (group,) in connection.execute(sql("replay.groups"), values)]
        return worker.work_slowly(part, groups)

    return _replay_with(replay, part, work)


def _replay_with(
    replay: ReplayTask, part: ItemRange, work: Callable[["_Worker", psycopg.Connection], int]
) -> int:
    make_ready(replay.work)
    attempt_number = _task_attempt()
    owner = f"replay {replay.work.run_id}:{part.first}:{attempt_number}"
    connection = connect(replay.work.database_url, f"replay {replay.work.run_id}")
    try:
        # the planner must not prefer reading a whole table to some index probes
        connection.execute("SET enable_seqscan = off")
        with use(connection), ExitStack() as stack:
            return work(_Worker(replay, connection, owner, stack, is_second=attempt_number > 0), connection)
    except psycopg.Error as error:
        raise PipelineProblem(in_words(error)) from error
    finally:
        connection.close()


class _Worker:
    def __init__(
        self,
        replay: ReplayTask,
        connection: psycopg.Connection,
        owner: str,
        stack: ExitStack,
        *,
        is_second: bool,
    ) -> None:
        self._replay = replay
        self._stack = stack
        # begun for the first suspect, and kept: to start its process takes longer than most handlers do
        self._attempt_apart: Attempt | None = None
        self._work = replay.work
        self._hold = WorkerClaims(replay, connection, owner)
        self._registry = load_handlers(replay.work.handlers)
        self._gate = Gate(self._registry, replay.work.breaker)
        self._apart = is_second or replay.work.task_attempts == 1
        self._pace = Pace(replay.operation, lambda: replay.pace)
        self._limit = FIRST

    def work(self, part: ItemRange) -> int:
        """All of the range once, in the order of the ids, but for the failure groups that fail again."""
        total, after = 0, part.first - 1
        passed_over: set[int] = set()
        while True:
            # for the whole range, so that each is looked at once
            passed_over |= self._slowed_groups()
            last, number = self._next(after, part.last, self._limit, full=sorted(passed_over))
            if last is None:
                break
            total, after = total + number, last
        self._pace.flush(now=True)
        return total

    def work_slowly(self, part: ItemRange, groups: Sequence[int]) -> int:
        """Try what was passed over, each failure group at its own rate. A cancel is heard in between."""
        total, places = 0, dict.fromkeys(groups, part.first - 1)
        while places:
            allowed = self._pace.allowed({PaceKey("", group): self._limit for group in places})
            rooms = {key.group_id: number for key, number in allowed.items()}
            for group, room in rooms.items():
                if not room:
                    continue
                last, number = self._next(places[group], part.last, room, only=group)
                total += number
                if last is None:
                    del places[group]
                else:
                    places[group] = last
            if places and not any(rooms.values()):
                if not self._hold.is_wanted():
                    break
                rates = self._pace.slowed().values()
                time.sleep(min(1 / max(rates, default=1.0), REST_SECONDS))
        self._pace.flush(now=True)
        return total

    def _slowed_groups(self) -> set[int]:
        """The failure groups that are held back."""
        groups = {key.group_id for key in self._pace.slowed()}
        if groups:
            self._pace.tell()
        return groups

    def _next(
        self, after: int, last: int, limit: int, *, full: Sequence[int] = (), only: int | None = None
    ) -> tuple[int | None, int]:
        """Try the next so many: up to which id was looked (None: nothing left), and how many were settled."""
        began = time.monotonic()
        types = list(self._registry.event_types)
        last_id, claims = self._hold.claim(
            after, last, limit, types, self._gate.blocked_types(), full=full, only=only
        )
        if last_id is None:
            return None, 0
        total = self._try(claims)
        successes = sum(claim.is_succeeded for claim in claims)
        fits = _fitting(self._limit, time.monotonic() - began)
        # repeated failures let no more begin at once
        self._limit = fits if 2 * successes >= len(claims) else min(fits, max(self._limit, FIRST))
        return last_id, total

    def _try(self, claims: list[ReplayClaim]) -> int:
        """Try claims here; apart those that a process died of, or all where a worker died of the range."""
        suspects = [claim for claim in claims if self._apart or claim.is_suspect]
        others = [claim for claim in claims if not (self._apart or claim.is_suspect)]
        total = 0
        if others:
            with in_place(self._work) as attempt:
                total += self._settle(self._handle_claims(attempt, others, suspects))
        if suspects:
            if self._attempt_apart is None:
                self._attempt_apart = self._stack.enter_context(apart(self._work))
            total += self._settle(self._handle_claims(self._attempt_apart, suspects, []))
        return total

    def _handle_claims(
        self, attempt: Attempt, claims: Sequence[ReplayClaim], others: Sequence[ReplayClaim]
    ) -> list[ReplayClaim]:
        """Handle claims and return those with a result; the rest goes back. ``others``: held, too."""
        finished_claims: list[ReplayClaim] = []
        blocked_claims: list[ReplayClaim] = []
        for place, claim in enumerate(claims):
            if self._gate.why_not(claim.letter.event_type):
                blocked_claims.append(claim)
                continue
            claim.result = self._handle(attempt, claim.letter)
            if isinstance(claim.result.outcome, Unhandled):
                self._hold.skip([claim], claim.result.outcome.reason)
                continue
            finished_claims.append(claim)
            self._hold.extend_in_time([*finished_claims, *blocked_claims], claims[place + 1 :], others)
        self._hold.give_back(blocked_claims)
        self._gate.flush()
        self._pace.flush()
        return finished_claims

    def _handle(self, attempt: Attempt, letter: Claim) -> HandlerResult:
        """Run its handler. What cannot be read has failed; another type than expected may have no handler."""
        raw_event = stored_event(letter)
        try:
            event, digest = read_event(raw_event, self._work.limits)
        except (MalformedEvent, PayloadTooLarge) as error:
            return HandlerResult(identity_by_position(raw_event), Failed.from_error(error))
        if event.type not in self._registry.event_types:
            return HandlerResult(identity_of(event, digest), Unhandled(event.type))
        return HandlerResult(identity_of(event, digest), self._outcome(attempt, letter, event))

    def _outcome(self, attempt: Attempt, letter: Claim, event: Event) -> Outcome:
        began = time.monotonic()
        outcome = attempt(event)
        seconds, key = time.monotonic() - began, PaceKey("", letter.group_id)
        note_retry(self._gate, self._pace, letter.event_type, key, letter.id, outcome, seconds)
        return outcome

    def _settle(self, claims: Sequence[ReplayClaim]) -> int:
        """Settle claims: one that the database refuses harms no other; a transient error is tried again."""
        if not claims:
            return 0
        for pause in (*PAUSES, None):
            try:
                return len(self._hold.settle(claims))
            except _OF_A_ROW as error:
                return self._settle_apart(claims, error)
            except _PASSES:
                if pause is None:
                    raise
                time.sleep(pause)
        return 0

    def _settle_apart(self, claims: Sequence[ReplayClaim], error: Exception) -> int:
        if len(claims) > 1:
            half = len(claims) // 2
            return self._settle(claims[:half]) + self._settle(claims[half:])
        refusal = UnusableRecord(f"the database did not store it: {str(error).splitlines()[0]}")
        [claim] = claims
        if claim.result is None or claim.failure:
            raise PipelineProblem(str(refusal)) from error
        result = HandlerResult(claim.result.identity, Failed.from_error(refusal))
        return self._settle([replace(claim, result=result)])


def _fitting(limit: int, seconds: float) -> int:
    if seconds > LONG_SECONDS:
        return max(limit // 2, FEWEST)
    return min(limit * 4, MOST) if seconds < SHORT_SECONDS else limit


def _task_attempt() -> int:
    spark = sys.modules.get("pyspark")
    task = spark.TaskContext.get() if spark else None
    return int(task.attemptNumber()) if task is not None else 0
