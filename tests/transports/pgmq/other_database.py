"""PGMQ in a database of its own, beside the console's."""

import os
from collections.abc import Iterator
from importlib.resources import files
from itertools import count

import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

_numbers = count(1)


class OtherDatabase:
    """The database, whose owner a test may ask."""

    def __init__(self, name: str) -> None:
        self.name = name
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            session.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        self.session = psycopg.connect(os.environ["DATABASE_URL"], dbname=name, autocommit=True)
        self.session.execute(files("pgmq").joinpath("sql/pgmq.sql").read_text())

    def url(self) -> str:
        parts = conninfo_to_dict(os.environ["DATABASE_URL"])
        return psycopg.conninfo.make_conninfo(**parts | {"dbname": self.name})

    def ask(self, statement: str, *values: object) -> list[tuple]:
        cursor = self.session.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

    def drop(self) -> None:
        self.session.close()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as session:
            session.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(self.name)))


@pytest.fixture(scope="session")
def other_database(django_db_setup) -> Iterator[OtherDatabase]:
    database = OtherDatabase(f"{connection.settings_dict['NAME']}_pgmq")
    yield database
    database.drop()


@pytest.fixture
def queue_elsewhere(other_database, settings) -> Iterator[str]:
    """The name of a new queue in the other database, to which the console is pointed."""
    settings.DLQ_PGMQ_URL = other_database.url()
    name = f"there_{next(_numbers)}"
    other_database.ask("SELECT pgmq.create(%s)", name)
    yield name
    other_database.ask("SELECT pgmq.drop_queue(%s)", name)
