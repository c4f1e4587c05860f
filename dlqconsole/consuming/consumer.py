"""The consumer: claim, handle, settle. Any number may run, anywhere; each takes over from dead ones."""

import logging
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from dlqconsole.consuming.claims import Claims
from dlqconsole.consuming.execution import PASSING, execution, try_step
from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.consuming.housekeeping import Activity, Housekeeping
from dlqconsole.consuming.opening import open_sessions, require_one_transaction
from dlqconsole.consuming.outcomes import Outcomes
from dlqconsole.consuming.queue_session import LONGEST_WAIT, QueueSession
from dlqconsole.consuming.returns import Returns
from dlqconsole.consuming.turns import Turns, WorkLimit
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.handling import registry
from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.owners import owner_name
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.database.error_line import AWAY
from dlqconsole.engine.database.notifications import WakeUps
from dlqconsole.engine.known_handlers import CONSUMER, ProcessHeartbeat
from dlqconsole.hosting.database import connection
from dlqconsole.transports.source import Delivery

log = logging.getLogger(__name__)

# The interval between looks at queues without notifications.
POLL_SECONDS = 1.0
# The bytes of payloads that are given to a process at once: they stand in its memory until they are handled.
GIVEN_BYTES = 1_000_000


class Consumer:
    """Handles the messages of some queues until ``stop()`` is called (a signal handler may).

    They share its work by ``weights``, 1 where none is given.

    It claims ``batch`` messages whenever fewer than ``concurrency`` are in work; fewer than ``batch``, while
    handlers are quick. They overlap in a process that was started for it (``core.handling.isolated``).

    ``transactional`` runs each handler in the transaction that completes its message: what it writes to this
    database happens exactly once, whatever dies. For handlers that touch nothing else. Those run in this
    process, and within ``watch``, a block of whoever ends this process when they do not stop.

    Raises InvalidQueue for queues that cannot be consumed so, TransportUnavailable for a system that is not
    set up.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        batch: int = 10,
        concurrency: int = 1,
        weights: Mapping[str, int] | None = None,
        transactional: bool = False,
        watch: AbstractContextManager[None] | None = None,
    ) -> None:
        self.owner = owner_name()
        self.batch = batch
        self.transactional = transactional
        self._execution = execution(transactional, watch or nullcontext())
        self._work_limit = WorkLimit(self._execution, batch, concurrency)
        self.stopping = False
        self.sessions = open_sessions(names, self.owner, weights)
        self._turns = Turns(self.sessions, batch)
        if transactional:
            require_one_transaction(self.sessions)
        self._sources = list({id(session.source): session.source for session in self.sessions}.values())
        self._heartbeat = LeaseHeartbeat()
        self._activity = Activity()
        self._reporter = ProcessHeartbeat(CONSUMER, [session.name for session in self.sessions])
        self._housekeeping = Housekeeping([session.name for session in self.sessions])
        self._gate = Gate()
        self._outcomes = Outcomes(self._heartbeat, self._gate, transactional=transactional)
        self._claims = Claims(self._heartbeat, self._gate, self._outcomes)
        self._returns = Returns(self._heartbeat)
        self._wakeups = WakeUps([one.name for one in self.sessions if one.source.wakes_consumers], self.owner)

    @property
    def counts(self) -> Counter[ClaimResult]:
        """The number of messages settled so far, by outcome."""
        return sum((session.counts for session in self.sessions), Counter())

    def stop(self) -> None:
        """Finish what is in work, give the rest back, and return from ``run``."""
        self.stopping = True
        self._execution.recall()

    def run(self, *, until_empty: bool = False) -> Counter[ClaimResult]:
        """Consume, with ``until_empty`` until nothing is claimable. Return the settled messages by outcome.

        Raises UnknownQueue for a queue that is not attached, and HandlerSetupError.
        """
        registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
        try:
            self._loop(until_empty)
            self._finish_work()
            self._steady(lambda: retry_transient(self._finish))
            self._steady(lambda: self._reporter.withdraw(self._count_unhandled()))
        finally:
            self._heartbeat.stop()
            self._wakeups.awake()
            self._wakeups.close()
            for source in self._sources:
                source.close()
        return self.counts

    def _loop(self, until_empty: bool) -> None:
        busy = 0
        while not self.stopping:
            if self._steady(self._visit_queues):
                busy += 1
                if busy == 2:
                    self._wakeups.awake()
                continue
            busy = 0
            if until_empty:
                if self._execution.running or self._steady(self._housekeeping.unblock_forgotten):
                    self._steady(self._wait_for_handlers)
                    continue
                return
            self._wakeups.announce()
            if not self.stopping and not self._steady(self._visit_queues):
                self._steady(self._sleep)

    def _steady(self, step: Callable[[], object]) -> bool:
        """Run a step. Tell whether to go on at once: it did something, or the database was away."""
        try:
            return bool(step())
        except PASSING as error:
            log.warning("%s, trying again: %s", AWAY, str(error).splitlines()[0])
            connection.close()
            time.sleep(random.uniform(0.5, 1.5))  # noqa: S311  (not all consumers at one moment)
            return True

    def _visit_queues(self) -> bool:
        """Claim once on each queue whose turn it is. Tell whether to go on: any had a message, or waits."""
        self._housekeeping.keep()
        self._report()
        answers = [try_step(session, self._visit) for session in self._turns.round() if not self.stopping]
        self._write_activity()
        return any(answers) or self._turns.forgive()

    def _visit(self, session: QueueSession) -> bool:
        """Handle messages that a fault left in hand, else newly claimed ones. Tell whether there were any."""
        self._make_room(session)
        if self._outcomes.wait_for(session):
            return False
        if not session.in_hand and not self.stopping:
            self._claims.take(session, self._turns.limit(session))
        claim_size, start = len(session.in_hand), time.monotonic()
        while session.in_hand:
            if self.stopping:
                self._returns.give_back(session)
                break
            self._begin(session)
            self._make_room(session, start)
            if session.width > 1 and len(session.without_handler) < claim_size - len(session.in_hand):
                self._returns.give_back(
                    session
                )  # messages with a handler begin here: hold no more than usual
            if session.in_hand and self._turns.is_over(session, time.monotonic() - start):
                claim_size -= len(session.in_hand)
                self._returns.give_back(session)  # it is the others' turn
        self._turns.charge(session, claim_size, time.monotonic() - start)
        is_stuck = claim_size and len(session.without_handler) + len(session.behind_breaker) == claim_size
        self._returns.put_back(session)
        if is_stuck:
            session.widen(self.batch)
        else:
            session.narrow()
        return bool(claim_size)

    def _make_room(self, session: QueueSession, start: float | None = None) -> None:
        """Settle what has ended, and wait until more may begin. ``start``: of the queue's turn."""
        self._settle_ended(0.0)
        while self._execution.running >= self._work_limit.most_running(session):
            self._wait_for_handlers()
            if start is not None and self._turns.is_over(session, time.monotonic() - start):
                self._execution.recall()

    def _wait_for_handlers(self) -> None:
        """Wait for a handler's end, and do meanwhile what does not wait."""
        self._settle_ended(LONGEST_WAIT)
        self._outcomes.record([session for session in self.sessions if session.waited_enough()])
        self._report()

    def _settle_ended(self, timeout: float) -> None:
        """Settle the outcomes of handlers that have ended."""
        ended = self._execution.ended(timeout) if self._execution.running else []
        self._work_limit.note_ends(ended)
        self._outcomes.take(ended)

    def _finish_work(self) -> None:
        """Wait for the handlers that run, and settle what may be settled: the database may be away."""
        while self._execution.running:
            self._steady(self._wait_for_handlers)

    def _begin(self, session: QueueSession) -> None:
        """Give the next messages that may run to their handlers, in one write; alone what may end us."""
        messages: list[Delivery] = []
        begin_by, size = math.inf, 0
        most = self.batch if self._execution.apart else 1
        try:
            while session.in_hand and len(messages) < most and size < GIVEN_BYTES:
                message = session.in_hand[0]
                if self._claims.may_begin(session, message):
                    if message.attempts > 1 and not self._execution.apart:
                        self._outcomes.record(self.sessions)  # it may kill us: the others first
                    messages.append(message)
                    begin_by = min(begin_by, self._heartbeat.may_begin_until(message))
                    size += len(message.payload or message.payload_raw or b"")
                session.in_hand.popleft()
        finally:
            if messages:
                self._work_limit.note_begin()
                self._execution.begin(session, messages, begin_by)
        if self.stopping:
            self._execution.recall()

    def _report(self) -> None:
        """Say now and then that we run, what we can handle, and what we cannot."""
        if self._reporter.is_due():
            self._reporter.beat(self._count_unhandled())

    def _count_unhandled(self) -> dict[str, dict[str, int]]:
        """Count messages without a handler by queue and type, where the queue does not record it."""
        elsewhere = (one for one in self.sessions if not one.source.notes_unhandled)
        counts = {one.name: one.unhandled_backoff.waiting() for one in elsewhere}
        return {name: types for name, types in counts.items() if types}

    def _finish(self) -> None:
        self._settle_ended(0.0)
        self._outcomes.record(self.sessions)
        for session in self.sessions:
            if session.in_hand:
                self._returns.give_back(session)
            self._returns.put_back(session)
        self._gate.flush()
        self._write_activity(now=True)

    def _write_activity(self, *, now: bool = False) -> None:
        self._activity.write({session.name: session.counts for session in self.sessions}, now=now)

    def _sleep(self) -> None:
        self._gate.flush()
        naps = [self._longest_nap()]
        naps += [LONGEST_WAIT for session in self.sessions if session.unrecorded()]
        self._wakeups.wait(min(naps), self._execution.descriptors())

    def _longest_nap(self) -> float:
        """Return the seconds until a scheduled message is due, or a queue's rate allows another claim."""
        naps = [self._wakeups.poll_seconds, *(source.seconds_until_due() for source in self._sources)]
        naps += [1 / rate for session in self.sessions if (rate := session.policy.rate_limit)]
        if not all(source.wakes_consumers for source in self._sources):
            naps.append(POLL_SECONDS * random.uniform(0.5, 1.0))  # noqa: S311
        return max(0.01, min(nap for nap in naps if nap is not None))
