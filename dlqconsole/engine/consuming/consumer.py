"""The consumer: claim, handle, settle. Any number may run, on any machines; each takes over from the dead."""

import logging
import os
import random
import socket
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence

from django.db import InterfaceError, InternalError, NotSupportedError, OperationalError, connection

from dlqconsole.engine import crash_points, messages
from dlqconsole.engine.consuming import settlement
from dlqconsole.engine.consuming.activity import Activity
from dlqconsole.engine.consuming.heartbeat import Heartbeat
from dlqconsole.engine.consuming.housekeeping import Housekeeping
from dlqconsole.engine.consuming.lanes import Lane
from dlqconsole.engine.consuming.settlement import Settled
from dlqconsole.engine.consuming.transactional import handle_and_complete
from dlqconsole.engine.database.notifications import WakeUps
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.handling import handle, registry
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.messages.policies import policy
from dlqconsole.engine.queues.breakers import Breaker
from dlqconsole.processing.outcomes import Outcome

log = logging.getLogger(__name__)

# The database is away; or it became a standby; or a migration changed what our prepared statements return.
# All of these are over with a new connection.
_PASSING = (OperationalError, InterfaceError, InternalError, NotSupportedError)


def owner_name() -> str:
    """Who holds a lease: host, process, and a part that no later process repeats."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


class Consumer:
    """Handles the messages of some queues until ``stop()`` is called (a signal handler may).

    ``transactional`` runs each handler in the transaction that completes its message: what it writes to this
    database happens exactly once, whatever dies. For handlers that touch nothing else.
    """

    def __init__(self, names: Sequence[str], *, batch: int = 10, transactional: bool = False) -> None:
        self.owner = owner_name()
        self.batch = batch
        self.transactional = transactional
        self.stopping = False
        self.lanes = [Lane(name, self.owner) for name in dict.fromkeys(names)]
        self._heartbeat = Heartbeat()
        self._activity = Activity()
        self._housekeeping = Housekeeping([lane.queue for lane in self.lanes])
        self._wakeups = WakeUps([lane.queue for lane in self.lanes], self.owner)

    @property
    def counts(self) -> Counter[Settled]:
        """What was settled so far, by outcome."""
        return sum((lane.counts for lane in self.lanes), Counter())

    def stop(self) -> None:
        """Finish the message in hand, give the rest back, and return from ``run``."""
        self.stopping = True

    def run(self, *, until_empty: bool = False) -> Counter[Settled]:
        """Consume; with ``until_empty`` return when nothing is claimable. What was settled, by outcome."""
        registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
        try:
            self._loop(until_empty)
            self._steady(lambda: retry_transient(self._finish))
        finally:
            self._heartbeat.stop()
            self._wakeups.awake()
            self._wakeups.close()
        return self.counts

    def _loop(self, until_empty: bool) -> None:
        busy = 0
        while not self.stopping:
            if self._steady(self._visit_lanes):
                busy += 1
                if busy == 2:
                    self._wakeups.awake()
                continue
            busy = 0
            if until_empty:
                if self._steady(self._housekeeping.unblock_forgotten):
                    continue
                return
            self._wakeups.announce()
            if not self.stopping and not self._steady(self._visit_lanes):
                self._steady(self._sleep)

    def _steady(self, step: Callable[[], object]) -> bool:
        """Whether to go on at once: the step found something, or the database was away and was waited for."""
        try:
            return bool(step())
        except _PASSING as error:
            log.warning("the database does not answer, trying again: %s", str(error).splitlines()[0])
            connection.close()
            time.sleep(random.uniform(0.5, 1.5))  # noqa: S311  (not all consumers at one moment)
            return True

    def _visit_lanes(self) -> bool:
        """One claim on each queue; whether there was anything."""
        self._housekeeping.keep()
        found = [self._visit(lane) for lane in self.lanes if not self.stopping]
        self._write_activity()
        return any(found)

    def _visit(self, lane: Lane) -> bool:
        """Handle what a fault left in hand, or else what is claimed now; whether there was anything."""
        if not lane.in_hand:
            self._claim(lane)
        found = bool(lane.in_hand)
        while lane.in_hand:
            if self.stopping or (lane.breaker.is_open and not lane.breaker.is_probing):
                self._give_back(lane)
                break
            self._take_up(lane, lane.in_hand[0])
            lane.in_hand.popleft()
            self._record([lane for lane in self.lanes if lane.waited_enough()])
        return found

    def _claim(self, lane: Lane) -> None:
        asked_at, recorded = time.monotonic(), lane.unrecorded()
        if allowed := lane.breaker.allows(self.batch):
            lane.in_hand.extend(lane.claim(allowed))
            if not lane.in_hand:
                lane.breaker.found_nothing()
        else:
            lane.record()
        self._heartbeat.let_go(recorded)
        self._heartbeat.take(lane.in_hand, policy(lane.queue).lease_seconds, asked_at)
        crash_points.reach("consumer.claimed")

    def _give_back(self, lane: Lane) -> None:
        claims = list(lane.in_hand)
        retry_transient(lambda: messages.release(claims))
        self._heartbeat.let_go(claims)
        lane.in_hand.clear()

    def _take_up(self, lane: Lane, claim: messages.Claim) -> None:
        settled = self._outcome(lane, claim)
        if settled is None:
            return  # a success that is recorded with others
        lane.counts[settled] += 1
        self._heartbeat.let_go([claim])
        log.info("message %s on %s: %s", claim.id, claim.queue, settled)

    def _outcome(self, lane: Lane, claim: messages.Claim) -> Settled | None:
        if not self._heartbeat.holds(claim):
            return Settled.LOST  # nothing was begun: its new holder handles it
        if claim.crash_count >= failures.MAX_CRASHES:
            return retry_transient(lambda: settlement.quarantine(claim))
        if self.transactional:
            handled, settled = handle_and_complete(claim, policy(lane.queue))
        else:
            handled = handle(
                claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id)
            )
            crash_points.reach("consumer.handled")
            settled = lane.settle(claim, handled)
        _tell(lane.breaker, handled.outcome)
        return settled

    def _record(self, lanes: Sequence[Lane]) -> None:
        for lane in lanes:
            recorded = lane.unrecorded()
            lane.record()
            self._heartbeat.let_go(recorded)

    def _finish(self) -> None:
        self._record(self.lanes)
        self._write_activity(now=True)

    def _write_activity(self, *, now: bool = False) -> None:
        self._activity.write({lane.queue: lane.counts for lane in self.lanes}, now=now)

    def _sleep(self) -> None:
        self._wakeups.wait(self._longest_nap())

    def _longest_nap(self) -> float:
        """Until the next scheduled message is due, or a limited queue's rate allows another claim."""
        naps = [self._wakeups.poll_seconds, messages.seconds_until_due()]
        naps += [1 / rate for lane in self.lanes if (rate := policy(lane.queue).rate_limit)]
        return max(0.01, min(nap for nap in naps if nap is not None))


def _tell(breaker: Breaker, outcome: Outcome) -> None:
    """Let the breaker learn. Where the database is away just now, it learns from the next outcome."""
    try:
        breaker.note(outcome)
    except _PASSING:
        connection.close()
