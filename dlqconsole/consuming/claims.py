"""The claims of a consumer: what may be handled now. What a breaker stops stays on its queue."""

import time
from functools import partial

from dlqconsole.consuming import settlement
from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.consuming.outcomes import Outcomes
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.messages import ClaimResult, TypeChoice
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.processing import crash_points
from dlqconsole.transports.identities import message_event_type
from dlqconsole.transports.source import Delivery

# The pause of another system's message while a person holds its breaker open.
LONG_PAUSE = 60.0


class Claims:
    """Asks the breakers before a claim, and again before a handler begins."""

    def __init__(self, heartbeat: LeaseHeartbeat, gate: Gate, outcomes: Outcomes) -> None:
        self._heartbeat, self._gate, self._outcomes = heartbeat, gate, outcomes

    def take(self, session: QueueSession, limit: int) -> None:
        """Record what waits, and take up to ``limit`` messages in hand, or more where none had a handler."""
        asked_at, successes = time.monotonic(), session.unrecorded()
        lease = session.read_policy().lease_seconds
        # a lease that a batch shares cannot be kept while its first messages are handled
        limit = limit * session.width if session.source.leases_per_message else 1
        try:
            session.in_hand.extend(self._claim(session, limit, lease))
        finally:
            self._outcomes.let_go(session, successes)
        self._heartbeat.take(session.source, session.in_hand, lease, asked_at)
        crash_points.reach("consumer.claimed")

    def may_begin(self, session: QueueSession, message: Delivery) -> bool:
        """Tell whether the handler of a message may run; if not, see to the message."""
        if self._is_stopped(session, message):
            return False
        if not self._heartbeat.holds(message):
            self._outcomes.note(session, message, ClaimResult.LOST)  # its new holder handles it
            return False
        if settlement.has_killed(session.source, message, session.policy):
            if no_handler := settlement.missing_handler(message, session.known_as):
                session.leave(message, no_handler)
            else:
                quarantine = partial(settlement.quarantine, session.source, message, session.known_as)
                self._outcomes.note(session, message, retry_transient(quarantine))
            return False
        return True

    def _claim(self, session: QueueSession, limit: int, lease: float) -> list[Delivery]:
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
