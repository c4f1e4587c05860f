"""Export: write the selection to a file, one part with every page.

A part is a gzip member of its own, written in the transaction that settles its items: a worker that dies
costs one page, and no row is in the file twice or missing. The members one after the other are the file.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import ExportChunk, ItemStatus, Operation, Status
from dlqconsole.operations.pages.export_rows import Line, Row, columns_sql, header, line_maker
from dlqconsole.operations.pages.statements import SetPages, page_limits, selection, statement
from dlqconsole.operations.pages.work import CountsAsChanged, OperationWork, PageResult
from dlqconsole.operations.sql import sql
from dlqconsole.processing.texts import one_line

# a page ends at this length of its text; a row is never cut
PAGE_CHARACTERS = 8 * 1024 * 1024
# rows in memory at once: each may hold a large payload
FETCH_ROWS = 20
GONE = "no longer exists"

# the age at which a file is deleted
KEPT_DAYS = 7


class ExportPages(SetPages):
    """Pages of an export. Personal data is masked unless the operation says that it is not."""

    def __init__(self, work: OperationWork) -> None:
        super().__init__(work, sql("exporting.open"), {})
        self.format: str = work.lease.options.get("format", "csv")
        self._line = line_maker(self.format, is_masked=work.lease.options.get("unmasked") is not True)

    def _run(self, text: str, after: int, **more: object) -> PageResult:
        """Write one page, in one commit."""
        if text != self._text:
            return super()._run(text, after, **more)
        limit = self.size if self.at_most is None else min(self.size, self.at_most)
        values: dict[str, Any] = self._values | {"after": after, "limit": limit}
        with transaction.atomic(durable=True):
            page_limits()
            rows = fetch_dicts(statement(text, self.changed, selection(self)), values)
            if not rows:
                raise NotOurs
            ids, number = rows[0]["ids"], rows[0]["number"]
            if not ids:
                return PageResult(None, 0)
            part = _Part(self._line, header(self.format) if number == 0 else "")
            read_count = part.take(ids, _rows(ids, self.lease.id, self.changed))
            page_limits(nested_loops=False)
            closing_values = {"limit": read_count, "number": number, **part.values()}
            query = statement(sql("exporting.close"), self.changed, selection(self))
            results = fetch_dicts(query, values | closing_values)
        return PageResult(results[0]["last"], results[0]["settled"])


class _Part:
    """The lines of one page, and the reasons of the rows without one."""

    def __init__(self, line: Line, beginning: str) -> None:
        self._line = line
        self._lines = [beginning] if beginning else []
        self._exceptions: dict[str, dict[str, str]] = {}

    def take(self, ids: list[int], rows: Iterable[Row]) -> int:
        """Write the rows of these ids, as many as fit; return the number of ids that are dealt with."""
        read_ids, length = set(), 0
        for *row, reason in rows:
            letter_id = int(row[0] or 0)
            read_ids.add(letter_id)
            if reason:
                self._exceptions[str(letter_id)] = {"status": str(ItemStatus.SKIPPED), "reason": reason}
            else:
                length += self._write(letter_id, row)
            if length >= PAGE_CHARACTERS:
                return self._account(ids[: ids.index(letter_id) + 1], read_ids)
        return self._account(ids, read_ids)

    def values(self) -> dict[str, Any]:
        """The values of the closing statement."""
        text = "".join(self._lines)
        content = gzip.compress(text.encode("utf-8", "replace"), mtime=0) if text else None
        return {"content": content, "exceptions": json.dumps(self._exceptions)}

    def _write(self, letter_id: int, row: Row) -> int:
        try:
            line = self._line(row)
        except Exception as error:  # any error harms this row only
            reason = one_line(f"cannot be written: {type(error).__name__}: {error}", 500)
            self._exceptions[str(letter_id)] = {"status": str(ItemStatus.FAILED), "reason": reason}
            return 0
        self._lines.append(line)
        return len(line)

    def _account(self, ids: list[int], read_ids: set[int]) -> int:
        for missing_id in set(ids) - read_ids:
            self._exceptions[str(missing_id)] = {"status": str(ItemStatus.SKIPPED), "reason": GONE}
        return len(ids)


def _rows(ids: list[int], operation_id: int, rule: CountsAsChanged) -> Iterator[Row]:
    """The rows of these ids, each with one more column: the reason why it is skipped now."""
    query = rule.put_into(sql("exporting.rows")).replace("{columns}", columns_sql())
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(query, {"ids": ids, "id": operation_id})
        while rows := cursor.fetchmany(FETCH_ROWS):
            yield from rows


@dataclass(frozen=True, slots=True)
class ExportFile:
    """An export's file as its receipt shows it."""

    name: str
    rows: int
    size: int
    sha256: str
    is_masked: bool
    # when it was deleted; None while it is there
    deleted_at: datetime | None


def export_file(operation: Operation, options: Mapping[str, Any]) -> ExportFile | None:
    """The file of a completed export; None where there is none, or not yet."""
    if operation.status != Status.COMPLETED:
        return None
    # a worker that died right after the last page leaves this to the first reader
    result = operation.result if "sha256" in operation.result else finish(operation.pk, options)
    if "sha256" not in result:
        return None
    end = operation.finished_at or operation.created_at
    deletion = result.get("deleted_at")
    return ExportFile(
        name=f"dlq-{end.astimezone(UTC):%Y%m%dT%H%M%SZ}-{operation.pk}.{result['format']}.gz",
        rows=result["rows"],
        size=result["bytes"],
        sha256=result["sha256"],
        is_masked=result["masked"],
        deleted_at=datetime.fromisoformat(deletion) if deletion else None,
    )


def finish(operation_id: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Note rows, bytes and SHA-256 of the file on a completed export. Calling it again changes nothing.

    The file is read part by part, never as a whole.
    """
    with transaction.atomic():
        operation = Operation.objects.select_for_update().get(pk=operation_id)
        if operation.status != Status.COMPLETED or operation.result:
            return dict(operation.result)
        format = str(options.get("format", "csv"))
        _begin_empty(operation_id, format)
        digest, size, number = hashlib.sha256(), 0, 0
        for content in parts(operation_id):
            digest.update(content)
            size, number = size + len(content), number + 1
        operation.result = {
            "rows": operation.done,
            "bytes": size,
            "parts": number,
            "sha256": digest.hexdigest(),
            "format": format,
            "masked": options.get("unmasked") is not True,
        }
        operation.save(update_fields=["result"])
    return dict(operation.result)


def parts(operation_id: int) -> Iterator[bytes]:
    """The file, part by part."""
    number = 0
    of_operation = ExportChunk.objects.filter(operation_id=operation_id).values_list("content", flat=True)
    while (content := of_operation.filter(number=number).first()) is not None:
        yield bytes(content)
        number += 1


def forget_old() -> int:
    """Delete the files of exports that are older than a week; return their number."""
    with transaction.atomic():
        return len(fetch_column(sql("exporting.forget"), {"days": KEPT_DAYS}))


def _begin_empty(operation_id: int, format: str) -> None:
    """Write the header of an export without rows, so that it has a file, too."""
    if not ExportChunk.objects.filter(operation_id=operation_id).exists():
        content = gzip.compress(header(format).encode(), mtime=0)
        execute(sql("exporting.add_chunk"), {"id": operation_id, "content": content})
