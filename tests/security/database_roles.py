"""A migrated database with the roles of `manage.py grants`, and a real connection as each of them."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg.sql import SQL, Identifier, Literal

LOGINS = (
    "app", "consumer", "reporter", "pipeline", "writer", "scheduler", "reviver", "reader", "producer_shop",
    "nobody", "careless",
)  # fmt: skip


class Roles:
    """The database ``name``, and roles under a prefix of this process: they belong to the whole server."""

    def __init__(self, template: str, blocker: Any, about: str = "roles") -> None:
        self.blocker = blocker
        self.template = template
        self.name = f"{template}_{about}_{os.environ['DLQ_TEST_PROCESS']}"
        self.prefix = f"{self.name} \"$$'"
        self.passwords = {role: secrets.token_urlsafe(12) for role in LOGINS}
        self.open: dict[str, psycopg.Connection] = {}
        self._on_server("CREATE DATABASE {} TEMPLATE {}", self.name, template)
        with self.as_role(None):
            options = {"apply": True, "prefix": self.prefix, "verbosity": 0}
            # temporary tables: each of them is an attack's means
            call_command("grants", keep_temp=True, **options)
            call_command("grants", producer="shop", queue=["orders", "returns"], **options)
            call_command("grants", consumer=True, queue=["mails"], **options)
        self._outsiders()
        for role, password in self.passwords.items():
            self.owner().execute(SQL("ALTER ROLE {} PASSWORD {}").format(self.role(role), Literal(password)))

    def role(self, name: str) -> Identifier:
        """A role's name, quoted."""
        return Identifier(self.prefix + name)

    def connect(self, role: str) -> psycopg.Connection:
        """The one connection of this role, each statement a transaction of its own."""
        if role not in self.open:
            user, password = self.prefix + role, self.passwords[role]
            self.open[role] = psycopg.connect(
                os.environ["DATABASE_URL"], dbname=self.name, user=user, password=password, autocommit=True
            )
        return self.open[role]

    def address(self, role: str) -> dict[str, str]:
        """How another program of this role connects."""
        return {
            "conninfo": os.environ["DATABASE_URL"],
            "dbname": self.name,
            "user": self.prefix + role,
            "password": self.passwords[role],
        }

    def owner(self) -> psycopg.Connection:
        """A superuser's connection."""
        if "" not in self.open:
            self.open[""] = psycopg.connect(os.environ["DATABASE_URL"], dbname=self.name, autocommit=True)
        return self.open[""]

    @contextmanager
    def as_role(self, role: str | None, database: str = "") -> Iterator[None]:
        """Django's connection goes to this database as the role; None: as the tests' superuser."""
        changed: dict[str, Any] = {"NAME": database or self.name}
        if role is not None:
            changed |= {"USER": self.prefix + role, "PASSWORD": self.passwords[role]}
        before = {key: connection.settings_dict[key] for key in changed}
        self._point(changed)
        try:
            with self.blocker.unblock():
                yield
        finally:
            self._point(before)

    def empty(self) -> None:
        """Nothing is in it but what the migrations and the command brought."""
        self.owner().execute(
            "TRUNCATE message_queue, dlq_events, dlq_attempts, failure_groups, enriched_events, operations,"
            " reports, pipeline_runs, queues, auth_user, payload_versions, retry_runs CASCADE"
        )

    def drop(self) -> None:
        """Remove the database and the roles."""
        for each in self.open.values():
            each.close()
        self._on_server("DROP DATABASE {} WITH (FORCE)", self.name)
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            found = session.execute(
                "SELECT rolname FROM pg_roles WHERE starts_with(rolname, %s) ORDER BY rolname", [self.prefix]
            )
            for (name,) in found.fetchall():
                session.execute(SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(Identifier(name)))

    def _outsiders(self) -> None:
        """One whom nobody granted anything, and one to whom somebody granted every function."""
        for role in ("nobody", "careless"):
            self.owner().execute(SQL("CREATE ROLE {} LOGIN").format(self.role(role)))
        self.owner().execute(
            SQL("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {}").format(self.role("careless"))
        )

    def _point(self, changed: dict[str, Any]) -> None:
        connection.close()
        settings.DATABASES["default"].update(changed)
        connection.settings_dict.update(changed)

    def _on_server(self, statement: str, *names: str) -> None:
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            session.execute(SQL(statement).format(*map(Identifier, names)))
