"""Revive, discard and restore: set by set, as many rows at once as a second allows."""

import json
import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.states import DeadLetterStatus
from dlqconsole.engine.steadiness import connection_lost, sentence, steadily, took_too_long
from dlqconsole.operations.eligibility import eligible, why_not
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.leases import Held
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.models import Kind
from dlqconsole.operations.sql import sql

# A page slower than this is cut in half, a much faster one is doubled.
PAGE_SECONDS = 1.0
_TARGET = {Kind.DISCARD: DeadLetterStatus.DISCARDED, Kind.RESTORE: DeadLetterStatus.PENDING}


@dataclass(frozen=True, slots=True)
class Page:
    """What one page did: the last id it looked at (None: there was nothing left) and items settled."""

    last: int | None
    settled: int


class SetPages:
    """Pages of an operation that moves rows by itself."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.size = settings.DLQ_OPERATION_PAGE
        self._query = sql("pages.revive" if held.kind == Kind.REVIVE else "pages.move")
        self._values = held.values() | {
            "eligible": eligible(held.kind),
            "why": json.dumps(why_not(held.kind)),
            "target": str(_TARGET.get(Kind(held.kind), "")),
        }

    def next(self, after: int) -> Page:
        """Do the next page. An error harms only the row that causes it. Raises NotOurs."""
        while True:
            started = time.monotonic()
            try:
                page = steadily(lambda: self._run(self._query, after))
            except DatabaseError as error:
                if connection_lost(error):
                    raise
                if self.size == 1 and not took_too_long(error):
                    return self._fail(after, sentence(error))
                if self.size == 1:
                    raise
                self.size //= 2  # halving finds the one row in eleven steps; see _grow for the way back
                continue
            self._grow(time.monotonic() - started)
            return page

    def _grow(self, seconds: float) -> None:
        if seconds > PAGE_SECONDS:
            self.size = max(self.size // 2, 1)
        elif seconds < PAGE_SECONDS / 4:
            self.size = min(self.size * 2, settings.DLQ_OPERATION_PAGE)

    def _fail(self, after: int, reason: str) -> Page:
        page = steadily(lambda: self._run(sql("pages.fail_next"), after, reason=reason))
        self.size = min(2, settings.DLQ_OPERATION_PAGE)
        return page

    def _run(self, query: str, after: int, **more: object) -> Page:
        """One statement, one commit."""
        values: dict[str, Any] = self._values | {"after": after, "limit": self.size} | more
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            rows = fetch_dicts(query, values)
        if not rows:
            raise NotOurs
        return Page(rows[0]["last"], rows[0]["settled"])
