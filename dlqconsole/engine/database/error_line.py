"""A command's error message: one line, and what to do about it."""

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.db import Error
from psycopg.errors import DiskFull, InvalidSchemaName, UndefinedTable

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.transient_errors import sentence
from dlqconsole.processing.inputs import InvalidInput

# exit statuses
WENT_WRONG, ASKED_WRONGLY = 1, 2

_NOT_THERE = UndefinedTable, InvalidSchemaName
DISK_FULL = (
    "The disk of the database is full: nothing of this was changed. Make room on it; what waits goes on by"
    " itself."
)
AWAY = "the database of DATABASE_URL does not answer"


def not_migrated() -> str:
    """Return the sentence for a database whose schema has no tables of ours."""
    return (
        f"The schema {settings.DLQ_SCHEMA} of this database lacks tables of dlqconsole."
        f" Make them first: {PROGRAM} migrate"
    )


def error_line(error: BaseException) -> str:
    """Return the error in one line, never empty."""
    if line := database_line(error):
        return line
    words = sentence(error) if isinstance(error, Error | psycopg.Error) else str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        words = f"{error.filename}: {error.strerror}"
    return _one_line(words) or type(error).__name__


def refused(error: BaseException) -> CommandError:
    """Return the error that ends a command."""
    return CommandError(error_line(error), returncode=exit_status(error))


def exit_status(error: BaseException) -> int:
    """Return 2 where something was asked wrongly, 1 where it went wrong."""
    wrongly = any(
        isinstance(each, InvalidInput) or getattr(each, "asked_wrongly", False)
        for each in (error, error.__cause__)
    )
    return ASKED_WRONGLY if wrongly else WENT_WRONG


def database_line(error: BaseException) -> str:
    """Return the line of a database without tables, disk or connection; empty for other errors."""
    if lacks_tables(error):
        return not_migrated()
    if isinstance(error.__cause__, DiskFull):
        return DISK_FULL
    if is_away(error):
        return f"{AWAY[0].upper()}{AWAY[1:]}: {_one_line(str(error))}"
    return ""


def lacks_tables(error: BaseException) -> bool:
    """Tell whether a statement named a table or schema that is not there."""
    return isinstance(error, _NOT_THERE) or isinstance(error.__cause__, _NOT_THERE)


def is_away(error: BaseException) -> bool:
    """Tell whether there is no connection: an error of a statement has a code from the server."""
    cause = error.__cause__
    return isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError) and cause.sqlstate is None


def _one_line(words: str) -> str:
    return " ".join(words.split())
