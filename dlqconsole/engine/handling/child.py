"""What runs in a process of the handlers': see ``processing.isolation``."""

import django
from django.apps import apps
from django.conf import settings
from django.db import close_old_connections, connections

from dlqconsole.processing.isolation.sending import as_sent
from dlqconsole.processing.outcomes import Failed, Outcome

from .events import Handled, Stored, Unhandled
from .here import handle_here, registry

_INTERRUPTED = ("HandlerTimeout", "MemoryError")


def prepare() -> None:
    """Once, before there are processes: load the handlers. Raises HandlerSetupError."""
    if not apps.ready:
        django.setup()
    registry()
    connections.close_all()


def call(stored: Stored) -> Handled:
    """Handle one event. A handler may use the database: each process has connections of its own."""
    close_old_connections()
    handled = handle_here(stored)
    _leave_no_transaction(handled.outcome)
    if isinstance(handled.outcome, Unhandled):
        return handled
    return Handled(handled.identity, as_sent(handled.outcome, settings.DLQ_HANDLER_MEMORY * 1024**2))


def _leave_no_transaction(outcome: Outcome | Unhandled) -> None:
    """The next handler must not find what an interrupted one has left in a connection."""
    interrupted = isinstance(outcome, Failed) and outcome.error_class in _INTERRUPTED
    for connection in connections.all(initialized_only=True):
        if interrupted or connection.in_atomic_block:
            connection.close()
            del connections[connection.alias]
