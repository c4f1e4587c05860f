"""manage.py token USER: make a first token where there is no browser. It approves nothing."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand, Shown
from dlqconsole.people import tokens
from dlqconsole.people.command_line import machine_user
from dlqconsole.people.roles import may, role_of
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.arguments import add_flags
from dlqconsole.processing.inputs.fields import read_all
from dlqconsole.processing.inputs.plain_text import check_text
from dlqconsole.processing.texts import printable

_FIELDS = (tokens.LABEL, tokens.DAYS, tokens.SCOPE)
_DOES = {tokens.PERSON: "do anything here", tokens.REPORT: "report: operators may"}


class Command(GatedCommand):
    help = (
        "Print a personal token for somebody, once. It acts as that person, but neither approves nor asks for"
        " what needs approval: for that they make one in the console, signed in. With --scope report it only"
        " reports failures over HTTP."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER", help="the name of the account")
        add_flags(parser, _FIELDS)
        parser.set_defaults(label="made on the command line", days=30, scope=tokens.PERSON)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(Shown(_make(options)))  # this once
        except (InvalidInput, ValueError) as error:
            raise CommandError(str(error), returncode=2) from error
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        self.stderr.write("It is shown this once. Keep it in a file that only its person can read.")


def _make(options: dict[str, Any]) -> str:
    values = read_all(_FIELDS, options)
    check_text(options["user"], "The name", 150)
    people = get_user_model()
    user = people.objects.filter(**{people.USERNAME_FIELD: options["user"]}).first()
    if user is None or not may(role_of(user.pk), tokens.LEAST_ROLES[values["scope"]]):
        raise CommandError(f"There is no {printable(options['user'])} who may {_DOES[values['scope']]}.")
    return tokens.make(user.pk, values["label"], values["days"], machine_user(), values["scope"])[1]
