"""Bringing a database to the schema of this version: a new one, and one of any version since 0.1.0.

The schema has parts: the core, and each folder above it that has a ``schema.sql``. A part that is not there
is made by its files. One of an earlier version gets the numbered files of its ``changes/``. Then its files
run again: they make missing tables and indexes, and every function, view, trigger, right and comment anew.
So a change only alters and drops: columns, constraints, and what is gone or has another signature.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlqconsole import __version__
from dlqconsole.core import schema
from dlqconsole.core.errors import EngineError
from dlqconsole.core.schema import quoted, search_path

# whoever may make tables there need not be allowed to make schemas
MAKE_SCHEMA = """
DO $$ BEGIN
    IF to_regnamespace('{schema}') IS NULL THEN
        CREATE SCHEMA {schema};
    END IF;
END $$
"""
# What begins at the left margin, as a database takes it that has it already. An INSERT fills a new table.
_AGAIN = (
    (r"^CREATE (FUNCTION|VIEW|TRIGGER) ", r"CREATE OR REPLACE \1 "),
    (r"^CREATE ((?:UNLOGGED )?TABLE|(?:UNIQUE )?INDEX) ", r"CREATE \1 IF NOT EXISTS "),
    (
        r"^CREATE (TYPE|DOMAIN) (\w+) (AS [^;]*);$",
        # the schema beside ours may have a type of that name
        r"DO $$ BEGIN IF to_regtype(quote_ident(current_schema()) || '.\2') IS NULL THEN"
        r" CREATE \1 \2 \3; END IF; END $$;",
    ),
    (r"^INSERT INTO .*?;$", ""),
)
_READ = "SELECT part, change, version, digest FROM {schema}.schema_parts"
_NOTE = """
INSERT INTO schema_parts (part, change, version, digest) VALUES ('{part}', {change}, '{version}', '{digest}')
ON CONFLICT (part) DO UPDATE SET (change, version, digest, applied_at)
    = (EXCLUDED.change, EXCLUDED.version, EXCLUDED.digest, EXCLUDED.applied_at)
"""
type Execute = Callable[[str], Any]


class NewerDatabase(EngineError):
    """The tables are those of a later version of dlqconsole."""

    asked_wrongly = True


@dataclass(frozen=True, slots=True)
class Part:
    """The core, or a folder above it, as this version has it. ``changes``: by number, the oldest first."""

    name: str
    text: str
    changes: dict[int, str]

    @property
    def change(self) -> int:
        """The number of its last change; 0 if there is none."""
        return max(self.changes, default=0)

    @property
    def digest(self) -> str:
        """Short for all that it says."""
        return hashlib.sha256("\0".join((self.text, *self.changes.values())).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Applied:
    """A part, as a database has it."""

    change: int
    version: str
    digest: str

    def is_newer(self, part: Part) -> bool:
        """Tell whether a later version has made it so."""
        return self.change > part.change or (
            self.digest != part.digest and _numbers(self.version) > _numbers(__version__)
        )


def upgrade(
    execute: Execute, parts: Sequence[Part] = (), schema_name: str = "public", beside: str = ""
) -> list[str]:
    """Make, or bring up, what a database lacks of this version; return the names of these parts.

    ``execute`` runs SQL of several statements, in one transaction. ``parts``: by default the core alone.
    ``beside``: the schema of the accounts, if it is another. Raises NewerDatabase.
    """
    applied = applied_parts(execute, schema_name)
    behind = [part for part in parts or all_parts() if _is_behind(part, applied)]
    newer = [there.version for part in behind if (there := applied.get(part.name)) and there.is_newer(part)]
    if newer:
        raise NewerDatabase(_newer(max(newer, key=_numbers)))
    if behind:
        execute(MAKE_SCHEMA.format(schema=quoted(schema_name)))
        set_path(execute, schema_name, beside)
    for part in behind:
        _bring_up(execute, part, applied.get(part.name))
    return [part.name for part in behind]


def lacking(execute: Execute, parts: Iterable[Part], schema_name: str) -> list[str]:
    """Return the names of the parts that ``upgrade`` would make or bring up."""
    applied = applied_parts(execute, schema_name)
    behind = (part for part in parts if _is_behind(part, applied))
    return [part.name for part in behind if part.name not in applied or not applied[part.name].is_newer(part)]


def applied_parts(execute: Execute, schema_name: str = "public") -> dict[str, Applied]:
    """Return the parts that a database has; none if it has no table of ours."""
    table = f"{quoted(schema_name)}.schema_parts".replace("'", "''")
    if execute(f"SELECT to_regclass('{table}')").fetchone()[0] is None:
        return {}
    rows = execute(_READ.format(schema=quoted(schema_name))).fetchall()
    return {part: Applied(*rest) for part, *rest in rows}


def all_parts(features: Iterable[Path] = (), translated: Callable[[str], str] = str) -> list[Part]:
    """Return the core, then the folders above it that have tables, in their order."""
    return [
        _part("core", schema.FOLDER, [*schema.files()], str),
        *(
            _part(folder.name, folder, [folder / "schema.sql"], translated)
            for folder in features
            if (folder / "schema.sql").exists()
        ),
    ]


def set_path(execute: Execute, schema_name: str, beside: str = "") -> None:
    """Have names mean this schema until the transaction ends.

    Functions that run with their owner's rights keep this path.
    """
    execute(f"SET LOCAL search_path = {search_path(schema_name, beside)}")


def again(text: str) -> str:
    """Return the SQL of a file for a database that has most of it."""
    for pattern, instead in _AGAIN:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE | re.DOTALL)
    return text


def _bring_up(execute: Execute, part: Part, applied: Applied | None) -> None:
    if applied is None:
        execute(part.text)
    else:
        for number in sorted(number for number in part.changes if number > applied.change):
            execute(part.changes[number])
        execute(again(part.text))
    note = _NOTE.format(part=part.name, change=part.change, version=__version__, digest=part.digest)
    execute(note)


def _is_behind(part: Part, applied: dict[str, Applied]) -> bool:
    return part.name not in applied or applied[part.name].digest != part.digest


def _newer(version: str) -> str:
    return (
        f"This database has the tables of dlqconsole {version}, and this is {__version__}: nothing was"
        f" changed. Install {version} or newer, or restore the dump from before the upgrade."
    )


def _part(name: str, folder: Path, files: Sequence[Path], translated: Callable[[str], str]) -> Part:
    numbered = (folder / "changes").glob("[0-9]*_*.sql")
    changes = {int(path.name.partition("_")[0]): translated(_read(path)) for path in sorted(numbered)}
    return Part(name, translated("\n".join(map(_read, files))), changes)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
