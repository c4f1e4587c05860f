"""An export's file: complete with its last page, read part by part, deleted after DLQ_EXPORT_DAYS."""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.models import ExportChunk, Operation, Status
from dlqconsole.operations.pages.export_rows import header
from dlqconsole.operations.sql import sql

# the age at which a file is deleted
KEPT_DAYS = 7


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
