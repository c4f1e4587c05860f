"""Export: the file is the frozen selection, written in one pass from one moment of the database.

Its parts are rows, so that any web server of an installation can hand them out. A worker that dies leaves
parts behind, which the next one deletes before it begins again. The file is offered once the operation is
complete: where it shows personal data, after a second person has approved this very file.
"""

import hashlib
import json
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.database.presence import PresenceThread
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.pages.file_making import FileMaking
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.pages.work import OperationLease, OperationWork, PageResult, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing import crash_points
from dlqconsole.processing.formats import FORMATS
from dlqconsole.retries import stopping

# a part ends at this length
PART_BYTES = 1024 * 1024
# progress is noted this often
NOTE_SECONDS = 0.5
# the age at which a file is deleted
KEPT_DAYS = 7


def write(lease: OperationLease, sheet: Sheet) -> None:
    """Write the whole file. Raises NotOurs where the lease is lost, or a person cancelled."""
    _call("exporting.begin", lease)
    every = lease.lease_seconds / 4
    heart = PresenceThread("export", sql("exporting.extend"), sql("exporting.rest"), lease.values(), every)
    heart.start()
    try:
        _Storing(lease, sheet).store()
    finally:
        heart.stop()


class _Storing:
    """The way of one file into its parts."""

    def __init__(self, lease: OperationLease, sheet: Sheet) -> None:
        self._lease, self._format = lease, FORMATS[str(lease.options.get("format", "csv"))]
        self._is_masked = sheet.made is not None
        self._making = FileMaking(sheet, self._format.name)
        self._digest, self._size, self._number = hashlib.sha256(), 0, 0
        self._waiting: list[bytes] = []
        self._noted_at = time.monotonic()

    def store(self) -> None:
        for content in self._making.bytes():
            self._waiting.append(content)
            length = sum(map(len, self._waiting))
            if length >= PART_BYTES or time.monotonic() - self._noted_at > NOTE_SECONDS:
                self._store_part(length)
        with transaction.atomic(durable=True):
            self._store_part(sum(map(len, self._waiting)))
            self._end()

    def _store_part(self, length: int) -> None:
        """Store what waits, if anything does, and note how far the file has come."""
        if stopping.is_told():
            raise NotOurs
        content = b"".join(self._waiting)
        packed = content if self._format.is_packed else zlib.compress(content, 1)
        values = {"rows": self._making.row_count, "number": self._number, "start": self._size, "size": length}
        _call("exporting.add", self._lease, content=packed if content else None, **values)
        crash_points.reach("export.stored")
        self._digest.update(content)
        self._size, self._number = self._size + length, self._number + bool(content)
        self._waiting, self._noted_at = [], time.monotonic()

    def _end(self) -> None:
        making = self._making
        result = {
            "rows": making.row_count,
            "bytes": self._size,
            "sha256": self._digest.hexdigest(),
            "format": self._format.name,
            "masked": self._is_masked,
            "failed": making.failed,
            "notes": making.told(),
        }
        parts = [[*names, count] for names, count in making.parts.items()]
        values = {"result": json.dumps(result), "parts": json.dumps(parts)}
        _call("exporting.end", self._lease, selected=making.row_count + making.failed, **values)


class FilePages:
    """The one page of an export whose file is written, and approved where it must be."""

    def __init__(self, work: OperationWork) -> None:
        self.lease = work.lease
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None

    def next(self, after: int) -> PageResult:
        """Count the rows as done."""
        _call("exporting.settle", self.lease)
        return PageResult(None, 0)


def _call(name: str, lease: OperationLease, **values: Any) -> None:
    if not fetch_column(sql(name), lease.values() | values):
        raise NotOurs


@dataclass(frozen=True, slots=True)
class ExportFile:
    """An export's file as its receipt shows it."""

    name: str
    content_type: str
    rows: int
    size: int
    sha256: str
    is_masked: bool
    notes: tuple[str, ...]
    # when it was deleted; None while it is there
    deleted_at: datetime | None


def export_file(operation: Operation) -> ExportFile | None:
    """The file of a completed export; None where there is none, or not yet."""
    result: Mapping[str, Any] = operation.result
    if operation.status != Status.COMPLETED or "sha256" not in result:
        return None
    end = operation.finished_at or operation.created_at
    deletion = result.get("deleted_at")
    format = FORMATS[result["format"]]
    return ExportFile(
        name=f"dlq-{end.astimezone(UTC):%Y%m%dT%H%M%SZ}-{operation.pk}.{format.suffix}",
        content_type=format.content_type,
        rows=result["rows"],
        size=result["bytes"],
        sha256=result["sha256"],
        is_masked=result["masked"],
        notes=tuple(result["notes"]),
        deleted_at=datetime.fromisoformat(deletion) if deletion else None,
    )


def content(operation_id: int, is_packed: bool, first: int = 0, last: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from ``first`` to ``last``, both included, part by part."""
    start = first
    while rows := fetch_dicts(sql("exporting.part"), {"id": operation_id, "start": start}):
        part = bytes(rows[0]["content"])
        piece = part if is_packed else zlib.decompress(part)
        begin = rows[0]["start"]
        end = len(piece) if last is None else last + 1 - begin
        yield piece[start - begin : end]
        start = begin + len(piece)
        if last is not None and start > last:
            return


def forget_old() -> int:
    """Delete the files of cancelled exports, and those older than a week; return their number."""
    with transaction.atomic():
        return len(fetch_column(sql("exporting.forget"), {"days": KEPT_DAYS}))
