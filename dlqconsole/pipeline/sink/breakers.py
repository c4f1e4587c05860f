"""The gate of a Spark worker: its board is the database, by the sink's own connection."""

from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.rows import dict_row

from dlqconsole.pipeline.sql import sql
from dlqconsole.processing import breakers
from dlqconsole.processing.breakers import Blocked, Rules
from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.outcomes import Failed

# the name by which the console groups what was not tried
NOT_TRIED = "BreakerOpen"

type Connection = Callable[[], psycopg.Connection[Any]]


class _Board:
    """The breakers in the database. ``connection`` is asked each time: a lost one is replaced."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def look(self) -> list[dict[str, Any]]:
        """The rows of those that are not simply closed."""
        with self._connection().cursor(row_factory=dict_row) as cursor:
            return cursor.execute(sql("breakers.look")).fetchall()

    def note(self, values: dict[str, Any]) -> str:
        """Report the outcomes of some runs; return the breaker's state after them."""
        return str(self._first("breakers.note", values))

    def probe(self, values: dict[str, Any]) -> bool:
        """Tell whether the caller may try."""
        return bool(self._first("breakers.probe", values))

    def _first(self, name: str, values: dict[str, Any]) -> Any:
        row = self._connection().execute(sql(name), values).fetchone()
        return row[0] if row else None


class WorkerGate(breakers.BreakerGate):
    """One worker's view of the breakers."""

    def __init__(self, connection: Connection, handlers: Registry, rules: Rules) -> None:
        super().__init__(_Board(connection))
        self._handlers, self._rules = handlers, rules

    def registry(self) -> Registry:
        return self._handlers

    def rules(self) -> Rules:
        return self._rules


def blocked_outcome(block: Blocked) -> Failed:
    """Return the outcome of an event whose handler was not called. The schedule tries it later."""
    why = f"{block.held_by} holds it open" if block.held_by else block.reason
    reason = f"{NOT_TRIED}: its handler was not called, because the breaker {block.key} is open: {why}"
    return Failed(reason[:4_000], "DEPENDENCY", NOT_TRIED, "")
