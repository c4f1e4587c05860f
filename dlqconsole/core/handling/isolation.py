"""Handlers in processes of their own, where that was switched on; else in this one.

Consumers and workers switch it on; whatever a handler then does to its process is a failure of its event.
"""

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

from dlqconsole.core.host import is_lent
from dlqconsole.core.settings import settings
from dlqconsole.processing.isolation import Call, CallResult, HandlerProcesses, ProcessLimits, grace_of
from dlqconsole.processing.isolation.deaths import failure_of

from . import child
from .events import HandlerResult, StoredEvent, identify
from .in_process import handle_in_time, registry, seconds_for

# the module of the processes, with ``prepare`` and ``call``; and whether they may be forked from this process
_child = f"{__package__}.child"
_may_fork: Callable[[], bool] = lambda: not is_lent()  # noqa: E731
_own = threading.local()
_switched_on = False
# how many plain functions, and how many async ones, each process runs at once
_threads, _tasks = 1, 1


def children_are(module: str, may_fork: Callable[[], bool]) -> None:
    """Run handlers' processes by a host's own module from here on. ``may_fork``: nothing is open here now."""
    global _child, _may_fork
    _child, _may_fork = module, may_fork


def isolate() -> None:
    """Let this process, and each fork of it, run handlers in processes of their own from here on.

    Unless DLQ_HANDLER_ISOLATION says no. They are started with the first event.
    """
    global _switched_on
    _switched_on = settings.DLQ_HANDLER_ISOLATION == "process"


@contextmanager
def isolated(threads: int = 1, tasks: int = 1) -> Iterator[None]:
    """Isolate handlers in a block, from its beginning to its end.

    Each process runs so many plain functions at once in ``threads``, and so many async ones as ``tasks``. At
    the start of a program, before a thread or a connection is there, this costs next to nothing. Raises
    HandlerSetupError.
    """
    global _switched_on, _threads, _tasks
    registry()
    _threads, _tasks = threads, tasks
    isolate()
    try:
        if _switched_on:
            processes()
        yield
    finally:
        _switched_on = False
        _threads, _tasks = 1, 1
        end_processes()


def is_isolated() -> bool:
    """Tell whether this process runs handlers in others."""
    return _switched_on


def processes(size: int = 1) -> HandlerProcesses:
    """Return this thread's processes, ``size`` of them at most: see ``begin`` and ``result_of``.

    Raises SetupError when the handlers cannot be imported.
    """
    if getattr(_own, "pid", None) != os.getpid():
        _own.processes = HandlerProcesses(
            f"{_child}:call",
            size,
            process_limits(_threads, _tasks),
            prepare=f"{_child}:prepare",
            fork=_may_fork(),
        )
        _own.pid = os.getpid()
    own: HandlerProcesses = _own.processes
    own.size = size
    return own


def handle(raw_event: StoredEvent) -> HandlerResult:
    """Decode one payload, find its handler and run it. Never raises for what an event may do."""
    if not _switched_on:
        return handle_in_time(raw_event)
    try:
        packet = child.pack_event(raw_event)
        return result_of(raw_event, processes().run(raw_event.key, packet, seconds_for(raw_event)))
    except BaseException:  # whoever interrupts us does not wait for the handler
        end_processes()
        raise


def handle_all(raw_events: Sequence[StoredEvent]) -> list[HandlerResult]:
    """Do the same with several: batch handlers have them together, where they have a process of their own."""
    if not _switched_on:
        return [handle_in_time(raw_event) for raw_event in raw_events]
    try:
        packets = [child.pack_event(raw_event) for raw_event in raw_events]
        seconds = [seconds_for(raw_event) for raw_event in raw_events]
        answers = processes().run_all(packets, seconds, len(packets))
        return [result_of(raw_event, one) for raw_event, one in zip(raw_events, answers, strict=True)]
    except BaseException:
        end_processes()
        raise


def begin(own: HandlerProcesses, key: Hashable, raw_event: StoredEvent) -> None:
    """Give an event to one of the processes that is idle."""
    own.begin(key, child.pack_event(raw_event), seconds_for(raw_event))


def begin_all(own: HandlerProcesses, events: Sequence[tuple[Hashable, StoredEvent]], begin_by: float) -> None:
    """Give events to one process, in one write. What is not begun by then (time.monotonic()) comes back."""
    own.begin_all(
        [
            Call(key, child.pack_event(event), seconds_for(event), begin_by, comes_back=True)
            for key, event in events
        ]
    )


def result_of(raw_event: StoredEvent, answer: CallResult) -> HandlerResult:
    """Return the result of an event that was given to a process."""
    if answer.death is None:
        return child.unpack(answer.value)
    return HandlerResult(identify(raw_event), failure_of(answer.death))


def end_processes() -> None:
    """End this thread's processes, whatever they do. The next event starts new ones."""
    if getattr(_own, "pid", None) == os.getpid():
        _own.pid = None
        _own.processes.close()


def process_limits(threads: int = 1, tasks: int = 1) -> ProcessLimits:
    """Return the limits of a handler's process."""
    memory = settings.DLQ_HANDLER_MEMORY * 1024**2
    grace = grace_of(settings.DLQ_HANDLER_TIMEOUT)
    return ProcessLimits(memory, grace, threads, tasks, registry().largest_batch)
