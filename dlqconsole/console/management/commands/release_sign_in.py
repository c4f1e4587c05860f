"""manage.py release_sign_in NAME --because WHY: unlock an account whose password strangers guess at."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from dlqconsole.console.access import throttle
from dlqconsole.console.access.backend import throttle_name
from dlqconsole.engine import audit
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import transaction
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.tokens import TokenRefused
from dlqconsole.processing.inputs.arguments import reason
from dlqconsole.processing.texts import printable


class Command(GatedCommand):
    help = "Forget the wrong passwords of an account, wherever they were typed; audited."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account")
        parser.add_argument("--because", type=reason, required=True, help="why, for the audit log")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        name, reason = options["name"], options["because"].strip()
        if not reason:
            raise CommandError('Say why: release_sign_in NAME --because "the reason"', returncode=2)
        try:
            admin = caller(options, "admin", "release_sign_in")
            admin.check_unlimited("Accounts are for who sees everything")
        except TokenRefused as problem:
            raise CommandError(str(problem)) from problem
        account = User.objects.filter(username=name).first() if "\0" not in name else None
        if account is None:
            raise CommandError(f"There is no account {printable(name)!r}.")
        with transaction.atomic():
            counts = throttle.release(throttle_name(name))
            audit.record(admin.actor, "release sign-in", f"account:{account.pk}", reason=reason)
        self.stdout.write(f"{printable(name)} may try again at once; {counts} counts are forgotten.")
