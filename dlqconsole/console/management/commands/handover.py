"""manage.py handover: what the next person on call has to know, as the page says it."""

import json
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dlqconsole.console.handover import digest
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.tokens import TokenRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.times import read_wait
from dlqconsole.processing.texts import printable
from dlqconsole.retries.clock import database_now


class Command(GatedCommand):
    help = "Print what burns, who has what, what is held, and what was done since the shift began."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--since", default="8h", metavar="TIME", help="when it began: 90m, 8h, 3d ago")
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            caller(options, "viewer")
            seconds = read_wait(options["since"], "--since")
        except (TokenRefused, InvalidInput) as problem:
            raise CommandError(str(problem)) from problem
        for section in digest(database_now() - timedelta(seconds=seconds)):
            lines = [line.words for line in section.lines]
            if options["json"]:
                self.stdout.write(json.dumps({"section": section.title, "lines": lines}, default=str))
            else:
                texts = [section.title, *(f"  {text}" for text in lines or [section.nothing])]
                self.stdout.write("\n".join(map(printable, texts)))
