"""manage.py breakers: list the breakers that are not closed; hold one, or release it."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from dlqconsole.console.parts.breakers import visible_breakers
from dlqconsole.console.schedules.actions import BREAKER_ACTIONS, HOLD_BREAKER
from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.gate import shown
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.people.names import named
from dlqconsole.processing.inputs.times import read_wait
from dlqconsole.processing.texts import printable
from dlqconsole.retries.clock import database_now


class Command(ActionCommand):
    help = "List the breakers that are not closed; hold one open or closed for a while, or resume it."
    actions = BREAKER_ACTIONS

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action.changes:
            parser.add_argument("key", metavar="KEY", help="type:order.created, or dependency:billing")
        if action is HOLD_BREAKER:
            parser.add_argument("held", choices=["open", "closed"])
            parser.add_argument("--for", dest="length", required=True, metavar="TIME", help="90m, 6h, 2d")

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse a change to a caller who is limited."""
        if action.changes:
            self.caller.check_unlimited("A breaker concerns every queue")

    def _list(self, options: dict[str, Any]) -> None:
        states = visible_breakers()
        for state in states:
            self.stdout.write(_json(state) if options["json"] else printable(_line(state)))
        if not states and not options["json"]:
            self.stdout.write("All are closed: handlers run as events come.")

    def _hold(self, options: dict[str, Any]) -> None:
        until = database_now() + timedelta(seconds=read_wait(options["length"], "--for"))
        key, held, who = options["key"], options["held"], self.who(options)
        breakers.hold(key, held, until, who["actor"], who["reason"])
        self.say(options, f"{key} is held {held} until {until:%Y-%m-%d %H:%M:%S} UTC.", held=held)

    def _resume(self, options: dict[str, Any]) -> None:
        key, who = options["key"], self.who(options)
        effect = breakers.resume(key, who["actor"], who["reason"])
        state = "closed: its handlers run again" if effect else "was closed already"
        self.say(options, f"{key} {'is ' if effect else ''}{state}.", changed=effect)


def _line(state: State) -> str:
    since = f"{state.since:%Y-%m-%d %H:%M:%S} UTC"
    prefix = "held " if state.held else ""
    return f"{state.key}  {prefix}{state.effective}  {since}  {named(breakers.describe(state))}"


def _json(state: State) -> str:
    texts = {name: shown(getattr(state, name)) for name in ("reason", "held_reason", "told_by")}
    row = asdict(state) | texts
    return json.dumps(row, default=str)
