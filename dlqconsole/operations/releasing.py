"""The end of the undo window: messages that were held back may be claimed.

Any worker may do it, in pages; where one stops, the next goes on.
"""

import time

from django.db import transaction

from dlqconsole.engine import crash_points
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.sql import sql

PAGE_ROWS = 5_000


def release_due(deadline: float) -> None:
    """Bring forward what operations hold back beyond their undo window, as long as the time allows."""
    while time.monotonic() < deadline and (operation_id := _due()) is not None:
        if not _release(operation_id, deadline):
            return


def _release(operation_id: int, deadline: float) -> bool:
    """Page by page; False when the time was used, or another worker is at it."""
    over: bool | None = False
    while over is False and time.monotonic() < deadline:
        over = retry_transient(lambda: _page(operation_id))
    return bool(over)


def _due() -> int | None:
    found = fetch_column(sql("releasing.due"), {})
    return int(found[0]) if found else None


def _page(operation_id: int) -> bool | None:
    """One commit; True: that was all, None: another worker is at it."""
    with transaction.atomic(durable=True):
        page_limits()
        found = fetch_column(sql("releasing.page"), {"id": operation_id, "limit": PAGE_ROWS})
        crash_points.reach("operation.releasing")
    crash_points.reach("operation.released")
    return bool(found[0]) if found else None
