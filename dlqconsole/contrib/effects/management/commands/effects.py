"""manage.py effects: list effects of which nobody knows whether they were done, and say how they ended."""

from argparse import ArgumentParser
from typing import Any

from dlqconsole.contrib.effects import ledger
from dlqconsole.contrib.effects.ledger import ACTIONS, LIST, NoSuchEffect
from dlqconsole.contrib.effects.models import Effect
from dlqconsole.engine.access_scope import current_access
from dlqconsole.people.actions import ActionCommand, PersonAction

SHOWN = 200


class Command(ActionCommand):
    help = "List effects of which nobody knows whether they were done, and say how they ended."
    actions = ACTIONS

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action is not LIST:
            parser.add_argument("effect", metavar="NAME", help="its name, as stripe.charge")
            parser.add_argument("key", metavar="KEY")

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse everything to a caller with a limited scope: an effect has no event type."""
        if current_access().is_limited:
            raise NoSuchEffect("Effects are for people whose view is not limited.")

    def _list(self, options: dict[str, Any]) -> None:
        rows = Effect.objects.filter(done_at=None).order_by("begun_at")[:SHOWN]
        for row in rows:
            facts = {name: getattr(row, name) for name in ("name", "key", "source", "source_key", "begun_at")}
            begun = f"{row.begun_at:%Y-%m-%d %H:%M:%S} UTC"
            self.say(options, f"{begun}  {row.name}  {row.key}  of {row.source} {row.source_key}", **facts)
        if not rows and not options["json"]:
            self.stdout.write("No effect is unknown.")

    def _done(self, options: dict[str, Any]) -> None:
        self._settle(options, was_done=True)

    def _not_done(self, options: dict[str, Any]) -> None:
        self._settle(options, was_done=False)

    def _settle(self, options: dict[str, Any], *, was_done: bool) -> None:
        ledger.settle(options["effect"], options["key"], was_done=was_done, **self.who(options))
        then = "is noted as done" if was_done else "is forgotten: who comes next does it"
        self.say(options, f"{options['effect']} {options['key']} {then}.", done=was_done)
