"""Freezing: the filter's matches become items, so that what a person confirmed is what will be done."""

import json
import time
from dataclasses import dataclass
from functools import partial

from django.db import Error, connection, transaction

from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.steadiness import steadily, took_too_long
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.leases import Held
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.sql import sql

FIRST_WINDOW = 20_000
WINDOW_SECONDS = 0.5


@dataclass(slots=True)
class Progress:
    """How far the freezing has come."""

    scope: str
    filter: DeadLetterFilter
    frozen_to: int
    cutoff: int


def freeze(held: Held, deadline: float) -> bool:
    """Select the items; True when the selection is complete. Raises NotOurs."""
    progress = _progress(held)
    if progress.scope == "rows":
        steadily(lambda: _freeze_rows(held))
        return True
    window = FIRST_WINDOW
    while True:
        started = time.monotonic()
        try:
            status = steadily(partial(_freeze_window, held, progress, window))
        except Error as error:
            if not took_too_long(error) or window == 1:
                raise
            window = max(window // 4, 1)
            continue
        if status != "freezing":
            return True
        if time.monotonic() > deadline:
            return False
        # a window of ids, not a number of matches: also a filter that matches nothing moves on steadily
        window = _next_window(window, time.monotonic() - started)


def _next_window(window: int, seconds: float) -> int:
    if seconds < WINDOW_SECONDS / 2:
        return window * 2
    return max(window // 2, 1) if seconds > WINDOW_SECONDS * 2 else window


def _progress(held: Held) -> Progress:
    for row in fetch_dicts(sql("freezing.progress"), held.values()):
        stored = row["filter"]
        canonical = json.loads(stored) if isinstance(stored, str) else stored
        filter = DeadLetterFilter.from_canonical(canonical)
        return Progress(row["scope"], filter, row["frozen_to_id"], row["cutoff_id"])
    raise NotOurs


def _freeze_rows(held: Held) -> None:
    with transaction.atomic(durable=True):
        page_limits()
        if not fetch_column(sql("freezing.rows"), held.values()):
            raise NotOurs


def _freeze_window(held: Held, progress: Progress, window: int) -> str:
    """One window of ids, one commit; the operation's status after it."""
    end = min(progress.frozen_to + window, progress.cutoff)
    matched = progress.filter.queryset().filter(pk__gt=progress.frozen_to, pk__lte=end).values("pk")
    select, parameters = matched.query.sql_with_params()
    values = [held.id, held.token, progress.frozen_to, *parameters, end, end, held.lease_seconds]
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        page_limits()
        cursor.execute(sql("freezing.window").replace("{matched}", select), values)
        row = cursor.fetchone()
    if row is None:
        raise NotOurs
    progress.frozen_to = end
    return str(row[0])
