"""Runs a handler only to see what it would do: nothing of it is kept, and its databases are read only.

In processes of their own where handlers have such: what a rehearsed handler remembers, the one that works
must not find. They keep the limits that handlers have.
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.conf import settings

from dlqconsole.contrib.rehearsals import read_only
from dlqconsole.contrib.rehearsals.attempt import rehearse_event
from dlqconsole.core import handling
from dlqconsole.core.handling import HandlerResult, StoredEvent, child
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.isolation import HandlerProcesses

_CHILD = f"{__package__}.attempt"
_own = threading.local()


def rehearse(raw_event: StoredEvent) -> HandlerResult:
    """Return what its handler would do. Never raises for what an event may do.

    Its outcome is NotRehearsed where the handler does not say that it can be.
    """
    if handling.is_isolated():
        return rehearse_all([raw_event])[0]
    with _only_reading():
        return handling.handle_in_time(raw_event, rehearse_event)


def rehearse_all(some: Sequence[StoredEvent]) -> list[HandlerResult]:
    """Rehearse several events, in their order; in processes of their own, several go there together."""
    if not handling.is_isolated():
        return [rehearse(raw_event) for raw_event in some]
    try:
        packets = [child.pack_event(raw_event) for raw_event in some]
        answers = _processes().run_all(packets, settings.DLQ_HANDLER_TIMEOUT)
        return [
            handling.result_of(raw_event, answer) for raw_event, answer in zip(some, answers, strict=True)
        ]
    except BaseException:  # whoever interrupts us does not wait for the handler
        end_rehearsals()
        raise


def rehearsal_processes(
    environment: Mapping[str, str] | None = None, folders: Sequence[str] = ()
) -> HandlerProcesses:
    """Processes in which handlers are rehearsed, perhaps of another version: with other settings, and modules
    from other folders. Raises SetupError where the handlers cannot be imported."""
    return HandlerProcesses(
        f"{_CHILD}:call",
        1,
        handling.process_limits(),
        f"{_CHILD}:prepare",
        environment={"PGOPTIONS": read_only.options(), "DLQ_HANDLERS": settings.DLQ_HANDLERS}
        | dict(environment or {}),
        folders=folders,
    )


def end_rehearsals(idle_seconds: float = 0.0) -> None:
    """End this thread's processes, if they have had nothing to do for so long.

    The next rehearsal starts new ones, with the handlers as they are then.
    """
    if getattr(_own, "pid", None) == os.getpid() and time.monotonic() - _own.used_at >= idle_seconds:
        _own.pid = None
        _own.processes.close()


def _processes() -> HandlerProcesses:
    if getattr(_own, "pid", None) != os.getpid():
        _own.processes = rehearsal_processes()
        _own.pid = os.getpid()
    _own.used_at = time.monotonic()
    own: HandlerProcesses = _own.processes
    return own


@contextmanager
def _only_reading() -> Iterator[None]:
    """Run a handler in this process, on its connection, and keep nothing of it."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        try:
            yield
        finally:
            transaction.set_rollback(True)
