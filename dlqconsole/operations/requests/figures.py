"""The figures of a preview, each by a query within the rest of the time budget.

A revive of many skips dead letters that failed repeatedly: preview, buttons and the canary use the rule here;
the page's statement has the same rule for the rows that it locked.
"""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet

from dlqconsole.core.handling import registry
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.transient_errors import took_too_long
from dlqconsole.engine import known_handlers
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.options import COME_BACKS_TOO
from dlqconsole.operations.requests.scope import Rows, Scope
from dlqconsole.operations.sql import sql
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.inputs.sentences import Sentence

type Letters = QuerySet[DeadLetter]

_LEAST_MS = 50  # with less time than this a query is not even tried


class OutOfTime(Exception):
    """The time budget is used up; further figures stay unknown."""


class TimeBudget:
    """The milliseconds for all queries together."""

    def __init__(self, milliseconds: int) -> None:
        self._until = time.monotonic() + milliseconds / 1000

    def ask(self, name: str, rows: Letters, columns: tuple[str, ...], *more: Any) -> list[tuple[Any, ...]]:
        """Run a named query over these columns of the rows. Raises OutOfTime."""
        select, parameters = rows.order_by().values(*columns).query.sql_with_params()
        milliseconds = int((self._until - time.monotonic()) * 1000)
        if milliseconds < _LEAST_MS:
            raise OutOfTime
        try:
            query = sql(f"preview.{name}").replace("{matched}", select)
            return _within(milliseconds, query, (*parameters, *more))
        except DatabaseError as error:
            if not took_too_long(error):
                raise
            raise OutOfTime from error


def census(rows: Letters, budget: TimeBudget) -> dict[str, list[tuple[str, int, int]]]:
    """Value, number and parts by ``status``, ``category``, ``type``, ``queue``, ``age`` (0 is the newest)."""
    columns = ("status", "error_category", "event_type", "queue", "dead_lettered_at")
    figures: dict[str, list[tuple[str, int, int]]] = {
        name: [] for name in ("status", "category", "type", "queue", "age")
    }
    for name, value, number, parts in budget.ask("census", rows, columns):
        figures[name].append((value, number, parts))
    return figures


def number(rows: Letters, budget: TimeBudget) -> int:
    """Count the rows."""
    return int(budget.ask("number", rows, ("pk",))[0][0])


def ordering_keys(rows: Letters, budget: TimeBudget) -> int:
    """Count the ordering keys of the rows."""
    return int(budget.ask("ordering_keys", rows, ("group_key",))[0][0])


def duplicates(rows: Letters, budget: TimeBudget) -> tuple[int, int]:
    """Count the rows that share their business key or data with another, and the number of such values."""
    rows_found = budget.ask("duplicates", rows, ("event_type", "payload"), json.dumps(_business_keys()))
    return int(rows_found[0][0]), int(rows_found[0][1])


def unhandled(rows: Letters, kind: Kind, budget: TimeBudget) -> list[tuple[int, str]]:
    """Count the rows of each event type whose handler no worker can run, with the reason; most first."""
    handlers = known_handlers.for_retries()
    if handlers is None:  # the workers report it
        return []
    types = sorted(kind.can_run(handlers))
    counts = budget.ask("unhandled", rows, ("status", "event_type"), kind.eligible(), types)
    return [(number, kind.why_not_run(event_type, handlers)) for event_type, number in counts]


def pace(kind: str) -> float | None:
    """The items a second that the newest operations of this kind moved; None: there were too few."""
    items_a_second: float | None = fetch_column(sql("preview.pace"), {"kind": str(kind)})[0]
    return items_a_second


def _business_keys() -> dict[str, list[str]]:
    try:
        return {event_type: list(path) for event_type, path in registry().business_keys.items()}
    except HandlerSetupError:  # the places that run handlers report it; a preview compares whole data then
        return {}


def _within(milliseconds: int, query: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def skips_come_backs(kind: Kind, scope: Scope, options: Mapping[str, Any]) -> bool:
    """Tell whether these are skipped: not with the option to include them, nor for one dead letter alone."""
    is_one = isinstance(scope, Rows) and len(scope.ids) == 1
    return kind.leaves_come_backs and not options.get(COME_BACKS_TOO.name) and not is_one


def come_backs_among(rows: QuerySet[DeadLetter], statuses: Iterable[str]) -> QuerySet[DeadLetter]:
    """The rows in these states that failed repeatedly after revivals."""
    letters: QuerySet[DeadLetter] = rows.filter(come_backs.keeps_coming(), status__in=list(statuses))
    return letters


def why_come_backs() -> str:
    """The reason why these are skipped."""
    times = Sentence("{most_come_backs:,} times or more", most_come_backs=retry_limits.most_come_backs())
    return Sentence(
        "failed again {times}: look at them, edit them, or revive one alone; an option includes them",
        times=times,
    )
