"""The code of a handler's own process, where handlers may use Django's connections."""

from collections.abc import Sequence
from typing import Any

import django
from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from dlqconsole.core import read_only
from dlqconsole.core.handling import sending
from dlqconsole.core.handling.events import StoredEvent, Unhandled
from dlqconsole.core.handling.in_process import handle_in_process, registry
from dlqconsole.processing.isolation import bulk
from dlqconsole.processing.outcomes import Failed, Outcome

# filled once a handler has used the database: looking costs more than a quick handler
_aliases: list[str] = []
_INTERRUPTED = ("HandlerTimeout", "MemoryError")


def prepare() -> None:
    """Load the handlers once, before there are processes. Raises HandlerSetupError."""
    if not apps.ready:
        django.setup()
    registry()
    connections.close_all()
    connection_created.connect(_note_connection)


def prepare_rehearsal() -> None:
    """Prepare for rehearsals: each connection refuses writes by itself."""
    read_only.only_read()
    prepare()


def call(packet: tuple[Any, ...]) -> tuple[Any, ...]:
    """Handle one event. A handler may use the database: each process has connections of its own.

    Takes what ``sending.pack_event`` makes, and returns what ``sending.unpack`` reads.
    """
    result = handle_in_process(StoredEvent(*packet))
    if _aliases:
        _tidy_connections(result.outcome)
    return sending.pack(result)


def call_all(some: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Handle the first of these events, as many as a moment takes."""
    return bulk.each(call, some)


def nothing_is_open() -> bool:
    """Tell whether this process has no connection: a fork would share it."""
    return all(connection.connection is None for connection in connections.all(initialized_only=True))


def _note_connection(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    _aliases.append(connection.alias)


def _tidy_connections(outcome: Outcome | Unhandled) -> None:
    """Close connections that an interrupted handler left open, or that broke since."""
    is_interrupted = isinstance(outcome, Failed) and outcome.error_class in _INTERRUPTED
    for connection in connections.all(initialized_only=True):
        if is_interrupted or connection.in_atomic_block:
            connection.close()
            del connections[connection.alias]
        else:
            connection.close_if_unusable_or_obsolete()
