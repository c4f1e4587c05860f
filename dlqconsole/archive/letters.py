"""An archived dead letter, read from its file."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection

from dlqconsole.archive import folder
from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.models import ArchiveFile
from dlqconsole.engine.reach import Reach
from dlqconsole.pipeline.archive import parquet, taking
from dlqconsole.pipeline.archive.shapes import TableShape, Texts
from dlqconsole.pipeline.errors import PipelineProblem

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Archived:
    """A row of the archive: ``text`` of a column as PostgreSQL writes it, ``moment`` as a moment."""

    id: int
    file: ArchiveFile
    shape: TableShape
    row: Texts

    def text(self, column: str) -> str:
        """Empty where there is none."""
        return self.row[self.shape.place(column)] or ""

    def number(self, column: str) -> int | None:
        """A number, or none."""
        text = self.row[self.shape.place(column)]
        return None if text is None else int(text)

    def moment(self, column: str) -> datetime | None:
        """A moment, or none."""
        return as_moment(self.row[self.shape.place(column)])

    def raw(self, column: str) -> bytes | None:
        """Bytes, or none."""
        text = self.row[self.shape.place(column)]
        return None if text is None else bytes.fromhex(text)

    @property
    def queue(self) -> str:
        """Where it is counted."""
        return self.text("queue") or self.text("event_type")

    def attempts(self) -> list[dict[str, Any]]:
        """Its attempts, the oldest first, each with texts by column."""
        return taking.children_of(self.shape, self.row, "attempts")

    def versions(self) -> list[dict[str, Any]]:
        """Its payload's versions."""
        return taking.children_of(self.shape, self.row, "payload_versions")


def as_moment(text: str | None) -> datetime | None:
    """From canonical text, which counts microseconds."""
    return None if text is None else _EPOCH + timedelta(microseconds=int(text))


def find(letter_id: int) -> Archived | None:
    """The archived dead letter of that number, whoever asks. Raises ArchiveRefused where no file can say."""
    if not ArchiveFile.objects.filter(kind="dead_letters", state="kept", ids__contains=letter_id).exists():
        return None
    if wrong := folder.problem():
        raise ArchiveRefused(f"Dead letter {letter_id} may be in the archive: {wrong}.")
    try:
        parquet.require_pyarrow()
        found = taking.find(raw_connection(), settings.DLQ_ARCHIVE_DIR, letter_id)
    except PipelineProblem as problem:
        raise ArchiveRefused(f"Dead letter {letter_id} may be in the archive: {problem}.") from problem
    if found is None:
        return None
    file_id, _path, shape, row = found
    return Archived(letter_id, ArchiveFile.objects.get(pk=file_id), shape, row)


def find_seen(letter_id: int, reach: Reach) -> Archived | None:
    """The same within somebody's reach. Raises ArchiveRefused, for who sees everything."""
    try:
        found = find(letter_id)
    except ArchiveRefused:
        if reach.is_limited:
            return None
        raise
    return found if found and reach.sees(found.queue, found.text("event_type")) else None


def raw_connection() -> psycopg.Connection:
    """Django's own connection as psycopg has it: what is done there is in Django's transaction."""
    connection.ensure_connection()
    link: psycopg.Connection = connection.connection
    return link
