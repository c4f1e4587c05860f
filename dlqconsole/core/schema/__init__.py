"""The schema, written once: SQL files by noun, in the order in which they are applied.

A feature above the core has its tables in a ``schema.sql`` of its own folder. A change to databases that
exist is one numbered file in ``changes/``, and the same edit in the file of its noun.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
CHANGES = FOLDER / "changes"
NOUNS = (
    "changes",
    "queue",
    "flow",
    "message_archive",
    "dead_letters",
    "attempts",
    "records",
    "failures",
    "ingested_files",
    "classification",
    "counts",
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
    r"^(?:CREATE (?:UNLOGGED )?(?:TABLE|VIEW|TYPE|FUNCTION)|COMMENT ON FUNCTION) (\w+)", re.MULTILINE
)
# whoever may make tables there need not be allowed to make schemas
MAKE_SCHEMA = """
DO $$ BEGIN
    IF to_regnamespace('{schema}') IS NULL THEN
        CREATE SCHEMA {schema};
    END IF;
END $$
"""
type Execute = Callable[[str], object]


def install(
    execute: Execute,
    features: Iterable[Path] = (),
    schema: str = "public",
    beside: str = "",
    translated: Callable[[str], str] = str,
) -> None:
    """Make all tables, functions and rights in an empty schema, and the schema.

    ``execute`` runs SQL of several statements, in one transaction. ``features``: the folders above the core.
    ``beside``: the schema of the accounts, if it is another; ``translated`` names their tables.
    """
    execute(MAKE_SCHEMA.format(schema=quoted(schema)))
    set_path(execute, schema, beside)
    for path in files(features):
        execute(translated(path.read_text(encoding="utf-8")))
    for number in sorted(changes()):
        _note(execute, number)


def apply_change(
    execute: Execute,
    number: int,
    schema: str = "public",
    beside: str = "",
    translated: Callable[[str], str] = str,
) -> None:
    """Bring a database up to the change of that number."""
    set_path(execute, schema, beside)
    execute(translated(changes()[number].read_text(encoding="utf-8")))
    _note(execute, number)


def _note(execute: Execute, number: int) -> None:
    execute(f"INSERT INTO schema_changes (number) VALUES ({number:d})")  # noqa: S608 - a number


def set_path(execute: Execute, schema: str, beside: str = "") -> None:
    """Have names mean this schema until the transaction ends.

    Functions that run with their owner's rights keep this path.
    """
    execute(f"SET LOCAL search_path = {search_path(schema, beside)}")


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


def changes() -> dict[int, Path]:
    """The numbered changes since the first release."""
    return {int(path.name.partition("_")[0]): path for path in CHANGES.glob("[0-9]*.sql")}
