"""The database's clock."""

from datetime import datetime

from dlqconsole.hosting.database import connection


def database_now() -> datetime:
    """The present moment by the database's clock, the only one that counts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    assert row is not None  # noqa: S101  (a SELECT without FROM has one row)
    return row[0]  # type: ignore[no-any-return]
