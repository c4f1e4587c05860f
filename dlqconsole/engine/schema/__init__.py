"""``schema.sql``: all tables, functions and indexes in one file, as a migrated database has them."""

from collections.abc import Iterator
from pathlib import Path

from dlqconsole.engine.schema import catalog as catalogs
from dlqconsole.engine.schema.catalog import Catalog
from dlqconsole.engine.schema.chapters import chapters
from dlqconsole.engine.schema.comments import comments
from dlqconsole.engine.schema.statements import statements
from dlqconsole.engine.schema.wording import WIDTH, remark

PATH = Path(__file__).parents[1] / "schema.sql"
AGAIN = "manage.py schema"

_HEAD = (
    f"-- Made by `{AGAIN}` from a migrated database: read it, do not edit it. Migrations make the tables.\n"
    "-- It runs in an empty database. The remark above an index, or above a key, says which query it serves."
    "\n\nCREATE EXTENSION IF NOT EXISTS pg_trgm;"
)


def as_text() -> str:
    """The file as it should be, from the database that Django is connected to."""
    catalog = catalogs.read()
    parts = [_HEAD]
    for number, chapter in enumerate(chapters(), start=1):
        parts.append(_title(f"{number}. {chapter.title}", chapter.about))
        for name in chapter.names:
            parts.extend(statements(catalog, name))
    parts.append(_title("Comments", "The remarks above for who asks the database: \\d+ and \\df+ of psql."))
    parts.append("\n".join(_all_comments(catalog)))
    return "\n\n".join(parts) + "\n"


def unplaced() -> set[str]:
    """What is in the schema ``public`` and in no chapter; Django's own tables are among it."""
    return catalogs.read().names() - {name for chapter in chapters() for name in chapter.names}


def _all_comments(catalog: Catalog) -> Iterator[str]:
    for chapter in chapters():
        for name in chapter.names:
            yield from comments(catalog, name)


def _title(words: str, about: str) -> str:
    line = "-- " + "=" * (WIDTH - 3)
    return "\n".join([line, f"-- {words}", *remark(about), line])
