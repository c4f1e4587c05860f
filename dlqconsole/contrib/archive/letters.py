"""An archived dead letter, read from its file; and as a line of text or of JSON, masked."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.contrib.archive import folder
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.job import parquet, taking
from dlqconsole.contrib.archive.job.shapes import TableShape, Texts
from dlqconsole.contrib.archive.models import ArchiveFile
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.excerpts import REASON
from dlqconsole.engine.gate import MARGIN, Shown
from dlqconsole.hosting.database import connection
from dlqconsole.pipeline.errors import PipelineProblem

_NAMES = ("event_type", "queue", "source", "source_key")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Archived:
    """A dead letter of the archive: ``text`` is a column as PostgreSQL writes it, ``moment`` a moment."""

    id: int
    file: ArchiveFile
    shape: TableShape
    row: Texts

    def text(self, column: str) -> str:
        """The text of a column; empty where it has none."""
        return self.row[self.shape.place(column)] or ""

    def number(self, column: str) -> int | None:
        """The number of a column, or None."""
        text = self.row[self.shape.place(column)]
        return None if text is None else int(text)

    def moment(self, column: str) -> datetime | None:
        """The moment of a column, or None."""
        return as_moment(self.row[self.shape.place(column)])

    def raw(self, column: str) -> bytes | None:
        """The bytes of a column, or None."""
        text = self.row[self.shape.place(column)]
        return None if text is None else bytes.fromhex(text)

    @property
    def queue(self) -> str:
        """The queue under which it is counted."""
        return self.text("queue") or self.text("event_type")

    def attempts(self) -> list[dict[str, Any]]:
        """Its attempts, the oldest first, each with texts by column."""
        return taking.children_of(self.shape, self.row, "attempts")

    def versions(self) -> list[dict[str, Any]]:
        """The versions of its payload."""
        return taking.children_of(self.shape, self.row, "payload_versions")


def as_moment(text: str | None) -> datetime | None:
    """Read the canonical text of a moment, which counts microseconds."""
    return None if text is None else _EPOCH + timedelta(microseconds=int(text))


def find(letter_id: int) -> Archived | None:
    """The archived dead letter of that number, for any caller. Raises ArchiveRefused if no file can say."""
    if not ArchiveFile.objects.filter(kind="dead_letters", state="kept", ids__contains=letter_id).exists():
        return None
    if folder_problem := folder.problem():
        raise ArchiveRefused(
            _("Dead letter {letter_id} may be in the archive: {folder_problem}.").format(
                letter_id=letter_id, folder_problem=folder_problem
            )
        )
    try:
        parquet.require_pyarrow()
        match = taking.find(raw_connection(), settings.DLQ_ARCHIVE_DIR, letter_id)
    except PipelineProblem as problem:
        raise ArchiveRefused(
            _("Dead letter {letter_id} may be in the archive: {problem}.").format(
                letter_id=letter_id, problem=problem
            )
        ) from problem
    if match is None:
        return None
    file_id, _path, shape, row = match
    return Archived(letter_id, ArchiveFile.objects.get(pk=file_id), shape, row)


def find_seen(letter_id: int) -> Archived | None:
    """The archived dead letter of that number within the scope. Raises ArchiveRefused if it is unlimited."""
    access = current_access()
    try:
        letter = find(letter_id)
    except ArchiveRefused:
        if access.is_limited:
            return None
        raise
    return letter if letter and access.sees(letter.queue, letter.text("event_type")) else None


def raw_connection() -> psycopg.Connection:
    """Django's own connection as psycopg's: its statements are part of Django's transaction."""
    connection.ensure_connection()
    link: psycopg.Connection = connection.connection
    return link


def mask_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the archive as everybody may see it, with the beginning of its reason."""
    texts = masked_texts()
    return {
        **{name: row[name] for name in ("id", "status", "error_category", "created_at")},
        **{name: texts.text(row[name] or "") for name in _NAMES},
        "error_reason": texts.beginning_of((row["error_reason"] or "")[: REASON + MARGIN], REASON),
    }


def as_line(row: dict[str, Any]) -> Shown:
    """``42  DISCARDED  2026-01-31  order.created  shop  order-7  Refused: no``."""
    letter = mask_row(row)
    parts = [letter["id"], letter["status"], f"{letter['created_at']:%Y-%m-%d}", letter["event_type"]]
    parts += [letter["source"] or "-", letter["source_key"] or "-", " ".join(letter["error_reason"].split())]
    return Shown("  ".join(map(str, parts)))


def as_json(row: dict[str, Any]) -> Shown:
    """One object in one line."""
    letter = mask_row(row)
    return Shown(json.dumps(letter | {"created_at": letter["created_at"].isoformat()}, ensure_ascii=False))
