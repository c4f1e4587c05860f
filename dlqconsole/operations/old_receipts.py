"""Old receipts: after DLQ_RECEIPT_DAYS an operation keeps its numbers and lets its items go."""

from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations import kinds
from dlqconsole.operations.sql import sql

# items that go in one commit, and what one call does at most: the next one goes on with what is left
PAGE, PAGES, AT_ONCE = 2_000, 50, 20


def forget_old_items(days: int) -> int:
    """Delete the items of operations that ended so many days ago; how many went. 0 days: none.

    What is open, or can still be taken back, keeps them. A page a commit; who dies in between leaves the
    operation marked, and the next call goes on.
    """
    if not days:
        return 0
    undoable = [kind.name for kind in kinds.every() if kind.can_be_undone]
    fetch_column(sql("old_receipts.begin"), {"days": days, "undoable": undoable, "limit": AT_ONCE})
    gone = 0
    for _ in range(PAGES):
        leaving = fetch_column(sql("old_receipts.leaving"), {})
        if not leaving:
            break
        gone += _next_page(leaving[0])
    return gone


def _next_page(operation_id: int) -> int:
    (gone,) = fetch_column(sql("old_receipts.page"), {"id": operation_id, "limit": PAGE})
    if not gone:
        fetch_column(sql("old_receipts.end"), {"id": operation_id})
    return int(gone)
