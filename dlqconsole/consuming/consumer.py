"""The consumer: claim, handle, settle. Any number may run, anywhere; each takes over from dead ones."""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from django.db import InterfaceError, InternalError, NotSupportedError, OperationalError, connection

from dlqconsole.consuming import settlement
from dlqconsole.consuming.activity import Activity
from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.consuming.housekeeping import Housekeeping
from dlqconsole.consuming.opening import open_sessions, require_one_transaction
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.consuming.transactional import handle_and_complete
from dlqconsole.consuming.turns import Turns
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.handling import HandlerResult, Unhandled, registry
from dlqconsole.core.lifecycle.rules import with_ruled_category
from dlqconsole.core.messages import ClaimResult, TypeChoice
from dlqconsole.core.owners import owner_name
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.error_line import AWAY
from dlqconsole.engine.database.notifications import WakeUps
from dlqconsole.engine.known_handlers import CONSUMER, ProcessHeartbeat
from dlqconsole.processing import crash_points
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.identities import handle_message, message_event_type
from dlqconsole.transports.source import Delivery

log = logging.getLogger(__name__)

# The database is away; or it became a standby; or a migration changed what our prepared statements return.
# All of these are over with a new connection.
_PASSING = (OperationalError, InterfaceError, InternalError, NotSupportedError)
# The interval between looks at queues without notifications.
POLL_SECONDS = 1.0
# The pause of another system's message while a person holds its breaker open.
LONG_PAUSE = 60.0
# The interval between questions for other consumers' handlers, while we put messages back.
LOOK_ELSEWHERE_SECONDS = 5.0


