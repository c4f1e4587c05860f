"""Restore archived dead letters to the list, or erase them for ever; adopt a folder as the archive.

Each dead letter gets an audit entry. Those of one file change in one transaction with their entries.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from dlqconsole.contrib.archive.folder import ArchiveRefused, missing
from dlqconsole.contrib.archive.job import mark, moving, taking
from dlqconsole.contrib.archive.job.shapes import TableShape, Texts
from dlqconsole.contrib.archive.job.sql import sql as job_sql
from dlqconsole.contrib.archive.letters import Archived, raw_connection
from dlqconsole.contrib.archive.models import ArchiveFile, FileState
from dlqconsole.contrib.archive.sql import sql
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.transient_errors import sentence
from dlqconsole.features import all_about
from dlqconsole.hosting.database import transaction
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.quantities import counted

RESTORE, ERASE = "restore from archive", "erase from archive"

type Change = Callable[[Sequence[Archived], str, str], list[str]]


def restore(letters: Sequence[Archived], actor: str, reason: str) -> list[str]:
    """Put them back with number, history, version and status, and rewrite their files without them.

    The audit rows are in the same transactions. A dead letter that is in the list already, as the same event,
    stays in the archive. Returns one sentence for each of these. Raises ArchiveRefused: a file cannot be
    changed; the dead letters of the files before it are restored.
    """
    conflicts = {letter.id: _conflict_sentence(letter) for letter in letters if _holder(letter)}
    free = [letter for letter in letters if letter.id not in conflicts]

    def put_back(
        link: psycopg.Connection, shape: TableShape, row: Texts, letter: Archived, actor: str
    ) -> None:
        values = {"id": letter.id, "file": letter.file.pk, "actor": actor}
        link.execute(job_sql("archive.restored"), values)
        taking.put_back(link, shape, row)

    for of_file in _by_file(free):
        _take_out(of_file, RESTORE, actor, reason, put_back)
    return list(conflicts.values())


def erase(letters: Sequence[Archived], actor: str, reason: str) -> list[str]:
    """Delete them for ever, with every copy of their texts, as a purge does.

    Raises ArchiveRefused: a file cannot be changed; the dead letters of the files before it are erased.
    """
    statement = sql("archived.forget").replace("{forgotten}", all_about()).encode()

    def forget(link: psycopg.Connection, shape: TableShape, row: Texts, letter: Archived, actor: str) -> None:
        values = {"ids": [letter.id], "groups": [letter.number("group_id")]}
        link.execute(statement, values | {f"{name}s": [text] for name, text in _names(letter).items()})

    for of_file in _by_file(letters):
        _take_out(of_file, ERASE, actor, reason, forget)
    return []


def _by_file(letters: Sequence[Archived]) -> Iterator[list[Archived]]:
    def file(letter: Archived) -> int:
        number: int = letter.file.pk
        return number

    for _file, of_file in groupby(sorted(letters, key=file), key=file):
        yield list(of_file)


def _take_out(letters: Sequence[Archived], action: str, actor: str, reason: str, change: Any) -> None:
    link, by_id = raw_connection(), {str(letter.id): letter for letter in letters}

    def settle(shape: TableShape, rows: Sequence[Texts]) -> None:
        for row in rows:
            letter = by_id[str(row[0])]
            change(link, shape, row, letter, actor)
            detail = {"file": letter.file.pk, "path": letter.file.path, "version": letter.number("version")}
            moving.audit(link, actor, action, f"dead_letter:{letter.id}", reason, detail)

    ids = [letter.id for letter in letters]
    with _refusing_in_words(letters[0]):
        taking.take_out(link, settings.DLQ_ARCHIVE_DIR, letters[0].file.pk, ids, settle)


@contextmanager
def _refusing_in_words(letter: Archived) -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        raise ArchiveRefused(_conflict_sentence(letter)) from error
    except PipelineProblem as problem:
        raise ArchiveRefused(_("Nothing was changed: {problem}.").format(problem=problem)) from problem
    except OSError as error:
        raise ArchiveRefused(
            _("Nothing was changed: the archive's folder cannot be written ({strerror}).").format(
                strerror=error.strerror
            )
        ) from error
    except psycopg.Error as error:
        raise DatabaseError(sentence(error)) from error


def _holder(letter: Archived) -> list[int]:
    return fetch_column(sql("archived.holder"), {"id": letter.id, **_names(letter)})


def _names(letter: Archived) -> dict[str, str]:
    return {"source": letter.text("source"), "source_key": letter.text("source_key")}


def _conflict_sentence(letter: Archived) -> str:
    holder = _holder(letter)
    if holder == [letter.id]:
        return _("Dead letter {id} is in the list already.").format(id=letter.id)
    which = _("dead letter {number}").format(number=holder[0]) if holder else _("another dead letter")
    return _(
        "{id} stays where it is: {which} is the same event (source and key), and is in the list."
    ).format(id=letter.id, which=which)


ADOPT = "adopt archive folder"


def adopt(actor: str, reason: str, expected_missing: int) -> int:
    """Make the folder this database's archive, although files are missing; return how many are there.

    Raises ArchiveRefused where another number of files is missing than ``expected_missing``.
    """
    link, place = raw_connection(), settings.DLQ_ARCHIVE_DIR
    files = list(ArchiveFile.objects.filter(state=FileState.KEPT))
    absent = sum(bool(missing(file)) for file in files)
    if absent != expected_missing:
        raise ArchiveRefused(
            _(
                "{absent:,} of the {files} that this database knows are not in {place}: to adopt it"
                " nevertheless say --expect {absent}. Nothing was changed."
            ).format(absent=absent, files=counted(len(files), "files"), place=place)
        )
    with transaction.atomic():
        try:
            before = mark.adopt(link, place)
        except PipelineProblem as problem:
            raise ArchiveRefused(_("Nothing was changed: {problem}.").format(problem=problem)) from problem
        detail = {
            "folder": str(place),
            "before": str(before or ""),
            "files": len(files),
            "missing": absent,
        }
        moving.audit(link, actor, ADOPT, "archive_folder", reason, detail)
    return len(files) - absent
