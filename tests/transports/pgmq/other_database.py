"""PGMQ in a database of its own, beside the console's."""

import os
from collections.abc import Iterator
from functools import cache
from itertools import count

import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from dlqconsole.transports.services import close
from tests.pgmq_sql import pgmq_sql

_numbers = count(1)


class OtherDatabase:
    """The database, whose owner a test may ask."""

    def __init__(self, name: str) -> None:
        self.name = name
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            session.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        self.session = psycopg.connect(os.environ["DATABASE_URL"], dbname=name, autocommit=True)
        self.session.execute(pgmq_sql())

    def service(self) -> str:
        """Its entry in a service file."""
        parts = conninfo_to_dict(os.environ["DATABASE_URL"]) | {"dbname": self.name}
        return "\n".join(["[there]", *(f"{name}={value}" for name, value in parts.items())])

    def ask(self, statement: str, *values: object) -> list[tuple]:
        cursor = self.session.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

    def drop(self) -> None:
        if self.session.closed:
            return
        self.session.close()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            session.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(self.name)))


@cache
def _made(name: str) -> OtherDatabase:
    # a fixture that several modules import is a fixture of each
    return OtherDatabase(name)


@pytest.fixture(scope="session")
def other_database(django_db_setup) -> Iterator[OtherDatabase]:
    database = _made(f"{connection.settings_dict['NAME']}_pgmq")
    yield database
    database.drop()


@pytest.fixture
def queue_elsewhere(other_database, tmp_path, monkeypatch) -> Iterator[str]:
    """The name of a new queue in the other database, which a service file names."""
    (tmp_path / "services").write_text(other_database.service())
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    name = f"there_{next(_numbers)}"
    other_database.ask("SELECT pgmq.create(%s)", name)
    yield f"there.{name}"
    other_database.ask("SELECT pgmq.drop_queue(%s)", name)
    close()
