"""The end of the undo window: release the messages that it held back.

Any worker may do it, in pages; where one stops, the next goes on. The release is as fast as the failures
allow, and no faster than the person's rate.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.pages.statements import begun_by_group, paced_values, page_limits
from dlqconsole.operations.pages.work import Rooms
from dlqconsole.operations.requests import pace
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work.pacing import OperationPace
from dlqconsole.processing import crash_points

PAGE_ROWS = 5_000
# the tick has other work, too: messages that must wait longer than this wait for the next tick
WAIT_SECONDS, NAP_SECONDS = 4.0, 0.2


def release_due(deadline: float) -> None:
    """Release the messages of operations whose undo window is over, until the deadline."""
    waits_until = time.monotonic() + WAIT_SECONDS
    releases: dict[int, _Release] = {}
    while time.monotonic() < deadline and (due := _due()):
        for row in due:
            releases.setdefault(row["id"], _Release(row))
        progress = [releases[row["id"]].step(row) for row in due]
        if any(progress):
            continue
        if time.monotonic() > waits_until or not any(releases[row["id"]].waits for row in due):
            return
        time.sleep(NAP_SECONDS)


class _Release:
    """The release of one operation by one worker: by failure group where some have to wait."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self._id, self._after = row["id"], 0
        is_paced = pace.follows(row["kind"], row["done"], row["options"])
        self._pace = OperationPace(self._id, hears=True) if is_paced else None
        self.waits = False

    def step(self, row: Mapping[str, Any]) -> bool:
        """Release one page; False where it has to wait, or another worker is at it."""
        self.waits = not row["may_go"]
        if self.waits:
            return False
        rooms = self._pace.rooms() if self._pace else None
        page = retry_transient(lambda: _page(self._id, self._after, _limit(row), rooms))
        if page is None:
            return False
        if self._pace:
            self._pace.took(begun_by_group(page))
        # the next round starts again with messages that had to wait
        self._after = page["last"] or 0
        self.waits = not page["released"] and not page["over"]
        return bool(page["released"] or page["over"])


def _limit(row: Mapping[str, Any]) -> int:
    return min(max(row["rate"] or PAGE_ROWS, 1), PAGE_ROWS)


def _due() -> list[dict[str, Any]]:
    return [row | {"options": json.loads(row["options"])} for row in fetch_dicts(sql("releasing.due"), {})]


def _page(operation_id: int, after: int, limit: int, rooms: Rooms | None) -> dict[str, Any] | None:
    """Release one page in one commit; None: another worker is at it."""
    with transaction.atomic(durable=True):
        page_limits()
        values = {"id": operation_id, "after": after, "limit": limit} | paced_values(rooms)
        rows = fetch_dicts(sql("releasing.page"), values)
        crash_points.reach("operation.releasing")
    crash_points.reach("operation.released")
    return rows[0] if rows else None
