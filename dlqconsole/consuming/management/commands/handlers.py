"""manage.py handlers: for which event types DLQ_HANDLERS declares handlers."""

from typing import Any

from django.core.management.base import CommandError

from dlqconsole.engine.database.error_line import error_line
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.engine.handling import registry
from dlqconsole.processing.errors import SetupError


class Command(GatedCommand):
    help = (
        "Import the modules of DLQ_HANDLERS and list the event types that have a handler; 2: they cannot be."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            types = registry().event_types
        except SetupError as error:
            raise CommandError(error_line(error), returncode=2) from error
        self.stdout.write("\n".join(types) or "DLQ_HANDLERS is not set: nothing is handled")
