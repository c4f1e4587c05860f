"""Actions of people, declared once: pages and commands go by the same role and fields."""

import json
from argparse import SUPPRESS, ArgumentParser
from dataclasses import dataclass
from typing import Any, ClassVar

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.core.errors import EngineError
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.processing.inputs.arguments import add_flags, reason
from dlqconsole.processing.inputs.fields import Field, read_all
from dlqconsole.processing.texts import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAction:
    """An action of a person. ``help``: its words on the command line; ``fields``: the values it takes."""

    name: str
    help: str
    # the least role that may ask for it
    role: str = "operator"
    fields: tuple[Field, ...] = ()

    @property
    def changes(self) -> bool:
        """Tell whether it changes something: then it needs a reason, and the audit log has it."""
        return self.role != "viewer"


class ActionCommand(GatedCommand):
    """The base of a command with a verb for each action; without a verb it does the first one.

    A subclass has a method for each verb: ``_make_due`` for ``make-due``. ``self.caller`` is who asks;
    ``self.values`` are the given values of the action's fields.
    """

    actions: ClassVar[tuple[PersonAction, ...]]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.set_defaults(**{field.name: None for action in self.actions for field in action.fields})
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        add_token_option(parser)
        verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
        for action in self.actions:
            verb = verbs.add_parser(action.name, help=action.help, description=action.help.capitalize())
            # SUPPRESS: a --json before the verb must not be forgotten
            verb.add_argument("--json", action="store_true", default=SUPPRESS, help="as a JSON object")
            add_token_option(verb, of_verb=True)
            self.add_verb_arguments(verb, action)
            if action.changes:
                verb.add_argument(
                    "--because", type=reason, default="", metavar="WHY", help="why; kept in the audit log"
                )
            add_flags(verb, action.fields)

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        """Declare the arguments of a verb that are no fields: the name of a row, --yes."""

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"] or self.actions[0].name
        action = next(each for each in self.actions if each.name == verb)
        command = f"{self.command_name} {verb}"
        if action.changes and not options["because"].strip():
            raise CommandError(f'Say why: {command} … --because "the reason"', returncode=ASKED_WRONGLY)
        try:
            self.caller = caller(options, action.role, command if action.changes else "")
            flags = {name: value for name, value in options.items() if value is not None}
            self.values = read_all(action.fields, flags)
            self.check_allowed(action, options)
            getattr(self, f"_{verb.replace('-', '_')}")(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse what the caller may not ask for, beyond the role."""

    @property
    def command_name(self) -> str:
        """The name behind ``manage.py``."""
        return type(self).__module__.rpartition(".")[2]

    def who(self, options: dict[str, Any]) -> dict[str, str]:
        """The actor and the reason of a change."""
        return {"actor": self.caller.actor, "reason": options["because"].strip()}

    def say(self, options: dict[str, Any], sentence: str, **figures: Any) -> None:
        """Print a sentence, or the figures as one JSON object."""
        self.stdout.write(json.dumps(figures, default=str) if options["json"] else printable(sentence))
