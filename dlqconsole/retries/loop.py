"""One worker's part in a run: claim, begin, collect outcomes, record them. It waits for no handler.

Nothing here depends on the lock. The claim of a dead letter keeps it from being handled twice: it is taken,
begun, extended and settled by compare-and-set, also while other workers run.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.dead_letters.transitions import Settled, Settling
from dlqconsole.core.handling import Unhandled
from dlqconsole.core.lifecycle.retry_limits import RetryLimits, limits_for_failure
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.transient_errors import retry_transient, sentence
from dlqconsole.engine import known_handlers
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.outcomes import Failed
from dlqconsole.retries import actions, stopping
from dlqconsole.retries.attempts import KIND, settle_and_begin
from dlqconsole.retries.executors import Executor, FinishedClaim
from dlqconsole.retries.lanes import WorkerLanes
from dlqconsole.retries.models import EndReason
from dlqconsole.retries.rates import LATE_SECONDS
from dlqconsole.retries.reviver import MOST_UNDER_WAY, SILENT_SECONDS, Reviver
from dlqconsole.retries.run_records import Ending, RunRecord
from dlqconsole.retries.throttle import Throttle
from dlqconsole.retries.worker_lane import WorkerLane

# the longest time without a look at a stop signal and newly due dead letters
LOOK_SECONDS = 0.25
# the wait for other quick handlers that end at about the same time
GATHER_SECONDS = 0.002
QUICK_SECONDS = 0.015
HOUSEKEEPING_SECONDS = 1.0
RECLAIM_SECONDS = 5.0
# a worker that has to stop waits so long for the handlers that run
GRACE_SECONDS = 10.0
# a run that left what nobody consumes is followed by another after this
FULL_SECONDS = 300.0
INTERRUPTED = "the worker was told to stop, and the handler had not ended by then"
SLOWED_IS_LEFT = stored("left what its pace slows down to the workers of the schedule, which go on with it")
TOLD_TO_STOP = stored("was told to stop: stopped after {number:,} attempts, another worker goes on")
LOST_LOCK = stored("lost the lock: stopped after {number:,} attempts")
USED_ITS_TIME = stored("used its {seconds} s: stopped after {number:,} attempts, more follow")
BREAKER_IS_OPEN = stored("left alone what needs {keys}: the breaker is open")
NOBODY_CONSUMES = stored(
    "left what is due of {event_types}: {number:d} revived messages are on their queues, and nobody has"
    " settled one for {seconds:d} s"
)


@dataclass(slots=True)
class Running:
    """A handler that runs. ``since``: by this process's clock; ``started_at``: by the database's."""

    claim: Claim
    lane: WorkerLane
    started_at: datetime
    since: float


class Loop:
    """Drains the due dead letters with an executor until there is a reason to end.

    ``leaves_slowed``: do not wait for dead letters that only the pace holds back: other workers go on with
    them.
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
        # dead letters without a handler whose raw payload names another type: given back, not claimed again
        # in this run
        self.unhandled: list[int] = []
        self._throttle = Throttle(record.run.late > LATE_SECONDS)
        self.reviver = Reviver(record, self._throttle)
        self._lease = settings.DLQ_LEASE_SECONDS + (
            settings.DLQ_HANDLER_TIMEOUT if executor.blocking else 0.0
        )
        self._began = time.monotonic() - record.run.seconds
        self._ending: Ending | None = None
        self._stop_at = self._kept_at = self._reclaimed_at = 0.0
        self._extended_at = time.monotonic()

    def drain(self) -> Ending:
        """Work until there is a reason to end and all running handlers have ended; return the reason."""
        try:
            self._keep_house()
            while not self._is_over():
                self._claim()
                self._step()
                self._keep_house()
            self._throttle.flush(now=True)
            self._let_go(INTERRUPTED)
        except BaseException as error:
            with suppress(DatabaseError):
                self._let_go(f"the run was stopped by {type(error).__name__}: {sentence(error)}")
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
        is_told = self._ending.ended_for == EndReason.STOPPED or stopping.is_told()
        return not self.running or (is_told and time.monotonic() >= self._stop_at)

    def _reason_to_end(self) -> Ending | None:
        done = self.record.done
        if stopping.is_told():
            return Ending(EndReason.STOPPED, TOLD_TO_STOP.format(number=done), 0.0)
        if self.record.has_lost_lock or not self.record.is_open:
            return Ending(EndReason.LOCK_LOST, LOST_LOCK.format(number=done), 0.0)
        if time.monotonic() - self._began > settings.DLQ_RETRY_TIME_BUDGET:
            note = USED_ITS_TIME.format(seconds=settings.DLQ_RETRY_TIME_BUDGET, number=done)
            return Ending(EndReason.TIME, note, 0.0)
        if not self.running and not self.lanes.waiting:
            return self._nothing_to_do()
        return None

    def _nothing_to_do(self) -> Ending | None:
        """The ending when nothing is due any more; the worker that keeps the run waits for the others."""
        lanes = [*self.lanes, *self.reviver.lanes]
        blocked_lanes = [lane for lane in lanes if lane.blocked_by]
        full_lanes = [lane for lane in lanes if lane.is_full and not lane.blocked_by]
        free_lanes = [lane for lane in lanes if not (lane.blocked_by or lane.is_full)]
        if not all(lane.rests for lane in free_lanes):
            return None
        if held_back := [lane for lane in free_lanes if lane.is_held_back]:
            is_left = self._leaves_slowed and all(lane.is_slowed for lane in held_back)
            return Ending(EndReason.HELD_BACK, SLOWED_IS_LEFT, 0.0) if is_left else None
        if (self.record.keeps and self.record.others) or self._any_due(free_lanes):
            return None
        if self._any_due(blocked_lanes):
            keys = ", ".join(sorted({lane.blocked_by for lane in blocked_lanes}))
            return Ending(EndReason.HELD_BACK, BREAKER_IS_OPEN.format(keys=keys), 0.0)
        if self._any_due(full_lanes):
            return Ending(EndReason.HELD_BACK, _nobody_consumes(full_lanes), FULL_SECONDS)
        return Ending(EndReason.NOTHING_DUE)

    def _any_due(self, lanes: list[WorkerLane]) -> bool:
        return claims.any_due([lane.request(1, 0.0) for lane in lanes], self.unhandled)

    def _keep_house(self) -> None:
        """Do the periodic work: heartbeats, policies, leases, reclaiming."""
        now = time.monotonic()
        self._extend(now)
        if now - self._kept_at < HOUSEKEEPING_SECONDS:
            return
        self._kept_at = now
        self.record.beat()
        known_handlers.beat_of_worker()
        workers = self.record.others + 1
        self._give_back(self.lanes.follow(actions.retry_lanes(self.event_types), workers))
        self.reviver.follow(workers)
        self._throttle.look(now - self._began, workers)
        self._throttle.flush()
        if now - self._reclaimed_at >= RECLAIM_SECONDS:
            self._reclaimed_at = now
            retry_transient(claims.reclaim)

    def _extend(self, now: float) -> None:
        """Extend all leases long before they could run out."""
        leased = [(claim, lane) for lane in self.lanes for claim in lane.waiting]
        leased += [(one.claim, one.lane) for one in self.running.values()]
        if not leased:
            self._extended_at = now
            return
        leases = [self._lease] * len(leased)
        if now - self._extended_at < settings.DLQ_LEASE_SECONDS / 4:
            return
        self._extended_at = now
        kept_ids = retry_transient(lambda: claims.extend([claim for claim, _line in leased], leases))
        self._drop_lost([claim for claim, _line in leased if claim.id not in kept_ids])

    def _drop_lost(self, lost_claims: list[Claim]) -> None:
        """Drop waiting claims that were lost. Running ones are counted as lost when they settle."""
        for lane in self.lanes:
            lost_of_lane = [claim for claim in lost_claims if claim in lane.waiting]
            for claim in lost_of_lane:
                lane.waiting.remove(claim)
            self.record.counts["claimed"] += len(lost_of_lane)
            self.record.counts["lost"] += len(lost_of_lane)

    def _claim(self) -> None:
        if self._ending is not None:
            return
        self.reviver.revive()
        self._leave_stopped()
        rooms = [(lane, self._throttle.room(lane, room)) for lane, room in self.lanes.hungry()]
        rooms = [(lane, room) for lane, room in rooms if room.number]
        if not rooms:
            return
        requests = [lane.request(room.number, self._lease, room.group_limits) for lane, room in rooms]
        due = retry_transient(lambda: claims.claim_due(requests, self.record.owner, self.unhandled))
        for (lane, room), new_claims, exhausted in zip(rooms, due.claims, due.exhausted, strict=True):
            lane.add_claims(new_claims, room.number - exhausted)
            self._throttle.took(lane, room, new_claims)
            self.record.counts["exhausted"] += exhausted
        self._leave_stopped()

    def _leave_stopped(self) -> None:
        for lane in self.lanes:
            if lane.waiting and self._throttle.stops(lane):
                self._give_back(lane.put_down())

    def _step(self) -> None:
        """Collect the handlers that have ended, record their outcomes, and begin as many others."""
        finished = self._collect()
        now = time.monotonic()
        pairs = [(one, self.running.pop(one.id)) for one in finished]
        for _one, was in pairs:
            was.lane.note_end(now - was.since)
        suspects = sum(one.claim.crash_count > 0 for one in self.running.values())
        choices = [] if self._ending else self.lanes.next(self.executor.idle, suspects)
        if not pairs and not choices:
            self._rest()
            return
        settlements, begun_at = settle_and_begin(
            [
                self._settling(one, was)
                for one, was in pairs
                if not isinstance(one.handled.outcome, Unhandled)
            ],
            [(claim, self._lease) for _lane, claim in choices],
        )
        self._count(pairs, {one.id: one for one in settlements}, now)
        self._begin(choices, begun_at)

    def _collect(self) -> list[FinishedClaim]:
        """Return the handlers that have ended, quick ones together: one commit for four costs as one does."""
        finished = list(self.executor.finished(self._longest_wait()))
        quick = sum(lane.running for lane in self.lanes if lane.mean < QUICK_SECONDS)
        until = time.monotonic() + GATHER_SECONDS
        while finished and len(finished) < quick and (seconds_left := until - time.monotonic()) > 0:
            finished += self.executor.finished(seconds_left)
        return finished

    def _longest_wait(self) -> float:
        """The seconds to wait for a handler: none if another can begin."""
        return 0.0 if self.lanes.waiting and self.executor.idle and not self._ending else LOOK_SECONDS

    def _rest(self) -> None:
        if not self.running and not self.lanes.waiting and self._ending is None:
            time.sleep(LOOK_SECONDS / 5)

    def _settling(self, one: FinishedClaim, was: Running) -> Settling:
        outcome, policy = one.handled.outcome, was.lane.lane.policy
        limits = RetryLimits(policy.max_retries, policy.backoff)
        if isinstance(outcome, Failed):
            # the reason may differ from the last one
            limits = limits_for_failure(was.claim.event_type, outcome)
        delay = limits.backoff.seconds(was.claim.retry_count + 1)
        return Settling(was.claim, one.handled, was.started_at, delay, limits.max_retries)

    def _count(
        self, pairs: list[tuple[FinishedClaim, Running]], settlements: dict[int, Settled], now: float
    ) -> None:
        for one, was in pairs:
            if isinstance(one.handled.outcome, Unhandled):
                self._leave(was.claim)
            elif one.id in settlements:
                self._count_settled(settlements[one.id])
                self._throttle.note(was.lane, was.claim, one.handled.outcome, now - was.since)
            else:
                self.record.counts["lost"] += 1

    def _count_settled(self, settlement: Settled) -> None:
        counts = self.record.counts
        if settlement.status == DeadLetterStatus.SUCCEEDED:
            counts["succeeded"] += 1
            return
        counts["failed"] += 1
        counts["exhausted"] += settlement.status == DeadLetterStatus.EXHAUSTED
        self.record.failures[settlement.group_id] += 1

    def _leave(self, claim: Claim) -> None:
        """Give back a claim whose payload names a type without a handler here, as if never claimed."""
        self.unhandled.append(claim.id)
        self.record.counts["claimed"] -= 1
        self._give_back([claim])

    def _begin(self, choices: list[tuple[WorkerLane, Claim]], begun_at: dict[int, datetime]) -> None:
        for lane, claim in choices:
            self.record.counts["claimed"] += 1
            if claim.id in begun_at:
                self.running[claim.id] = Running(claim, lane, begun_at[claim.id], time.monotonic())
                self.executor.begin(claim)
            else:
                lane.running -= 1
                self.record.counts["lost"] += 1

    def _give_back(self, unused: list[Claim]) -> None:
        if unused:
            retry_transient(lambda: claims.give_back(unused))

    def _let_go(self, reason: str) -> None:
        """End running handlers and give all claims back."""
        self.executor.close()
        interrupted_claims = [(one.claim, one.started_at) for one in self.running.values()]
        self.running.clear()
        self._give_back(self.lanes.put_down())
        if interrupted_claims:
            most = settings.DLQ_RETRY_MAX_RETRIES
            settlements = retry_transient(
                lambda: dead_letters.interrupt(interrupted_claims, most, KIND, reason)
            )
            for one in settlements:
                self._count_settled(one)


def _nobody_consumes(lanes: list[WorkerLane]) -> str:
    event_types = ", ".join(sorted({lane.lane.event_type for lane in lanes}))
    values = {"number": MOST_UNDER_WAY, "seconds": round(SILENT_SECONDS)}
    return NOBODY_CONSUMES.format(event_types=event_types, **values)
