"""One worker's part in a run: claim, begin, hear what came of it, record it. It waits for no handler.

Nothing here depends on the lock. That no dead letter is handled twice is held by its own claim: taken, begun,
extended and settled by compare-and-set, whoever else works at the same moment.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.dead_letters import claims
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.engine.dead_letters.transitions import Settled, Settling
from dlqconsole.engine.handling import Unhandled
from dlqconsole.engine.lifecycle.retry_limits import RetryLimits, limits_for_failure
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.retries import policies, stopping
from dlqconsole.retries.executors import Done, Executor
from dlqconsole.retries.guards import Guards
from dlqconsole.retries.lanes import WorkerLanes
from dlqconsole.retries.models import Ended
from dlqconsole.retries.rates import LATE_SECONDS
from dlqconsole.retries.run_records import Ending, RunRecord
from dlqconsole.retries.settling import KIND, settle_and_begin
from dlqconsole.retries.worker_lane import WorkerLane

# the longest that nothing is looked at: the word to stop, what is newly due
LOOK_SECONDS = 0.25
# so long is waited for other quick handlers that end at about the same time
GATHER_SECONDS = 0.002
QUICK_SECONDS = 0.015
HOUSEKEEPING_SECONDS = 1.0
RECLAIM_SECONDS = 5.0
# a worker that has to stop waits so long for the handlers that run
GRACE_SECONDS = 10.0
INTERRUPTED = "the worker was told to stop, and the handler had not ended by then"
SLOWED_IS_LEFT = "left what its pace slows down to the workers of the schedule, which go on with it"


@dataclass(slots=True)
class Running:
    """A handler that runs. ``since``: by this process's clock; ``started_at``: by the database's."""

    claim: Claim
    lane: WorkerLane
    started_at: datetime
    since: float


class Loop:
    """Drains what may run now, with this executor, until there is a reason to end.

    ``leaves_slowed``: do not stay for what only its pace holds back, for other workers go on with it.
    """

    def __init__(
        self,
        record: RunRecord,
        executor: Executor,
        event_types: tuple[str, ...],
        *,
        leaves_slowed: bool = False,
    ) -> None:
        self.record, self.executor, self.event_types = record, executor, event_types
        self._leaves_slowed = leaves_slowed
        self.lanes = WorkerLanes(executor.size)
        self.running: dict[int, Running] = {}
        # whose bytes, no JSONB, name another type than their rows: given back, and not for this run again
        self.unhandled: list[int] = []
        self._guards = Guards(record.run.late > LATE_SECONDS)
        self._more_lease = float(settings.DLQ_HANDLER_TIMEOUT) if executor.blocking else 0.0
        self._began = time.monotonic() - record.run.seconds
        self._ending: Ending | None = None
        self._stop_at = self._kept_at = self._reclaimed_at = 0.0
        self._extended_at = time.monotonic()

    def drain(self) -> Ending:
        """Go on until a reason to end, and until what runs by then has ended; the reason."""
        try:
            self._keep_house()
            while not self._is_over():
                self._claim()
                self._step()
                self._keep_house()
            self._guards.flush(now=True)
            self._let_go(INTERRUPTED)
        except BaseException as error:
            with suppress(DatabaseError):
                self._let_go(f"the run was stopped by {type(error).__name__}: {error}")
            raise
        assert self._ending is not None  # noqa: S101  (what makes it over)
        return self._ending

    def _is_over(self) -> bool:
        if self._ending is None:
            self._ending = self._reason_to_end()
            if self._ending is None:
                return False
            self._give_back(self.lanes.put_down())
            self._stop_at = time.monotonic() + GRACE_SECONDS
        is_told = self._ending.ended_for == Ended.STOPPED or stopping.is_told()
        return not self.running or (is_told and time.monotonic() >= self._stop_at)

    def _reason_to_end(self) -> Ending | None:
        done = f"stopped after {self.record.done:,} attempts"
        if stopping.is_told():
            return Ending(Ended.STOPPED, f"was told to stop: {done}, another worker goes on", 0.0)
        if self.record.has_lost_lock or not self.record.is_open:
            return Ending(Ended.LOCK_LOST, f"lost the lock: {done}", 0.0)
        if time.monotonic() - self._began > settings.DLQ_RETRY_TIME_BUDGET:
            return Ending(
                Ended.TIME, f"used its {settings.DLQ_RETRY_TIME_BUDGET} s: {done}, more follow", 0.0
            )
        if not self.running and not self.lanes.waiting:
            return self._nothing_to_do()
        return None

    def _nothing_to_do(self) -> Ending | None:
        """The end where nothing is due any more; whoever keeps the run waits for the others."""
        blocked = [lane for lane in self.lanes if lane.blocked_by]
        free = [lane for lane in self.lanes if not lane.blocked_by]
        if not all(lane.rests for lane in free):
            return None
        if held_back := [lane for lane in free if lane.is_held_back]:
            is_left = self._leaves_slowed and all(lane.is_slowed for lane in held_back)
            return Ending(Ended.HELD_BACK, SLOWED_IS_LEFT, 0.0) if is_left else None
        if (self.record.keeps and self.record.others) or self._any_due(free):
            return None
        if self._any_due(blocked):
            keys = ", ".join(sorted({lane.blocked_by for lane in blocked}))
            return Ending(Ended.HELD_BACK, f"left alone what needs {keys}: the breaker is open", 0.0)
        return Ending(Ended.NOTHING_DUE)

    def _any_due(self, lanes: list[WorkerLane]) -> bool:
        return claims.any_due([lane.wanted(1, 0.0) for lane in lanes], self.unhandled)

    def _keep_house(self) -> None:
        """What is done now and then, beside the work."""
        now = time.monotonic()
        self._extend(now)
        if now - self._kept_at < HOUSEKEEPING_SECONDS:
            return
        self._kept_at = now
        self.record.beat()
        known_handlers.beat_of_worker()
        workers = self.record.others + 1
        self._give_back(self.lanes.follow(policies.current().lanes(self.event_types), workers))
        self._guards.look(now - self._began, workers)
        self._guards.flush()
        if now - self._reclaimed_at >= RECLAIM_SECONDS:
            self._reclaimed_at = now
            retry_transient(claims.reclaim)

    def _extend(self, now: float) -> None:
        """Lengthen all leases long before the shortest could run out."""
        held = [(claim, lane) for lane in self.lanes for claim in lane.waiting]
        held += [(one.claim, one.lane) for one in self.running.values()]
        if not held:
            self._extended_at = now
            return
        leases = [lane.lane.policy.lease_seconds + self._more_lease for _claim, lane in held]
        if now - self._extended_at < (min(leases) - self._more_lease) / 4:
            return
        self._extended_at = now
        ours = retry_transient(lambda: claims.extend([claim for claim, _line in held], leases))
        self._lost([claim for claim, _line in held if claim.id not in ours])

    def _lost(self, gone: list[Claim]) -> None:
        """Somebody else has these. What of them runs is settled in vain, and counted then."""
        for lane in self.lanes:
            lost = [claim for claim in gone if claim in lane.waiting]
            for claim in lost:
                lane.waiting.remove(claim)
            self.record.counts["claimed"] += len(lost)
            self.record.counts["lost"] += len(lost)

    def _claim(self) -> None:
        if self._ending is not None:
            return
        self._leave_stopped()
        asked = [(lane, self._guards.room(lane, room)) for lane, room in self.lanes.hungry()]
        asked = [(lane, room) for lane, room in asked if room.number]
        if not asked:
            return
        wanted = [lane.wanted(room.number, self._more_lease, room.slowed) for lane, room in asked]
        due = retry_transient(lambda: claims.claim_due(wanted, self.record.owner, self.unhandled))
        for (lane, room), found, exhausted in zip(asked, due.claims, due.exhausted, strict=True):
            lane.claimed(found, room.number - exhausted)
            self._guards.took(lane, room, found)
            self.record.counts["exhausted"] += exhausted
        self._leave_stopped()

    def _leave_stopped(self) -> None:
        for lane in self.lanes:
            if lane.waiting and self._guards.stops(lane):
                self._give_back(lane.put_down())

    def _step(self) -> None:
        """Hear what has ended, record it, and begin as many others."""
        done = self._hear()
        now = time.monotonic()
        ended = [(one, self.running.pop(one.id)) for one in done]
        for _one, was in ended:
            was.lane.ended(now - was.since)
        suspects = sum(one.claim.crash_count > 0 for one in self.running.values())
        chosen = [] if self._ending else self.lanes.next(self.executor.idle, suspects)
        if not ended and not chosen:
            self._rest()
            return
        settled, begun = settle_and_begin(
            [
                self._settling(one, was)
                for one, was in ended
                if not isinstance(one.handled.outcome, Unhandled)
            ],
            [(claim, lane.lane.policy.lease_seconds + self._more_lease) for lane, claim in chosen],
        )
        self._count(ended, {one.id: one for one in settled}, now)
        self._begin(chosen, begun)

    def _hear(self) -> list[Done]:
        """What has ended. Quick handlers are heard together: one commit for four costs as much as for one."""
        done = list(self.executor.finished(self._longest_wait()))
        quick = sum(lane.running for lane in self.lanes if lane.mean < QUICK_SECONDS)
        until = time.monotonic() + GATHER_SECONDS
        while done and len(done) < quick and (left := until - time.monotonic()) > 0:
            done += self.executor.finished(left)
        return done

    def _longest_wait(self) -> float:
        """How long to wait for a handler: not at all, where another can begin."""
        return 0.0 if self.lanes.waiting and self.executor.idle and not self._ending else LOOK_SECONDS

    def _rest(self) -> None:
        if not self.running and not self.lanes.waiting and self._ending is None:
            time.sleep(LOOK_SECONDS / 5)

    def _settling(self, one: Done, was: Running) -> Settling:
        outcome, policy = one.handled.outcome, was.lane.lane.policy
        limits = RetryLimits(policy.max_retries, policy.backoff)
        if isinstance(outcome, Failed):
            # it may have failed for another reason than before
            limits = limits_for_failure(was.claim.event_type, outcome)
        delay = limits.backoff.seconds(was.claim.retry_count + 1)
        return Settling(was.claim, one.handled, was.started_at, delay, limits.max_retries)

    def _count(self, ended: list[tuple[Done, Running]], settled: dict[int, Settled], now: float) -> None:
        for one, was in ended:
            if isinstance(one.handled.outcome, Unhandled):
                self._leave(was.claim)
            elif one.id in settled:
                self._count_settled(settled[one.id])
                self._guards.note(was.lane, was.claim, one.handled.outcome, now - was.since)
            else:
                self.record.counts["lost"] += 1

    def _count_settled(self, settled: Settled) -> None:
        counts = self.record.counts
        if settled.status == DeadLetterStatus.SUCCEEDED:
            counts["succeeded"] += 1
            return
        counts["failed"] += 1
        counts["exhausted"] += settled.status == DeadLetterStatus.EXHAUSTED
        self.record.failures[settled.group_id] += 1

    def _leave(self, claim: Claim) -> None:
        """Its payload names a type that nobody here handles: as it was, and as if it had not been claimed."""
        self.unhandled.append(claim.id)
        self.record.counts["claimed"] -= 1
        self._give_back([claim])

    def _begin(self, chosen: list[tuple[WorkerLane, Claim]], begun: dict[int, datetime]) -> None:
        for lane, claim in chosen:
            self.record.counts["claimed"] += 1
            if claim.id in begun:
                self.running[claim.id] = Running(claim, lane, begun[claim.id], time.monotonic())
                self.executor.begin(claim)
            else:
                lane.running -= 1
                self.record.counts["lost"] += 1

    def _give_back(self, left: list[Claim]) -> None:
        if left:
            retry_transient(lambda: claims.give_back(left))

    def _let_go(self, reason: str) -> None:
        """End what still runs, and hold nothing any more."""
        self.executor.close()
        cut = [(one.claim, one.started_at) for one in self.running.values()]
        self.running.clear()
        self._give_back(self.lanes.put_down())
        if cut:
            allowed = settings.DLQ_RETRY_MAX_RETRIES
            settled = retry_transient(lambda: dead_letters.interrupt(cut, allowed, KIND, reason))
            for one in settled:
                self._count_settled(one)
