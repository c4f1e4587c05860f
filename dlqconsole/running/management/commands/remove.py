"""manage.py remove: take dlqconsole out of a database again. What is there goes to files first."""

import os
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError
from psycopg import errors

from dlqconsole.engine import audit, known_handlers
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.database.sessions import long_statements
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.tokens import TokenRefused
from dlqconsole.running import removal

REPORT, NOTHING = "removed.txt", "Nothing was dropped."


class Command(GatedCommand):
    help = "Export what is there as JSON Lines, then drop every table and function of dlqconsole."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--to", type=Path, required=True, metavar="FOLDER", help="a new folder for the files"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask for the name of the database")
        parser.add_argument("--force", action="store_true", help="even while workers or consumers run")
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["to"]
        try:
            admin = caller(options, "admin", "remove")
            admin.check_unlimited("Only who sees everything removes everything")
            self._check(folder, options)
            with long_statements(), transaction.atomic():
                removal.keep_others_out()
                audit.record(admin.actor, "remove", f"database:{_database()}")
                rows = removal.export(folder)
                left = removal.drop()
        except TokenRefused as problem:
            raise CommandError(str(problem)) from problem
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror}. {NOTHING}") from None
        except DatabaseError as error:
            raise _refusal(error) from error
        self._report(folder, rows, left, admin.actor)

    def _check(self, folder: Path, options: dict[str, Any]) -> None:
        if folder.exists():
            raise CommandError(f"{folder} is there already: name a new folder.", returncode=2)
        # a worker's processes say what they have, and withdraw nothing; the worker itself does
        alive = {each.worker for each in known_handlers.live() if each.role != known_handlers.WORKER}
        if alive and not options["force"]:
            names = ", ".join(sorted(alive)[:5])
            raise CommandError(
                f"Stop these first, or say --force; one that was killed counts for two minutes: {names}"
            )
        if others := removal.leaning():
            raise CommandError(
                f"Others have built upon its tables: {', '.join(others[:5])}. Drop these first."
            )
        if not options["yes"] and self._typed() != _database():
            raise CommandError("That is not its name. Nothing was done.")

    def _typed(self) -> str:
        self.stdout.write(f"All of dlqconsole in the database {_database()} will be dropped.")
        try:
            return input("Type the name of the database: ").strip()
        except EOFError:
            raise CommandError("Nobody is there to ask: say --yes.", returncode=2) from None

    def _report(self, folder: Path, rows: dict[str, int], left: list[str], actor: str) -> None:
        lines = [
            f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC: {actor} removed dlqconsole from {_database()},"
            f" schema {settings.DLQ_SCHEMA}.",
            *(f"{name}: {count:,} rows" for name, count in rows.items()),
            f"Left in the schema, not ours: {', '.join(left) or 'nothing'}.",
            "Roles of the database stay: DROP OWNED BY dlq_app; DROP ROLE dlq_app; and so on.",
        ]
        descriptor = os.open(folder / REPORT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in lines)
        for line in lines:
            self.stdout.write(line)


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _refusal(error: DatabaseError) -> CommandError:
    """Return the error that ends it. The export stays; of the tables, nothing was dropped."""
    if isinstance(error.__cause__, errors.LockNotAvailable):
        return CommandError(f"Somebody is at work in its tables: stop web and workers. {NOTHING}")
    if isinstance(error.__cause__, errors.InsufficientPrivilege):
        return CommandError(f"This account may not drop the tables: do it as their owner. {NOTHING}")
    return refused(error)
