"""Messages that a consumer returns to their queues unhandled."""

import time

from dlqconsole.consuming.heartbeat import LeaseHeartbeat
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import CONSUMER

# The interval between questions for other consumers' handlers, while messages are put back.
LOOK_ELSEWHERE_SECONDS = 5.0


class Returns:
    """Gives back what was not begun, and puts back what has no handler here or waits for a breaker."""

    def __init__(self, heartbeat: LeaseHeartbeat) -> None:
        self._heartbeat = heartbeat
        self._elsewhere: list[known_handlers.ProcessStatus] = []
        self._look_elsewhere_at = 0.0

    def give_back(self, session: QueueSession) -> None:
        """Give back what is in hand, the attempt not counted."""
        messages = list(session.in_hand)
        self._heartbeat.let_go(messages)
        retry_transient(lambda: session.source.release(messages))
        session.in_hand.clear()

    def put_back(self, session: QueueSession) -> None:
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
