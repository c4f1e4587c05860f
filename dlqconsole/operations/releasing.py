"""The end of the undo window: messages that were held back may be claimed.

Any worker may do it, in pages; where one stops, the next goes on. What goes out is as fast as what comes back
allows, and no faster than the person asked.
"""

import json
import time
from typing import Any

from django.db import transaction

from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.pacing import OperationPace
from dlqconsole.operations.sql import sql
from dlqconsole.processing import crash_points

PAGE_ROWS = 5_000
# the tick looks after other things, too: what has to wait for so long waits for the next one
WAIT_SECONDS, NAP_SECONDS = 4.0, 0.2


def release_due(deadline: float) -> None:
    """Bring forward what operations hold back beyond their undo window, as long as the time allows."""
    waits_until = time.monotonic() + WAIT_SECONDS
    paces: dict[int, OperationPace] = {}
    while time.monotonic() < deadline and (due := _due()):
        gone_out = [_release(row, paces) for row in due]
        if any(gone_out):
            continue
        if time.monotonic() > waits_until or not any(row["waits"] for row in due):
            return
        time.sleep(NAP_SECONDS)


def _release(row: dict[str, Any], paces: dict[int, OperationPace]) -> bool:
    """One page of an operation; False where it has to wait, or another worker is at it."""
    pace = paces.setdefault(row["id"], OperationPace.of_release(row))
    room = pace.room(row["released_to_id"]) if row["may_go"] else 0
    row["waits"] = room == 0
    if room == 0:
        return False
    limit = min(room or PAGE_ROWS, max(row["rate"] or PAGE_ROWS, 1), PAGE_ROWS)
    return retry_transient(lambda: _page(row["id"], limit)) is not None


def _due() -> list[dict[str, Any]]:
    return [
        row | {"options": json.loads(row["options"]), "waits": False}
        for row in fetch_dicts(sql("releasing.due"), {})
    ]


def _page(operation_id: int, limit: int | None = None) -> bool | None:
    """One commit; True: that was all, None: another worker is at it."""
    with transaction.atomic(durable=True):
        page_limits()
        values = {"id": operation_id, "limit": limit or PAGE_ROWS}
        found = fetch_column(sql("releasing.page"), values)
        crash_points.reach("operation.releasing")
    crash_points.reach("operation.released")
    return bool(found[0]) if found else None
