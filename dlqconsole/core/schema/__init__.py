"""The schema, written once: SQL files by noun, in the order in which they are applied.

A feature above the core has its tables in a ``schema.sql`` of its own folder. ``upgrade.py`` runs the files
on a new database, and again on an old one.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
NOUNS = (
    "parts",
    "values",
    "queue",
    "flow",
    "message_archive",
    "dead_letters",
    "attempts",
    "records",
    "failures",
    "ingested_files",
    "fingerprints",
    "failure_rules",
    "classification",
    "dead_letter_triggers",
    "counts",
    "owners",
    "audit",
    "locks",
    "revival",
    "group_order",
    "queue_sending",
    "queue_topics",
    "queue_settling",
    "queue_failing",
    "queue_take",
    "queue_claiming",
    "queue_tending",
    "retry_policies",
    "schedule",
    "schedulers",
    "flood_gates",
    "periodic",
    "row_errors",
)
_MADE = re.compile(
    r"^(?:CREATE (?:UNLOGGED )?(?:TABLE|VIEW|TYPE|DOMAIN|FUNCTION)|COMMENT ON FUNCTION) (\w+)", re.MULTILINE
)


def search_path(schema: str, beside: str = "") -> str:
    """Return where a session of ours looks for names: in this schema alone.

    Other applications may have their tables in ``public``. Nothing temporary stands in for a table of ours.
    ``beside``: where else, for the accounts of a project that has us as a guest.
    """
    schemas = [schema, beside] if beside and beside != schema else [schema]
    return ", ".join([*map(quoted, schemas), "pg_temp"])


def quoted(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def files(features: Iterable[Path] = ()) -> Iterator[Path]:
    """The files of the core, then those of the features that have tables."""
    yield from (FOLDER / f"{noun}.sql" for noun in NOUNS)
    yield from (path for folder in features if (path := folder / "schema.sql").exists())


def names(features: Iterable[Path] = ()) -> set[str]:
    """The tables, views, types and functions that the files make."""
    return {name for path in files(features) for name in _MADE.findall(path.read_text(encoding="utf-8"))}
