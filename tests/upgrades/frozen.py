"""The databases of released versions, as files that a test restores: schema-<version>.sql, with some rows."""

import re
import socket
from pathlib import Path

import psycopg

from dlqconsole.configuration.demo_environment import CHECKOUT

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
    """Write the file from what pg_dump says, without the names of the machine where it ran."""
    text = _NOT_EVERYWHERE.sub("", dump)
    text = text.replace(f"'{socket.gethostname()}:", "'machine:").replace(str(CHECKOUT), "/checkout")
    file_of(version).write_text(text, encoding="utf-8")
