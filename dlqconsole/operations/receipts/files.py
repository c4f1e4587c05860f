"""The files of a receipt: its items as CSV, and an export's own file."""

from collections.abc import Iterator
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.gate import masker
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES, Items
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.exporting import ExportFile
from dlqconsole.operations.sql import sql
from dlqconsole.processing.formats.csv_text import record

ITEMS_PAGE = 2_000
DELETED = "no longer exists"
# by the sort of items: the named query, its columns, and the word for an item that does not exist any more
_LISTS: dict[Items, tuple[str, tuple[str, ...], str]] = {
    DEAD_LETTERS: (
        "receipts.items",
        ("dead_letter", "outcome", "reason", "message", "group", "status_now"),
        DELETED,
    ),
    MESSAGES: ("receipts.messages", ("message", "outcome", "reason", "dead_letter", "status_now"), "gone"),
}


def items_csv(operation_id: int, of: Items = DEAD_LETTERS) -> Iterator[bytes]:
    """Return each item's outcome and its present state as CSV, page by page of ids, so at flat memory.

    It is limited to the scope of now, also where the pages are read later. A handler's reason may quote its
    input: personal data in it is masked.
    """
    access = current_access()
    condition = sql("receipts.seen").format(letters=access.letters("s")) if access.is_limited else ""
    query = sql(_LISTS[of][0]).replace("{seen}", condition)
    return _pages(query, {"id": operation_id, "limit": ITEMS_PAGE} | access.values(), of)


def _pages(query: str, values: dict[str, Any], of: Items) -> Iterator[bytes]:
    _name, columns, missing_word = _LISTS[of]
    yield _record(columns)
    mask = masker()
    after = 0
    while rows := fetch_dicts(query, values | {"after": after}):
        after = rows[-1][columns[0]]
        for row in rows:
            row["reason"] = mask.text(row["reason"])
            row["status_now"] = row["status_now"] or missing_word
        yield b"".join(_record([_text(row[column]) for column in columns]) for row in rows)


def items_name(operation_id: int) -> str:
    """The file's name: it contains nothing of the data or the request."""
    return f"dlq-operation-{operation_id}-items.csv"


def export_file(operation: Operation) -> ExportFile | None:
    """The file of a completed export; None where there is none, or not yet."""
    return kinds.shown(operation.kind).file(operation)


def _record(values: tuple[str, ...] | list[str]) -> bytes:
    return record(values).encode("utf-8", "replace")


def _text(value: object) -> str:
    return "" if value is None else str(value)
