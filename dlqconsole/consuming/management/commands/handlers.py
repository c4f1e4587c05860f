"""manage.py handlers: the event types that have a handler in DLQ_HANDLERS."""

from argparse import ArgumentParser
from collections.abc import Collection
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError
from dlqconsole.core.handling import registry
from dlqconsole.engine.access_scope import ALL, current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.database.error_line import error_line, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.errors import SetupError


class Command(GatedCommand):
    help = (
        "Import the modules of DLQ_HANDLERS and list the event types that have a handler; 2: they cannot be."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            # the database is asked only about a token
            caller(options, "viewer")
            types = registry().event_types
            names = _within_scope(types) if current_access().is_limited else types
        except SetupError as error:
            raise CommandError(error_line(error), returncode=2) from error
        except (EngineError, DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        nothing = "None lies within your scope" if types else "DLQ_HANDLERS is not set: nothing is handled"
        self.stdout.write("\n".join(names) or nothing)


def _within_scope(types: Collection[str]) -> list[str]:
    """Return the types of which somebody sees all, or a failed event."""
    failed_types = summaries.event_types(limit=10_000)
    return [name for name in types if current_access().sees(ALL, name) or name in failed_types]
