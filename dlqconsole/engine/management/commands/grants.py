"""manage.py grants: the roles of the database and what each may do; printed as SQL, or applied."""

import os
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError
from psycopg.sql import Composed

from dlqconsole.core.messages.queues import refusal_to_send
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.database.error_line import not_migrated, refused
from dlqconsole.engine.gate import GatedCommand, Shown
from dlqconsole.engine.grants import rights, statements
from dlqconsole.engine.grants.objects import Names, ours
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction

# two that apply at once would each find the other's rows changed
LOCK = "SELECT pg_advisory_xact_lock(1145852245)"


class Command(GatedCommand):
    help = (
        "Print, or with --apply run, the SQL that makes the roles owner, app, producer, consumer, reporter,"
        " pipeline and reader and grants each what it needs; again after each migrate. PUBLIC gets nothing."
        " A new role has no password: set one with \\password NAME in psql."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="run it, in one transaction")
        parser.add_argument("--migrate", action="store_true", help="migrate first; with --apply only")
        parser.add_argument("--prefix", default="dlq_", help="what the roles' names begin with (dlq_)")
        parser.add_argument("--producer", metavar="NAME", help="only make the producer <prefix>producer_NAME")
        parser.add_argument(
            "--consumer", action="store_true", help="only say to which queues consumers in SQL may send"
        )
        parser.add_argument(
            "--queue", action="append", default=[], help="a queue to send to; those not named are lost"
        )
        parser.add_argument(
            "--password-from",
            metavar="VARIABLE",
            help="the environment's variable with the password",
        )
        parser.add_argument(
            "--keep-temp",
            action="store_true",
            help="leave temporary tables, and large objects, to others who share the database",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        try:
            if options["migrate"]:
                call_command("migrate", verbosity=options["verbosity"], interactive=False)
            [me] = fetch_dicts(sql("grants.me"), {})
            if options["apply"] and not me["makes_roles"]:
                raise CommandError(
                    f"{me['name']} may not make roles: connect as a superuser or as one with CREATEROLE, or"
                    " have somebody run what this prints without --apply."
                )
            texts = [statement.as_string(None) for statement in _statements(options, me)]
            self._apply(texts, options) if options["apply"] else self._print(texts)
        except (DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _apply(self, texts: list[str], options: dict[str, Any]) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(LOCK)
            for statement in texts:
                cursor.execute(statement)
            if options["password_from"]:
                cursor.execute(_password(options))
        if options["verbosity"]:
            self.stdout.write(f"{len(texts)} statements applied.")

    def _print(self, texts: list[str]) -> None:
        # to be run as it stands
        self.stdout.write(Shown("BEGIN;\n" + "".join(f"{statement};\n" for statement in texts) + "COMMIT;"))


def _check(options: dict[str, Any]) -> None:
    if options["producer"] and options["consumer"]:
        raise CommandError("Name either --producer NAME or --consumer.")
    if bool(options["producer"] or options["consumer"]) != bool(options["queue"]):
        raise CommandError("--producer NAME or --consumer goes with --queue QUEUE: both have named queues.")
    for queue in options["queue"]:
        if why := refusal_to_send(queue):
            raise CommandError(f"--queue: {why}")
    if not options["apply"] and (options["migrate"] or options["password_from"]):
        raise CommandError("--migrate and --password-from change something: they need --apply.")
    if options["password_from"] and not os.environ.get(options["password_from"]):
        raise CommandError(f"The environment has no {options['password_from']} to take a password from.")


def _statements(options: dict[str, Any], me: dict[str, Any]) -> Iterator[Composed]:
    names, objects = Names(options["prefix"]), ours()
    if "message_queue" not in objects.tables():
        raise CommandError(not_migrated())
    if options["producer"]:
        return statements.producer(names, options["producer"], options["queue"], objects, me["database"])
    if options["consumer"]:
        return statements.consumer(names, options["queue"])
    member = not me["is_superuser"]
    return statements.base(names, objects, me["database"], keep_temp=options["keep_temp"], member=member)


def _password(options: dict[str, Any]) -> str:
    name = f"producer_{options['producer']}" if options["producer"] else rights.APP.name
    role = Names(options["prefix"]).text(name)
    text = os.environ[options["password_from"]]
    return statements.password(role, text, connection.connection.pgconn).as_string(None)
