"""manage.py first_administrator: the account with which a new console begins. `dlqconsole up` runs it."""

import os
import secrets
import sys
from argparse import ArgumentParser
from getpass import getpass
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from dlqconsole.engine.gate import GatedCommand

ROLE = "admin"


class Command(GatedCommand):
    help = "Make the first administrator, unless there is one already. Asks in a terminal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--password-file",
            type=Path,
            required=True,
            metavar="FILE",
            help="takes a random password where nobody is there to choose one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if get_user_model().objects.filter(is_superuser=True, is_active=True).exists():
            return
        name = os.environ.get("DLQ_ADMIN") or ROLE
        if password := os.environ.get("DLQ_ADMIN_PASSWORD"):
            self._make(name, password)
        elif sys.stdin.isatty():
            self._make(*self._ask(name))
        else:
            password = secrets.token_urlsafe(12)
            _keep(options["password_file"], password)
            self._make(name, password)
            self.stdout.write(
                f"Its password is in {options['password_file']}. Change it, then remove the file."
            )

    def _make(self, name: str, password: str) -> None:
        users = get_user_model()
        _check(password, name)
        with transaction.atomic():
            if users.objects.filter(**{users.USERNAME_FIELD: name}).exists():
                raise CommandError(
                    f"There is a {name} who is no administrator: set DLQ_ADMIN to another name."
                )
            user = users.objects.create_superuser(name, password=password)
            user.groups.add(Group.objects.get_or_create(name=ROLE)[0])
        self.stdout.write(f"The first administrator is {name}.")

    def _ask(self, proposal: str) -> tuple[str, str]:
        self.stdout.write("There is no administrator yet.")
        name = input(f"Name [{proposal}]: ").strip() or proposal
        while True:
            password = getpass("Password, 12 characters or more: ")
            try:
                _check(password, name)
            except CommandError as refusal:
                self.stderr.write(str(refusal))
                continue
            if getpass("Once more: ") == password:
                return name, password
            self.stderr.write("The two are not the same.")


def _check(password: str, name: str) -> None:
    try:
        validate_password(password, get_user_model()(username=name))
    except ValidationError as error:
        raise CommandError(" ".join(error.messages), returncode=2) from None


def _keep(file: Path, password: str) -> None:
    """Write the password for its owner alone: a log would keep it for many."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(f"{password}\n")
