"""manage.py release_sign_in NAME --because WHY: let somebody in whose account strangers guess at."""

import getpass
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from dlqconsole.console.access import throttle
from dlqconsole.console.access.backend import counted_as
from dlqconsole.engine import audit
from dlqconsole.processing.texts import printable


class Command(BaseCommand):
    help = "Forget the wrong passwords of an account, wherever they were typed; audited."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account")
        parser.add_argument("--because", required=True, help="why, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        name, reason = options["name"], options["because"].strip()
        if not reason:
            raise CommandError('Say why: release_sign_in NAME --because "the reason"', returncode=2)
        account = User.objects.filter(username=name).first() if "\0" not in name else None
        if account is None:
            raise CommandError(f"There is no account {printable(name)!r}.")
        with transaction.atomic():
            counts = throttle.release(counted_as(name))
            audit.record(_actor(), "release sign-in", f"account:{account.pk}", reason=reason)
        self.stdout.write(f"{printable(name)} may try again at once; {counts} counts are forgotten.")


def _actor() -> str:
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "cli:unknown"