class Consumer:
    """Handles the messages of some queues until ``stop()`` is called (a signal handler may).

    They share its work by ``weights``, 1 where none is given.

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
        weights: Mapping[str, int] | None = None,
        transactional: bool = False,
        watch: AbstractContextManager[None] | None = None,
    ) -> None:
        self.owner = owner_name()
        self.batch = batch
        self.transactional = transactional
        self._watch = watch or nullcontext()
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
        self._elsewhere: list[known_handlers.ProcessStatus] = []
        self._look_elsewhere_at = 0.0
        self._wakeups = WakeUps([one.name for one in self.sessions if one.source.wakes_consumers], self.owner)

    @property
    def counts(self) -> Counter[ClaimResult]:
        """The number of messages settled so far, by outcome."""
        return sum((session.counts for session in self.sessions), Counter())

    def stop(self) -> None:
        """Finish the message in hand, give the rest back, and return from ``run``."""
        self.stopping = True

    def run(self, *, until_empty: bool = False) -> Counter[ClaimResult]:
        """Consume, with ``until_empty`` until nothing is claimable. Return the settled messages by outcome.

        Raises UnknownQueue for a queue that is not attached, and HandlerSetupError.
        """
        registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
        try:
            self._loop(until_empty)
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
                if self._steady(self._housekeeping.unblock_forgotten):
                    continue
                return
            self._wakeups.announce()
            if not self.stopping and not self._steady(self._visit_queues):
                self._steady(self._sleep)

    def _steady(self, step: Callable[[], object]) -> bool:
        """Run a step. Tell whether to go on at once: it did something, or the database was away."""
        try:
            return bool(step())
        except _PASSING as error:
            log.warning("%s, trying again: %s", AWAY, str(error).splitlines()[0])
            connection.close()
            time.sleep(random.uniform(0.5, 1.5))  # noqa: S311  (not all consumers at one moment)
            return True

    def _visit_queues(self) -> bool:
        """Claim once on each queue whose turn it is. Tell whether to go on: any had a message, or waits."""
        self._housekeeping.keep()
        self._report()
        answers = [_try_step(session, self._visit) for session in self._turns.round() if not self.stopping]
        self._write_activity()
        return any(answers) or self._turns.forgive()

    def _visit(self, session: QueueSession) -> bool:
        """Handle messages that a fault left in hand, else newly claimed ones. Tell whether there were any."""
        if not session.in_hand:
            self._claim(session)
        claim_size, start = len(session.in_hand), time.monotonic()
        while session.in_hand:
            if self.stopping:
                self._give_back(session)
                break
            if not self._is_stopped(session, session.in_hand[0]):
                self._take_up(session, session.in_hand[0])
            session.in_hand.popleft()
            self._record([session for session in self.sessions if session.waited_enough()])
            self._report()
            if session.width > 1 and len(session.without_handler) < claim_size - len(session.in_hand):
                self._give_back(session)  # messages with a handler begin here: hold no more than usual
            if session.in_hand and self._turns.is_over(session, time.monotonic() - start):
                claim_size -= len(session.in_hand)
                self._give_back(session)  # it is the others' turn
        self._turns.charge(session, claim_size, time.monotonic() - start)
        is_stuck = claim_size and len(session.without_handler) + len(session.behind_breaker) == claim_size
        self._put_back(session)
        if is_stuck:
            session.widen(self.batch)
        else:
            session.narrow()
        return bool(claim_size)

    def _put_back(self, session: QueueSession) -> None:
        """Put back, as they were, the messages without a handler here and those that a breaker stops."""
        if session.behind_breaker:
            self._heartbeat.let_go(message for message, _event_type, _seconds in session.behind_breaker)
            session.put_back_stopped()
        if not session.without_handler:
            return
        self._heartbeat.let_go(message for message, _event_type in session.without_handler)
        session.put_back(self._handled_elsewhere(session.name))

    def _handled_elsewhere(self, queue: str) -> set[str]:
        """The event types for which another consumer of the queue, that runs now, has a handler."""
        if time.monotonic() >= self._look_elsewhere_at:
            self._elsewhere = [report for report in known_handlers.live() if report.role == CONSUMER]
            self._look_elsewhere_at = time.monotonic() + LOOK_ELSEWHERE_SECONDS
        return {name for report in self._elsewhere if queue in report.queues for name in report.event_types}

    def _report(self) -> None:
        """Say now and then that we run, what we can handle, and what we cannot."""
        if self._reporter.is_due():
            self._reporter.beat(self._count_unhandled())

    def _count_unhandled(self) -> dict[str, dict[str, int]]:
        """Count messages without a handler by queue and type, where the queue does not record it."""
        elsewhere = (one for one in self.sessions if not one.source.notes_unhandled)
        counts = {one.name: one.unhandled_backoff.waiting() for one in elsewhere}
        return {name: types for name, types in counts.items() if types}

    def _claim(self, session: QueueSession) -> None:
        asked_at, successes = time.monotonic(), session.unrecorded()
        lease = session.read_policy().lease_seconds
        # a lease that a batch shares cannot be kept while its first messages are handled
        limit = self._turns.limit(session) * session.width if session.source.leases_per_message else 1
        try:
            session.in_hand.extend(self._claim_runnable(session, limit, lease))
        finally:
            self._let_go(session, successes)
        self._heartbeat.take(session.source, session.in_hand, lease, asked_at)
        crash_points.reach("consumer.claimed")

    def _claim_runnable(self, session: QueueSession, limit: int, lease: float) -> list[Delivery]:
        """Claim messages that may be handled now. A breaker's messages stay, but for one probe."""
        session.probe = None
        if self._gate.is_quiet():
            session.rest_until = session.probe_rest_until = 0.0
        elif session.source.chooses:
            return self._claim_probe(session, lease) or self._claim_others(session, limit, lease)
        return session.claim(limit, lease)

    def _claim_probe(self, session: QueueSession, lease: float) -> list[Delivery]:
        """Claim one message to test whether an outage is over; one that was never tried, if there is any."""
        due = self._gate.due()
        if not due or time.monotonic() < session.probe_rest_until:
            return []
        messages, session.probe_rest_until = session.claim_chosen(1, lease, TypeChoice(only=due))
        for message in messages:
            event_type = message_event_type(message, session.known_as)
            if event_type is not None and not self._gate.may_probe(event_type):
                retry_transient(lambda: session.source.release(messages))
                return []  # another was faster
            session.probe = message
        return messages

    def _claim_others(self, session: QueueSession, limit: int, lease: float) -> list[Delivery]:
        if time.monotonic() < session.rest_until:
            session.record()
            return []
        breakers = self._gate.stopped()
        choice = TypeChoice(without=breakers.types, again_without=breakers.types_again)
        messages, session.rest_until = session.claim_chosen(limit, lease, choice)
        return messages

    def _is_stopped(self, session: QueueSession, message: Delivery) -> bool:
        """Tell whether a breaker stops the message; if so, it is noted to be put back as it was."""
        if message is session.probe or self._gate.is_quiet():
            return False
        event_type = message_event_type(message, session.known_as)
        if event_type is None:
            return False
        block = self._gate.why_not(event_type, first=session.source.is_first(message))
        if block is None:
            return False
        passed_over = session.source.chooses and message.payload is not None
        pause = block.next_probe_seconds
        session.stop(
            message, event_type, 0.0 if passed_over else LONG_PAUSE if pause is None else max(pause, 1.0)
        )
        return True

    def _give_back(self, session: QueueSession) -> None:
        messages = list(session.in_hand)
        self._heartbeat.let_go(messages)
        retry_transient(lambda: session.source.release(messages))
        session.in_hand.clear()

    def _take_up(self, session: QueueSession, message: Delivery) -> None:
        if message.attempts > 1:  # it may kill this process: record the other successes first
            self._record(self.sessions)
        claim_result = self._outcome(session, message)
        if claim_result is None:
            return  # it is recorded, or put back, with others later
        session.counts[claim_result] += 1
        self._heartbeat.let_go([message])
        log.info("message %s on %s: %s", message.id, session.name, claim_result)

    def _outcome(self, session: QueueSession, message: Delivery) -> ClaimResult | None:
        if not self._heartbeat.holds(message):
            return ClaimResult.LOST  # nothing was begun: its new holder handles it
        if settlement.has_killed(session.source, message, session.policy):
            if no_handler := settlement.missing_handler(message, session.known_as):
                session.leave(message, no_handler)
                return None
            return retry_transient(lambda: settlement.quarantine(session.source, message, session.known_as))
        claim_result: ClaimResult | None = None
        if self.transactional:
            result, claim_result = handle_and_complete(session.source, message, session.known_as, self._watch)
        else:
            result = handle_message(message, session.known_as)
            crash_points.reach("consumer.handled")
        if isinstance(result.outcome, Unhandled):
            session.leave(message, result.outcome)
            return None
        if claim_result is None:
            result = retry_transient(partial(with_ruled_category, result))
            claim_result = self._settle(session, message, result)
        self._report_outcome(session, message, result)
        return claim_result

    def _report_outcome(self, session: QueueSession, message: Delivery, result: HandlerResult) -> None:
        """Report the outcome to the breakers. While the database is away, they learn from the next one."""
        if isinstance(result.outcome, Unhandled):
            return
        first, which = session.source.is_first(message), f"{session.name}/{message.id}"
        try:
            self._gate.note(result.identity.event_type, result.outcome, first=first, which=which)
        except _PASSING:
            connection.close()

    def _settle(self, session: QueueSession, message: Delivery, result: HandlerResult) -> ClaimResult | None:
        if self._heartbeat.has_lost(message):
            return ClaimResult.LOST
        if isinstance(result.outcome, Failed):
            # a later beat would hide the message again after it was given back
            self._heartbeat.let_go([message])
        return session.settle(message, result)

    def _record(self, sessions: Sequence[QueueSession]) -> None:
        for session in sessions:
            successes = session.unrecorded()
            _try_step(session, QueueSession.record)
            self._let_go(session, successes)

    def _let_go(self, session: QueueSession, successes: Sequence[Delivery]) -> None:
        """Stop extending the leases of recorded messages; those that could not be recorded keep theirs."""
        waiting = set(session.unrecorded())
        self._heartbeat.let_go(message for message in successes if message not in waiting)

    def _finish(self) -> None:
        self._record(self.sessions)
        for session in self.sessions:
            self._put_back(session)
        self._gate.flush()
        self._write_activity(now=True)

    def _write_activity(self, *, now: bool = False) -> None:
        self._activity.write({session.name: session.counts for session in self.sessions}, now=now)

    def _sleep(self) -> None:
        self._gate.flush()
        self._wakeups.wait(self._longest_nap())

    def _longest_nap(self) -> float:
        """Return the seconds until a scheduled message is due, or a queue's rate allows another claim."""
        naps = [self._wakeups.poll_seconds, *(source.seconds_until_due() for source in self._sources)]
        naps += [1 / rate for session in self.sessions if (rate := session.policy.rate_limit)]
        if not all(source.wakes_consumers for source in self._sources):
            naps.append(POLL_SECONDS * random.uniform(0.5, 1.0))  # noqa: S311
        return max(0.01, min(nap for nap in naps if nap is not None))


def _try_step(session: QueueSession, step: Callable[[QueueSession], object]) -> bool:
    """Run a step. Return its answer; False while the queue's system does not answer. Other queues go on."""
    try:
        return bool(step(session))
    except TransportUnavailable as error:
        log.warning("%s does not answer, trying again: %s", session.name, " ".join(str(error).split()))
        return False
