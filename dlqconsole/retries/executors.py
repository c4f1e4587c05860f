"""Executors of a run's handlers: each in a process of its own, or one after the other in this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import transitions as dead_letters
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.handling import HandlerResult, StoredEvent


@dataclass(frozen=True, slots=True)
class FinishedClaim:
    """The outcome of the handler of a claimed dead letter."""

    id: int
    handled: HandlerResult


class Executor(Protocol):
    """Runs ``size`` handlers at once. ``blocking``: the loop does nothing else while one runs."""

    size: int
    blocking: bool

    @property
    def idle(self) -> int:
        """The number of handlers that can begin now."""
        ...

    def begin(self, claim: Claim) -> None:
        """Begin a handler; only if one is idle."""
        ...

    def finished(self, timeout: float) -> Sequence[FinishedClaim]:
        """Return the handlers that have ended; wait for one, at most ``timeout`` seconds."""
        ...

    def close(self) -> None:
        """End all handlers, also running ones."""
        ...


class InlineExecutor:
    """Runs handlers in this process, one at a time, without isolation."""

    size, blocking = 1, True

    def __init__(self) -> None:
        self._next: Claim | None = None

    @property
    def idle(self) -> int:
        return int(self._next is None)

    def begin(self, claim: Claim) -> None:
        self._next = claim

    def finished(self, timeout: float) -> list[FinishedClaim]:
        claim, self._next = self._next, None
        return [] if claim is None else [FinishedClaim(claim.id, dead_letters.handle_claim(claim))]

    def close(self) -> None:
        self._next = None


class ProcessExecutor:
    """Runs each handler in a process of its own: a crash is the handler's own failure and delays no other."""

    blocking = False

    def __init__(self, size: int) -> None:
        self.size = size
        self._processes = handling.processes(size)
        self._running: dict[int, StoredEvent] = {}

    @property
    def idle(self) -> int:
        return self._processes.idle

    def begin(self, claim: Claim) -> None:
        event = dead_letters.stored_event(claim)
        handling.begin(self._processes, claim.id, event)
        self._running[claim.id] = event

    def finished(self, timeout: float) -> list[FinishedClaim]:
        outcomes = self._processes.finished(timeout)
        return [
            FinishedClaim(one.key, handling.result_of(self._running.pop(one.key), one)) for one in outcomes
        ]

    def close(self) -> None:
        """Keep the processes for the next run, unless a handler runs in one."""
        if self._running:
            handling.end_processes()
        self._running.clear()


def executor() -> Executor:
    """The executor of this process. Raises SetupError where the handlers cannot be loaded.

    Without a handler there is nothing to isolate: a run then only revives.
    """
    if handling.is_isolated() and handling.registry().event_types:
        return ProcessExecutor(settings.DLQ_RETRY_PARALLEL)
    return InlineExecutor()
