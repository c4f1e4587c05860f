"""manage.py breakers: list the breakers that are not closed; hold one, or let it go on."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.parts.breakers import visible_breakers
from dlqconsole.core.errors import EngineError
from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import shown
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.names import named
from dlqconsole.processing.inputs.arguments import reason
from dlqconsole.processing.inputs.durations import read_wait
from dlqconsole.processing.texts import printable
from dlqconsole.retries.clock import database_now

USAGE = 2


class Command(GatedCommand):
    help = "List the breakers that are not closed; hold one open or closed for a while, or resume it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_token_option(parser)
        verbs = parser.add_subparsers(dest="verb", metavar="VERB")
        self._verb(verbs.add_parser("list", help="those that are not closed, or that somebody holds"))
        hold = verbs.add_parser("hold", help="keep one open (no handler runs) or closed (they run)")
        hold.add_argument("key", metavar="KEY", help="type:order.created, or dependency:billing")
        hold.add_argument("held", choices=["open", "closed"])
        hold.add_argument("--for", dest="length", required=True, metavar="TIME", help="90m, 6h, 2d")
        resume = verbs.add_parser("resume", help="close one, and hold it no more")
        resume.add_argument("key", metavar="KEY")
        for verb in (hold, resume):
            verb.add_argument(
                "--because", type=reason, required=True, metavar="WHY", help="for the audit log"
            )
            self._verb(verb)

    def _verb(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        add_token_option(parser, of_verb=True)

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"] or "list"
        options.setdefault("json", False)
        if "because" in options and not options["because"].strip():
            raise CommandError(f'Say why: breakers {verb} KEY --because "the reason"', returncode=USAGE)
        try:
            reads = verb == "list"
            self.caller = caller(
                options, "viewer" if reads else "operator", "" if reads else f"breakers {verb}"
            )
            if not reads:
                self.caller.check_unlimited("A breaker concerns every queue")
            getattr(self, "_" + verb)(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _list(self, options: dict[str, Any]) -> None:
        states = visible_breakers()
        for state in states:
            self.stdout.write(_json(state) if options["json"] else printable(_line(state)))
        if not states and not options["json"]:
            self.stdout.write("All are closed: handlers run as events come.")

    def _hold(self, options: dict[str, Any]) -> None:
        until = database_now() + timedelta(seconds=read_wait(options["length"], "--for"))
        because = options["because"].strip()
        breakers.hold(options["key"], options["held"], until, self.caller.actor, because)
        sentence = f"{options['key']} is held {options['held']} until {until:%Y-%m-%d %H:%M:%S} UTC."
        self.stdout.write(json.dumps({"held": options["held"]}) if options["json"] else printable(sentence))

    def _resume(self, options: dict[str, Any]) -> None:
        effect = breakers.resume(options["key"], self.caller.actor, options["because"].strip())
        text = f"{options['key']} {'is closed: its handlers run again' if effect else 'was closed already'}."
        self.stdout.write(json.dumps({"changed": effect}) if options["json"] else printable(text))


def _line(state: State) -> str:
    since = f"{state.since:%Y-%m-%d %H:%M:%S} UTC"
    prefix = "held " if state.held else ""
    return f"{state.key}  {prefix}{state.effective}  {since}  {named(breakers.describe(state))}"


def _json(state: State) -> str:
    texts = {name: shown(getattr(state, name)) for name in ("reason", "held_reason", "told_by")}
    row = asdict(state) | texts
    return json.dumps(row, default=str)
