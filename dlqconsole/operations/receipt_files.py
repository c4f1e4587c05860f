"""The files that belong to a receipt: its items as CSV, and an export's own file."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.operations import exporting
from dlqconsole.operations.export_rows import cell, masker
from dlqconsole.operations.models import Kind, Operation, Status
from dlqconsole.operations.sql import sql

ITEMS_PAGE = 2_000
ITEM_COLUMNS = ("dead_letter", "outcome", "reason", "message", "group", "status_now")
DELETED = "no longer exists"


def items_csv(operation_id: int) -> Iterator[bytes]:
    """What became of each item, and in which state it is now; page by page of ids, so at flat memory.

    A handler's reason may quote what it was given: personal data in it is masked.
    """
    yield _record(ITEM_COLUMNS)
    mask = masker()
    after = 0
    while rows := fetch_dicts(
        sql("receipts.items"), {"id": operation_id, "after": after, "limit": ITEMS_PAGE}
    ):
        after = rows[-1]["dead_letter"]
        for row in rows:
            row["reason"] = mask.text(row["reason"])
            row["status_now"] = row["status_now"] or DELETED
        yield b"".join(_record([_text(row[column]) for column in ITEM_COLUMNS]) for row in rows)


def items_name(operation_id: int) -> str:
    """A name of our own making: nothing of the data or the request is in it."""
    return f"dlq-operation-{operation_id}-items.csv"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """An export's file as its receipt shows it."""

    name: str
    rows: int
    size: int
    sha256: str
    masked: bool
    # when it was deleted; None while it is there
    deleted_at: datetime | None


def export_file(operation: Operation) -> ExportFile | None:
    """The file of a completed export; None where there is none, or not yet."""
    if operation.kind != Kind.EXPORT or operation.status != Status.COMPLETED:
        return None
    # a worker that died right after the last page leaves this to whoever asks first
    result = operation.result if "sha256" in operation.result else exporting.finish(operation.pk)
    if "sha256" not in result:
        return None
    finished = operation.finished_at or operation.created_at
    deleted = result.get("deleted_at")
    return ExportFile(
        name=f"dlq-{finished.astimezone(UTC):%Y%m%dT%H%M%SZ}-{operation.pk}.{result['format']}.gz",
        rows=result["rows"],
        size=result["bytes"],
        sha256=result["sha256"],
        masked=result["masked"],
        deleted_at=datetime.fromisoformat(deleted) if deleted else None,
    )


def _record(values: tuple[str, ...] | list[str]) -> bytes:
    return (",".join(map(cell, values)) + "\r\n").encode("utf-8", "replace")


def _text(value: object) -> str:
    return "" if value is None else str(value)
