"""The outcomes of a consumer's handlers: settled as they come, successes many at a time."""

import logging
from collections import Counter, deque
from collections.abc import Sequence
from functools import partial

from dlqconsole.consuming.execution import PASSING, HandlerEnd, try_step
from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.handling import HandlerResult, Unhandled
from dlqconsole.core.lifecycle.failures import with_ruled_category
from dlqconsole.core.messages import ClaimResult
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.hosting.database import connection
from dlqconsole.processing import crash_points
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports.source import Delivery

log = logging.getLogger(__name__)


class Outcomes:
    """Takes what has ended, and tells the breakers. ``transactional``: successes are recorded already."""

    def __init__(self, heartbeat: LeaseHeartbeat, gate: Gate, *, transactional: bool) -> None:
        self._heartbeat, self._gate, self._transactional = heartbeat, gate, transactional
        # handlers that have ended, and whose outcome is not settled yet
        self._ended: deque[HandlerEnd] = deque()

    def wait_for(self, session: QueueSession) -> bool:
        """Tell whether outcomes of this queue wait: its system does not answer."""
        return any(one.session is session for one in self._ended)

    def take(self, ended: Sequence[HandlerEnd]) -> None:
        """Settle these, and those that wait. What was not begun is in hand again."""
        successes: dict[str, list[HandlerEnd]] = {}
        for one in reversed([one for one in ended if one.result is None]):
            one.session.in_hand.appendleft(one.message)
        for one in ended:
            if one.result is None:
                continue
            if not self._transactional:
                crash_points.reach("consumer.handled")
            if one.claim_result is None and isinstance(one.result.outcome, Succeeded):
                successes.setdefault(one.session.name, []).append(one)
            else:
                self._ended.append(one)
        for some in successes.values():
            self._take_successes(some[0].session, some)
        for one in list(self._ended):
            # else its system does not answer: that of others may
            if try_step(one.session, partial(self._settle, one)):
                self._ended.remove(one)

    def note(self, session: QueueSession, message: Delivery, claim_result: ClaimResult) -> None:
        """Count what became of a message, which is ours no more."""
        session.counts[claim_result] += 1
        self._heartbeat.let_go([message])
        log.info("message %s on %s: %s", message.id, session.name, claim_result)

    def record(self, sessions: Sequence[QueueSession]) -> None:
        """Record the successes that wait."""
        for session in sessions:
            successes = session.unrecorded()
            try_step(session, QueueSession.record)
            self.let_go(session, successes)

    def let_go(self, session: QueueSession, successes: Sequence[Delivery]) -> None:
        """Stop extending the leases of recorded messages; those that could not be recorded keep theirs."""
        waiting = set(session.unrecorded())
        self._heartbeat.let_go(message for message in successes if message not in waiting)

    def _take_successes(self, session: QueueSession, ended: Sequence[HandlerEnd]) -> None:
        """Keep the successes of one queue, to be recorded together soon; tell the breakers of all at once."""
        numbers: Counter[tuple[str, bool]] = Counter()
        for one in ended:
            assert one.result is not None  # noqa: S101
            numbers[one.result.identity.event_type, session.source.is_first(one.message)] += 1
            if self._heartbeat.has_lost(one.message):
                self.note(session, one.message, ClaimResult.LOST)
            else:
                session.keep(one.message, one.result)
        try:
            for (event_type, first), number in numbers.items():
                self._gate.note_successes(event_type, number, first=first)
        except PASSING:  # while the database is away, they learn from the next one
            connection.close()

    def _settle(self, ended: HandlerEnd, session: QueueSession) -> bool:
        """Settle what is no plain success. Raises TransportUnavailable."""
        message, result, claim_result = ended.message, ended.result, ended.claim_result
        assert result is not None  # noqa: S101
        if isinstance(result.outcome, Unhandled):
            session.leave(message, result.outcome)
            return True
        if claim_result is None:
            ended.result = result = retry_transient(partial(with_ruled_category, result))
            claim_result = self._fail(session, message, result)
        self._tell_breakers(session, message, result)
        self.note(session, message, claim_result)
        return True

    def _fail(self, session: QueueSession, message: Delivery, result: HandlerResult) -> ClaimResult:
        if self._heartbeat.has_lost(message):
            return ClaimResult.LOST
        # a later beat would hide the message again after it was given back
        self._heartbeat.let_go([message])
        return session.fail(message, result)

    def _tell_breakers(self, session: QueueSession, message: Delivery, result: HandlerResult) -> None:
        """Report the outcome to the breakers. While the database is away, they learn from the next one."""
        assert isinstance(result.outcome, Succeeded | Failed)  # noqa: S101
        first, which = session.source.is_first(message), f"{session.name}/{message.id}"
        try:
            self._gate.note(result.identity.event_type, result.outcome, first=first, which=which)
        except PASSING:
            connection.close()
