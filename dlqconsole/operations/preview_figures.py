"""The figures of a preview, each asked of the database within what is left of its time budget."""

import json
import time
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.transient_errors import took_too_long
from dlqconsole.engine.handling import registry
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.sql import sql
from dlqconsole.processing.errors import HandlerSetupError

type Rows = QuerySet[DeadLetter]

_LEAST_MS = 50  # with less than this left a question is not even asked


class OutOfTime(Exception):
    """The time budget is used up; what was not counted stays unknown."""


class Budget:
    """So many milliseconds for all questions together."""

    def __init__(self, milliseconds: int) -> None:
        self._until = time.monotonic() + milliseconds / 1000

    def ask(self, name: str, rows: Rows, columns: tuple[str, ...], *more: Any) -> list[tuple[Any, ...]]:
        """A named query over these columns of the rows. Raises OutOfTime."""
        select, parameters = rows.order_by().values(*columns).query.sql_with_params()
        left = int((self._until - time.monotonic()) * 1000)
        if left < _LEAST_MS:
            raise OutOfTime
        try:
            return _within(left, sql(f"preview.{name}").replace("{matched}", select), (*parameters, *more))
        except DatabaseError as error:
            if not took_too_long(error):
                raise
            raise OutOfTime from error


def census(rows: Rows, budget: Budget) -> dict[str, list[tuple[str, int, int]]]:
    """Value, number and parts by ``status``, ``category``, ``type``, ``queue``, ``age`` (0 is the newest)."""
    columns = ("status", "error_category", "event_type", "queue", "dead_lettered_at")
    found: dict[str, list[tuple[str, int, int]]] = {
        cut: [] for cut in ("status", "category", "type", "queue", "age")
    }
    for cut, value, number, parts in budget.ask("census", rows, columns):
        found[cut].append((value, number, parts))
    return found


def number(rows: Rows, budget: Budget) -> int:
    """How many there are."""
    return int(budget.ask("number", rows, ("pk",))[0][0])


def ordering_keys(rows: Rows, budget: Budget) -> int:
    """How many lanes of messages that follow one another are touched."""
    return int(budget.ask("ordering_keys", rows, ("group_key",))[0][0])


def duplicates(rows: Rows, budget: Budget) -> tuple[int, int]:
    """Rows that share what they are about with another, and how many such things there are."""
    found = budget.ask("duplicates", rows, ("event_type", "payload"), json.dumps(_business_keys()))
    return int(found[0][0]), int(found[0][1])


def unhandled(rows: Rows, kind: Kind, budget: Budget) -> list[tuple[int, str]]:
    """How many rows of an event type whose handler no worker can run for the kind, and why; most first."""
    known = known_handlers.for_retries()
    if known is None:  # said where handlers run
        return []
    types = sorted(kind.can_run(known))
    found = budget.ask("unhandled", rows, ("status", "event_type"), kind.eligible(), types)
    return [(number, kind.why_not_run(event_type, known)) for event_type, number in found]


def pace(kind: str) -> float | None:
    """Items a second that the newest operations of this kind moved; None where there was none to speak of."""
    found: float | None = fetch_column(sql("preview.pace"), {"kind": str(kind)})[0]
    return found


def _business_keys() -> dict[str, list[str]]:
    try:
        return {event_type: list(path) for event_type, path in registry().business_keys.items()}
    except HandlerSetupError:  # said where handlers run; a preview compares whole data then
        return {}


def _within(milliseconds: int, query: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    with transaction.atomic(), connection.cursor() as cursor:
        # asked once: compiling it would take longer than it saves
        cursor.execute(
            "SELECT set_config('statement_timeout', %s, true), set_config('jit', 'off', true)",
            [str(milliseconds)],
        )
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
