"""Old receipts: after DLQ_RECEIPT_DAYS an operation keeps its numbers, and its items are deleted."""

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.operations import kinds
from dlqconsole.operations.sql import sql

# items deleted in one commit, and the most that one call does: the next call goes on
PAGE, PAGES, AT_ONCE = 2_000, 50, 20


def forget_old_items(days: int) -> int:
    """Delete the items of operations that ended so many days ago; return their number. 0 days: none.

    Operations that are open, or can still be taken back, keep theirs. One page is one commit; if a worker
    dies in between, the operation stays marked, and the next call goes on.
    """
    if not days:
        return 0
    undoable = [kind.name for kind in kinds.every() if kind.can_be_undone]
    fetch_column(sql("old_receipts.begin"), {"days": days, "undoable": undoable, "limit": AT_ONCE})
    number = 0
    for _ in range(PAGES):
        operations = fetch_column(sql("old_receipts.leaving"), {})
        if not operations:
            break
        number += _next_page(operations[0])
    return number


def _next_page(operation_id: int) -> int:
    (number,) = fetch_column(sql("old_receipts.page"), {"id": operation_id, "limit": PAGE})
    if not number:
        fetch_column(sql("old_receipts.end"), {"id": operation_id})
    return int(number)
