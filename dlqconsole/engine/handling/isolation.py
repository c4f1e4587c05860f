"""Handlers in processes of their own, where that was switched on; else here.

Consumers and workers switch it on; whatever a handler then does to its process is a failure of its event.
"""

import os
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from dlqconsole.processing.isolation import CallResult, HandlerProcesses, ProcessLimits
from dlqconsole.processing.isolation.sending import failure_of

from . import sending
from .events import Handled, Stored, identify
from .in_process import handle_in_time, longest_seconds, registry

_ROOM = __package__
_own = threading.local()
_switched_on = False


def isolate() -> None:
    """From here on this process, and each fork of it, has handlers run in processes of their own.

    Unless DLQ_HANDLER_ISOLATION says no. They are started with the first event.
    """
    global _switched_on
    _switched_on = settings.DLQ_HANDLER_ISOLATION == "process"


@contextmanager
def isolated() -> Iterator[None]:
    """The same for a block, from its beginning to its end.

    At the start of a program, before a thread or a connection is there, this costs next to nothing.
    Raises HandlerSetupError.
    """
    global _switched_on
    registry()
    isolate()
    try:
        if _switched_on:
            processes()
        yield
    finally:
        _switched_on = False
        end_processes()


def is_isolated() -> bool:
    """Whether this process has handlers run in others."""
    return _switched_on


def processes(size: int = 1) -> HandlerProcesses:
    """This thread's processes, ``size`` of them at most: see ``begin`` and ``handled``.

    Raises SetupError when the handlers cannot be imported.
    """
    if getattr(_own, "pid", None) != os.getpid():
        _own.processes = HandlerProcesses(
            f"{_ROOM}.child:call",
            size,
            process_limits(),
            prepare=f"{_ROOM}.child:prepare",
            fork=_nothing_is_open(),
        )
        _own.pid = os.getpid()
    own: HandlerProcesses = _own.processes
    own.size = size
    return own


def handle(stored: Stored) -> Handled:
    """Decode one payload, find its handler and run it. Never raises for what an event may do."""
    if not _switched_on:
        return handle_in_time(stored)
    try:
        return handled(stored, _call(stored))
    except BaseException:  # whoever interrupts us does not wait for the handler
        end_processes()
        raise


def begin(own: HandlerProcesses, key: Hashable, stored: Stored) -> None:
    """Give an event to one of the processes that is idle."""
    own.begin(key, sending.to_send(stored), settings.DLQ_HANDLER_TIMEOUT)


def handled(stored: Stored, finished: CallResult) -> Handled:
    """What came of an event that was given to a process."""
    if finished.death is None:
        return sending.unpacked(finished.value)
    return Handled(identify(stored), failure_of(finished.death))


def _call(stored: Stored) -> CallResult:
    own = processes()
    begin(own, stored.key, stored)
    while not (done := own.finished(60.0)):
        pass
    return done[0]


def end_processes() -> None:
    """End this thread's processes, whatever they do. The next event starts new ones."""
    if getattr(_own, "pid", None) == os.getpid():
        _own.pid = None
        _own.processes.close()


def process_limits() -> ProcessLimits:
    """What a process of the handlers may take."""
    memory = settings.DLQ_HANDLER_MEMORY * 1024**2
    grace = longest_seconds() - settings.DLQ_HANDLER_TIMEOUT
    return ProcessLimits(memory, settings.DLQ_HANDLER_CALLS, memory // 2, grace)


def _nothing_is_open() -> bool:
    return all(connection.connection is None for connection in connections.all(initialized_only=True))
