"""manage.py move <system>:jobs orders: move a live table of another program to a queue of ours."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError, InvalidQueue, UnknownQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import reason
from dlqconsole.processing.texts import printable
from dlqconsole.transports import attachments, registry
from dlqconsole.transports.source import Source


class Command(GatedCommand):
    help = "Move the messages of an attached table, whose consumers may run, to a queue of ours."

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="TABLE", help="the attached table")
        parser.add_argument("to", metavar="QUEUE", help="the queue of ours")
        parser.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["because"].strip():
            raise CommandError('Say why: move … --because "the reason"', returncode=ASKED_WRONGLY)
        try:
            self._move(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _move(self, options: dict[str, Any]) -> None:
        who = caller(options, "admin", "move")
        name, to = registry.full_name(options["name"]), options["to"]
        for queue in (name, to):
            if not current_access().sees_queue(queue):
                raise UnknownQueue(f"The queue {printable(queue[:60])} lies outside your scope.")
        source, table = registry.transport_of(attachments.find_attached(name).name)
        if not (isinstance(source, Source) and source.moves):
            raise InvalidQueue(f"A table of another program can be moved, and {name[:60]!r} is none.")
        count = source.move(table, to, actor=who.actor, reason=options["because"].strip())
        left = source.metrics(table)
        rest = left.visible + left.in_flight + left.scheduled
        more = f" {rest:,} are left, held by its consumers or for later: move again." if rest else ""
        self.stdout.write(printable(f"{count:,} messages are on {to} now.{more}"))
