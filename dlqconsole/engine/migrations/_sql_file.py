"""Reads one frozen up/down pair of ``migrations/sql`` into a migration."""

from pathlib import Path

from django.db import migrations

FOLDER = Path(__file__).parent / "sql"


def run_sql_file(name: str, folder: Path = FOLDER) -> migrations.RunSQL:
    """The migration that runs ``<name>.up.sql`` of a folder, undone by ``<name>.down.sql``."""
    up, down = ((folder / f"{name}.{way}.sql").read_text() for way in ("up", "down"))
    # A list of one: the text goes to the server whole, dollar quotes and semicolons included.
    return migrations.RunSQL([up], [down])
