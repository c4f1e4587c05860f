"""Connections to PostgreSQL, and its errors in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.settings import settings

from .errors import DatabaseAway, PipelineProblem

CONNECT_SECONDS = 10
AWAY = "the database of DATABASE_URL does not answer"


def connect(database_url: str, name: str, *, autocommit: bool = True) -> psycopg.Connection:
    """Open a connection. Raises DatabaseAway with a sentence when the database is away."""
    try:
        return psycopg.connect(
            database_url,
            autocommit=autocommit,
            application_name=f"dlqconsole {name}",
            connect_timeout=CONNECT_SECONDS,
            # behind a pooler a prepared statement may not be there the next time
            prepare_threshold=None,
        )
    except psycopg.Error as error:
        raise DatabaseAway(f"{AWAY}: {first_line(error)}") from error


@contextmanager
def session(database_url: str, name: str, *, autocommit: bool = True) -> Iterator[psycopg.Connection[Any]]:
    """Open a connection for a block, whose errors are sentences. Raises PipelineProblem."""
    try:
        with connect(database_url, name, autocommit=autocommit) as connection:
            yield connection
    except psycopg.Error as error:
        raise PipelineProblem(in_words(error)) from error


def first_line(error: BaseException) -> str:
    """Return the database's message, without its context lines."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def in_words(error: psycopg.Error) -> str:
    """One sentence for a database error that ended the job."""
    if isinstance(error, psycopg.errors.UndefinedTable):
        return (
            f"the schema {settings.DLQ_SCHEMA} of the database has no tables of dlqconsole yet"
            f" ({first_line(error)}): run {PROGRAM} migrate"
        )
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return f"{AWAY}: {first_line(error)}"
    return f"the database refused: {first_line(error)}"
