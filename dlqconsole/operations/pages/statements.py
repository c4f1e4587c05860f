"""Pages of an operation: one statement each, over as many rows as a second allows."""

import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.core.flow.judging import DEFAULT_BOUNDS
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.transient_errors import (
    connection_lost,
    retry_transient,
    sentence,
    took_too_long,
)
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.pages.work import CountsAsChanged, OperationWork, PageResult, Pages, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing import crash_points

# A page slower than this is cut in half, a much faster one is doubled.
PAGE_SECONDS = 1.0

_SHARED = ("keeps_coming", "passed_only", "reason_of_others", "gone", "settle")
# the parts that select a page's items: the next ones, the canary's probes, or those of groups with room
NEXT, PROBES, PACED = "held", "held_probes", "held_paced"


def selection(pages: Pages) -> str:
    """The part of a page's statement that selects its items."""
    if pages.probes:
        return PROBES
    return NEXT if pages.rooms is None else PACED


@cache
def statement(text: str, rule: CountsAsChanged, selects: str = NEXT, items: Items = DEAD_LETTERS) -> str:
    """A page's statement, completed with the parts that all of them share."""
    is_paced = selects == PACED
    for name in ("last", "taken", "not_full"):
        part = sql(f"pages.{name}_paced") if is_paced else sql(f"pages.{name}")
        text = text.replace("{" + name + "}", part)
    parts = {name: sql(f"pages.{name}") for name in _SHARED}
    parts["settle"] = parts["settle"].replace("{last}", sql("pages.last_paced" if is_paced else "pages.last"))
    parts["settle"] = parts["settle"].replace(
        "{taken}", sql("pages.taken_paced" if is_paced else "pages.taken")
    )
    parts["held"] = sql(f"pages.{selects}")
    parts["changed"] = rule.stale
    completed_parts = {name: items.put_into(part) for name, part in parts.items()}
    return items.put_into(text).format(**completed_parts)


def paced_values(rooms: Rooms | None) -> dict[str, Any]:
    """The values of a statement that may begin only so many of each failure group."""
    limits = DEFAULT_BOUNDS
    values = (rooms or Rooms({}, 0)).values()
    return values | {"is_paced": rooms is not None, "floor": limits.floor, "ceiling": limits.ceiling}


def begun_by_group(row: Mapping[str, Any]) -> dict[int, int]:
    """The number of items that a page began, by failure group."""
    return {int(group): number for group, number in json.loads(row["taken"] or "{}").items()}


class SetPages:
    """Pages of an operation whose work is one statement a page.

    ``at_most``: no page may be larger, for the sake of a rate or of a canary's stage. ``probes``: only the
    canary's probes.
    """

    def __init__(
        self, work: OperationWork, text: str, values: Mapping[str, Any], items: Items = DEAD_LETTERS
    ) -> None:
        self.lease, self.items, self.changed = work.lease, items, work.changed
        self.size = settings.DLQ_OPERATION_PAGE
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None
        self._text = text
        self._values = {**work.values(), **values}

    def next(self, after: int) -> PageResult:
        """Do the next page. An error harms only the row that causes it. Raises NotOurs."""
        while True:
            start = time.monotonic()
            try:
                page = retry_transient(lambda: self._run(self._text, after))
            except DatabaseError as error:
                if connection_lost(error):
                    raise
                if self.size == 1 and not took_too_long(error):
                    return self._fail(after, sentence(error))
                if self.size == 1:
                    raise
                self.size //= 2  # halving finds the one row in eleven steps; see _grow for the way back
                continue
            self._grow(time.monotonic() - start)
            return page

    def _grow(self, seconds: float) -> None:
        if seconds > PAGE_SECONDS:
            self.size = max(self.size // 2, 1)
        elif seconds < PAGE_SECONDS / 4:
            self.size = min(self.size * 2, settings.DLQ_OPERATION_PAGE)

    def _fail(self, after: int, reason: str) -> PageResult:
        page = retry_transient(lambda: self._run(sql("pages.fail_next"), after, reason=reason))
        self.size = min(2, settings.DLQ_OPERATION_PAGE)
        return page

    def _run(self, text: str, after: int, **more: object) -> PageResult:
        """Run one statement, in one commit."""
        limit = self.size if self.at_most is None else min(self.size, self.at_most)
        values: dict[str, Any] = self._values | {"after": after, "limit": limit} | more
        values |= paced_values(self.rooms)
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            rows = fetch_dicts(statement(text, self.changed, selection(self), self.items), values)
            crash_points.reach("operation.paging")
        crash_points.reach("operation.paged")
        if not rows:
            raise NotOurs
        return PageResult(rows[0]["last"], rows[0]["settled"], begun_by_group(rows[0]))


def page_limits(nested_loops: bool = True) -> None:
    """Set this transaction's limits, because a person who cancels waits for its end. Call it first.

    Without nested loops a page must not read a whole table, or sort all of an operation's items, even if old
    statistics suggest it: it finds all its rows by key, in order.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', '1s', true), set_config('statement_timeout', '15s', true),"
            " set_config('enable_nestloop', %s, true), set_config('enable_seqscan', %s, true),"
            " set_config('enable_bitmapscan', %s, true)",
            ["on" if nested_loops else "off"] * 3,
        )
