"""Where a run's handlers work: each in a process of its own, or one after the other in this one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from dlqconsole.engine import handling
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.engine.handling import HandlerResult, StoredEvent


@dataclass(frozen=True, slots=True)
class Done:
    """What came of the handler of a claimed dead letter."""

    id: int
    handled: HandlerResult


class Executor(Protocol):
    """So many handlers at once. ``blocking``: nothing else is done while one runs."""

    size: int
    blocking: bool

    @property
    def idle(self) -> int:
        """How many can begin now."""
        ...

    def begin(self, claim: Claim) -> None:
        """Begin one; only where something is idle."""
        ...

    def finished(self, timeout: float) -> Sequence[Done]:
        """What has ended; waits for one of them, so many seconds at most."""
        ...

    def close(self) -> None:
        """End all, also what runs."""
        ...


class InlineExecutor:
    """In this process, one at a time: for a process that has not switched isolation on."""

    size, blocking = 1, True

    def __init__(self) -> None:
        self._next: Claim | None = None

    @property
    def idle(self) -> int:
        return int(self._next is None)

    def begin(self, claim: Claim) -> None:
        self._next = claim

    def finished(self, timeout: float) -> list[Done]:
        claim, self._next = self._next, None
        return [] if claim is None else [Done(claim.id, dead_letters.handle_claim(claim))]

    def close(self) -> None:
        self._next = None


class ProcessExecutor:
    """Each in a process of its own: whatever one does to its process is its own failure, and nobody waits."""

    blocking = False

    def __init__(self, size: int) -> None:
        self.size = size
        self._processes = handling.processes(size)
        self._running: dict[int, StoredEvent] = {}

    @property
    def idle(self) -> int:
        return self._processes.idle

    def begin(self, claim: Claim) -> None:
        stored = dead_letters.stored_event(claim)
        handling.begin(self._processes, claim.id, stored)
        self._running[claim.id] = stored

    def finished(self, timeout: float) -> list[Done]:
        done = self._processes.finished(timeout)
        return [Done(one.key, handling.result_of(self._running.pop(one.key), one)) for one in done]

    def close(self) -> None:
        """The processes stay for the next run, unless something runs in them."""
        if self._running:
            handling.end_processes()
        self._running.clear()


def executor() -> Executor:
    """The executor of this process. Raises SetupError where the handlers cannot be loaded."""
    return ProcessExecutor(settings.DLQ_RETRY_PARALLEL) if handling.is_isolated() else InlineExecutor()
