"""Reads one frozen up/down pair of ``migrations/sql`` into a migration."""

from pathlib import Path

from django.db import migrations

FOLDER = Path(__file__).parent / "sql"


def run_sql_file(name: str) -> migrations.RunSQL:
    """The migration that runs ``sql/<name>.up.sql``, undone by ``sql/<name>.down.sql``."""
    up, down = ((FOLDER / f"{name}.{way}.sql").read_text() for way in ("up", "down"))
    # A list of one: the text goes to the server whole, dollar quotes and semicolons included.
    return migrations.RunSQL([up], [down])
