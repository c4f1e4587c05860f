"""The databases of released versions, as files that a test restores: schema-<version>.sql, with some rows."""

import re
from pathlib import Path

import psycopg

FOLDER = Path(__file__).parent
# what only psql or a new server understands: the file is for all that we support
_NOT_EVERYWHERE = re.compile(
    r"^(?:SET transaction_timeout = .*|\\.*|--.*|    NOT NULL id(?=\n\)\nINHERITS))?\n", re.MULTILINE
)


def file_of(version: str) -> Path:
    return FOLDER / f"schema-{version}.sql"


def versions() -> list[str]:
    return [path.stem.removeprefix("schema-") for path in FOLDER.glob("schema-*.sql")]


def restore(version: str, connection: psycopg.Connection) -> None:
    connection.execute(file_of(version).read_text(encoding="utf-8"))
    connection.execute("RESET ALL")


def keep(version: str, dump: str) -> None:
    """Write the file from what pg_dump says."""
    file_of(version).write_text(_NOT_EVERYWHERE.sub("", dump), encoding="utf-8")
