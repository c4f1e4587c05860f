"""The code of a handler's own process, where handlers may use Django's connections."""

from collections.abc import Sequence
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from dlqconsole.core.handling import child
from dlqconsole.core.handling.events import StoredEvent, Unhandled
from dlqconsole.core.handling.in_process import (
    AsyncHandling,
    BatchHandling,
    Run,
    begin_in_process,
    handle_in_process,
    registry,
    run_batch,
)
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


def call(packet: tuple[Any, ...]) -> Any:
    """Handle one event. A handler may use the database: each process has connections of its own.

    Takes what ``sending.pack_event`` makes. Returns a ``sending.reply``, or how to come by it.
    """
    match result := begin_in_process(StoredEvent(*packet)):
        case AsyncHandling():
            return _reply(result)
        case BatchHandling():
            return child.joint(result, _replies)
    if _aliases:
        _tidy_connections(result.outcome)
    return child.reply(result)


def answer(packet: tuple[Any, ...], run: Run) -> tuple[Any, ...]:
    """Handle one event in another way. Return what ``sending.unpack`` reads."""
    result = handle_in_process(StoredEvent(*packet), run)
    if _aliases:
        _tidy_connections(result.outcome)
    return child.pack(result)


def nothing_is_open() -> bool:
    """Tell whether this process has no connection: a fork would share it."""
    return all(connection.connection is None for connection in connections.all(initialized_only=True))


def _replies(handlings: Sequence[BatchHandling]) -> list[Any]:
    results = run_batch(handlings)
    for outcome in [result.outcome for result in results] if _aliases else ():
        _tidy_connections(outcome)
    return [child.reply(result) for result in results]


async def _reply(handling: AsyncHandling) -> Any:
    result = await handling.result()
    if _aliases:  # the ORM works in a thread of its own there
        await sync_to_async(_tidy_connections)(result.outcome)
    return child.reply(result)


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
