"""What people do with archived dead letters: take them back into the list, or erase them for ever.

Each gets an audit entry of its own. Those of one file go together, in one transaction with them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError
from psycopg.errors import UniqueViolation

from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.letters import Archived, raw_connection
from dlqconsole.archive.sql import sql
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.pipeline.archive import moving, taking
from dlqconsole.pipeline.archive.shapes import TableShape, Texts
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql as pipeline_sql
from dlqconsole.statements import sql as shared

RESTORE, ERASE = "restore from archive", "erase from archive"

type Change = Callable[[Sequence[Archived], str, str], list[str]]


def restore(found: Sequence[Archived], actor: str, reason: str) -> list[str]:
    """Put them back with number, history, version and status; their files are written anew without them.

    The audit rows are in the same transactions. One that the list has already, as the same event, stays where
    it is: why, a sentence each. Raises ArchiveRefused: a file cannot be changed; those of files before it are
    back.
    """
    held = {letter.id: _taken(letter) for letter in found if _holder(letter)}
    free = [letter for letter in found if letter.id not in held]

    def put_back(
        link: psycopg.Connection, shape: TableShape, row: Texts, letter: Archived, actor: str
    ) -> None:
        values = {"id": letter.id, "file": letter.file.pk, "actor": actor}
        link.execute(pipeline_sql("archive.restored"), values)
        taking.put_back(link, shape, row)

    for letters in _by_file(free):
        _take_out(letters, RESTORE, actor, reason, put_back)
    return list(held.values())


def erase(found: Sequence[Archived], actor: str, reason: str) -> list[str]:
    """Delete them for ever, with all that holds their words, as a purge does.

    Raises ArchiveRefused: a file cannot be changed; those of files before it are gone.
    """
    forgotten = sql("archived.forget").replace("{forgotten}", shared("forgetting.all_about")).encode()

    def forget(link: psycopg.Connection, shape: TableShape, row: Texts, letter: Archived, actor: str) -> None:
        values = {"ids": [letter.id], "groups": [letter.number("group_id")]}
        link.execute(forgotten, values | {f"{name}s": [text] for name, text in _names(letter).items()})

    for letters in _by_file(found):
        _take_out(letters, ERASE, actor, reason, forget)
    return []


def _by_file(found: Sequence[Archived]) -> Iterator[list[Archived]]:
    def file(letter: Archived) -> int:
        number: int = letter.file.pk
        return number

    for _file, letters in groupby(sorted(found, key=file), key=file):
        yield list(letters)


def _take_out(letters: Sequence[Archived], action: str, actor: str, reason: str, change: Any) -> None:
    link, known = raw_connection(), {str(letter.id): letter for letter in letters}

    def settle(shape: TableShape, rows: Sequence[Texts]) -> None:
        for row in rows:
            letter = known[str(row[0])]
            change(link, shape, row, letter, actor)
            detail = {"file": letter.file.pk, "path": letter.file.path, "version": letter.number("version")}
            moving.audit(link, actor, action, f"dead_letter:{letter.id}", reason, detail)

    ids = [letter.id for letter in letters]
    with _in_sentences(letters[0]):
        taking.take_out(link, settings.DLQ_ARCHIVE_DIR, letters[0].file.pk, ids, settle)


@contextmanager
def _in_sentences(letter: Archived) -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        raise ArchiveRefused(_taken(letter)) from error
    except PipelineProblem as problem:
        raise ArchiveRefused(f"Nothing was changed: {problem}.") from problem
    except OSError as error:
        raise ArchiveRefused(
            f"Nothing was changed: the archive's folder cannot be written ({error.strerror})."
        ) from error
    except psycopg.Error as error:
        raise DatabaseError(str(error)) from error


def _holder(found: Archived) -> list[int]:
    return fetch_column(sql("archived.holder"), {"id": found.id, **_names(found)})


def _names(found: Archived) -> dict[str, str]:
    return {"source": found.text("source"), "source_key": found.text("source_key")}


def _taken(found: Archived) -> str:
    holder = _holder(found)
    if holder == [found.id]:
        return f"Dead letter {found.id} is in the list already."
    which = f"dead letter {holder[0]}" if holder else "another dead letter"
    return f"{found.id} stays where it is: {which} is the same event (source and key), and is in the list."
