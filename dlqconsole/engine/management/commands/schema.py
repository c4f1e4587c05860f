"""manage.py schema: write ``schema.sql`` anew from the migrated database, or check that it is true."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

from dlqconsole.engine import schema
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gated_command import GatedCommand


class Command(GatedCommand):
    help = (
        f"Write {schema.PATH.name} from the migrated database: every table, index and function in one file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; exit status 1 where the file is not true any more",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            _check_migrated()
            text = schema.as_text()
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        if options["check"]:
            self._check(text)
            return
        schema.PATH.write_text(text)
        self.stdout.write(f"{schema.PATH}: {len(text.splitlines()):,} lines.")

    def _check(self, text: str) -> None:
        if not schema.PATH.exists() or schema.PATH.read_text() != text:
            raise CommandError(f"{schema.PATH} is not what the database has. Write it anew: {schema.AGAIN}")
        self.stdout.write(f"{schema.PATH} is what the database has.")


def _check_migrated() -> None:
    """Refuse a database that lacks tables or changes: the file would lose them."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("This database is not migrated: manage.py migrate")
