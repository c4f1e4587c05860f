"""The files of a receipt: its items as CSV, and an export's own file."""

from collections.abc import Iterator

from dlqconsole.engine.access_scope import AccessScope, asking_as, current_access
from dlqconsole.engine.gate import masker
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES, Items
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.exporting import ExportFile
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import ReceiptItem
from dlqconsole.processing.formats.csv_text import record
from dlqconsole.processing.masking import Masker

ITEMS_PAGE = 2_000
DELETED = "no longer exists"
# by the sort of items: the columns by their names, and the word for an item that does not exist any more
_COLUMNS = {
    "dead_letter": "dead_letter_id",
    "outcome": "fate",
    "reason": "reason",
    "message": "message_id",
    "group": "group_id",
    "status_now": "status_now",
}
_LISTS: dict[Items, tuple[tuple[str, ...], str]] = {
    DEAD_LETTERS: (tuple(_COLUMNS), DELETED),
    MESSAGES: (("message", "outcome", "reason", "dead_letter", "status_now"), "gone"),
}


def items_csv(operation_id: int, of: Items = DEAD_LETTERS) -> Iterator[bytes]:
    """Return each item's fate and its present state as CSV, page by page of ids, so at flat memory.

    It is limited to the scope of now, also where the pages are read later. A handler's reason may quote its
    input: personal data in it is masked.
    """
    return _pages(operation_id, of, current_access())


def _pages(operation_id: int, of: Items, access: AccessScope) -> Iterator[bytes]:
    columns, missing_word = _LISTS[of]
    yield _record(columns)
    mask, after = masker(), 0
    while rows := _page(operation_id, of, access, after):
        after = getattr(rows[-1], of.key)
        yield b"".join(_record([_cell(row, name, mask, missing_word) for name in columns]) for row in rows)


def _page(operation_id: int, of: Items, access: AccessScope, after: int) -> list[ReceiptItem]:
    with asking_as(access):
        return receipt.items(operation_id, after=after, limit=ITEMS_PAGE, of=of)


def _cell(row: ReceiptItem, name: str, mask: Masker, missing_word: str) -> str:
    if name == "reason":
        return mask.text(row.reason)
    value = getattr(row, _COLUMNS[name])
    return "" if value is None and name != "status_now" else str(value or missing_word)


def items_name(operation_id: int) -> str:
    """The file's name: it contains nothing of the data or the request."""
    return f"dlq-operation-{operation_id}-items.csv"


def export_file(operation: Operation) -> ExportFile | None:
    """The file of a completed export; None where there is none, or not yet."""
    return kinds.shown(operation.kind).file(operation)


def _record(values: tuple[str, ...] | list[str]) -> bytes:
    return record(values).encode("utf-8", "replace")
