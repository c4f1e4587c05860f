"""The place of a consumer's handlers: a process of their own, or the consumer itself, one at a time."""

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar, Protocol

from django.db import InterfaceError, InternalError, NotSupportedError, OperationalError

from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.consuming.settlement import handle_and_complete
from dlqconsole.core import handling
from dlqconsole.core.handling import HandlerResult, StoredEvent
from dlqconsole.core.messages import ClaimResult
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.identities import handle_message, stored_event
from dlqconsole.transports.source import Delivery

log = logging.getLogger(__name__)

# The database is away; or it became a standby; or a migration changed what our prepared statements return.
# All of these are over with a new connection.
PASSING = (OperationalError, InterfaceError, InternalError, NotSupportedError)


@dataclass(slots=True, eq=False)
class HandlerEnd:
    """A handler's end: no ``result`` where it was not begun; a ``claim_result`` where all is recorded."""

    session: QueueSession
    message: Delivery
    result: HandlerResult | None
    claim_result: ClaimResult | None = None


class Execution(Protocol):
    """Runs the handlers of messages. ``apart``: in another process, so that none ends the consumer."""

    apart: ClassVar[bool]

    @property
    def running(self) -> int:
        """The number of messages that were given and have not come back."""
        ...

    def begin(self, session: QueueSession, messages: Sequence[Delivery], begin_by: float) -> None:
        """Take messages; what has not been begun by then (time.monotonic()) comes back."""
        ...

    def ended(self, timeout: float) -> list[HandlerEnd]:
        """Return what has come back; wait for one, at most ``timeout`` seconds."""
        ...

    def recall(self) -> None:
        """Let what has not been begun come back. A signal's handler may call this."""
        ...

    def descriptors(self) -> Sequence[int]:
        """The file numbers that are readable once something comes back; none while nothing runs."""
        ...


class Apart:
    """In the handlers' process, as many at once as it was started for."""

    apart: ClassVar[bool] = True

    def __init__(self) -> None:
        self._processes = handling.processes()
        self._running: dict[Delivery, tuple[QueueSession, StoredEvent]] = {}

    @property
    def running(self) -> int:
        return len(self._running)

    def begin(self, session: QueueSession, messages: Sequence[Delivery], begin_by: float) -> None:
        events = [(message, stored_event(message, session.known_as)) for message in messages]
        handling.begin_all(self._processes, events, begin_by)
        self._running.update((message, (session, event)) for message, event in events)

    def ended(self, timeout: float) -> list[HandlerEnd]:
        ended = []
        for one in self._processes.finished(timeout):
            session, event = self._running.pop(one.key)
            ended.append(HandlerEnd(session, one.key, handling.result_of(event, one) if one.begun else None))
        return ended

    def recall(self) -> None:
        self._processes.recall()

    def descriptors(self) -> Sequence[int]:
        return self._processes.descriptors() if self._running else ()


class InPlace:
    """Here, one after the other; if ``transactional``, each in the transaction that completes its message."""

    apart: ClassVar[bool] = False

    def __init__(self, transactional: bool, watch: AbstractContextManager[None]) -> None:
        self._transactional, self._watch = transactional, watch
        self._next: deque[tuple[QueueSession, Delivery, float]] = deque()
        self._recalled = False

    @property
    def running(self) -> int:
        return len(self._next)

    def begin(self, session: QueueSession, messages: Sequence[Delivery], begin_by: float) -> None:
        self._recalled = False
        self._next.extend((session, message, begin_by) for message in messages)

    def ended(self, timeout: float) -> list[HandlerEnd]:
        if not self._next:
            return []
        session, message, begin_by = self._next[0]
        if self._recalled or time.monotonic() > begin_by:
            ended = HandlerEnd(session, message, None)
        elif self._transactional:
            done = handle_and_complete(session.source, message, session.known_as, self._watch)
            ended = HandlerEnd(session, message, *done)
        else:
            ended = HandlerEnd(session, message, handle_message(message, session.known_as))
        self._next.popleft()
        return [ended]

    def recall(self) -> None:
        self._recalled = True

    def descriptors(self) -> Sequence[int]:
        return ()


def execution(transactional: bool, watch: AbstractContextManager[None]) -> Execution:
    """Return where this consumer's handlers run. Raises SetupError where they cannot be loaded."""
    return InPlace(transactional, watch) if transactional or not handling.is_isolated() else Apart()


def try_step(session: QueueSession, step: Callable[[QueueSession], object]) -> bool:
    """Run a step. Return its answer; False while the queue's system does not answer. Other queues go on."""
    try:
        return bool(step(session))
    except TransportUnavailable as error:
        log.warning("%s does not answer, trying again: %s", session.name, " ".join(str(error).split()))
        return False
