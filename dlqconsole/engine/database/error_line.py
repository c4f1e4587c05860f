"""What a command says of an error: one line, and what to do about it."""

from psycopg.errors import UndefinedTable

NOT_MIGRATED = "This database lacks tables of dlqconsole. Make them first: manage.py migrate"


def error_line(error: BaseException) -> str:
    """The error in one line, never empty."""
    if isinstance(error.__cause__, UndefinedTable):
        return NOT_MIGRATED
    words = str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        words = f"{error.filename}: {error.strerror}"
    return " ".join(words.split()) or type(error).__name__
