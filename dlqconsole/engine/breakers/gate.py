"""The gate of the processes that have Django: its board is the database that Django is connected to."""

from typing import Any

from django.conf import settings

from dlqconsole.engine.database import prepared
from dlqconsole.engine.handling import registry
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing import breakers
from dlqconsole.processing.breakers import Rules
from dlqconsole.processing.handlers import Registry


class Board:
    """The breakers in the database."""

    def look(self) -> list[dict[str, Any]]:
        """The rows of those that are not simply closed."""
        return fetch_dicts(sql("breakers.look"), {})

    def note(self, values: dict[str, Any]) -> str:
        """Tell what came of some runs; the breaker's state then."""
        return str(prepared.run(sql("breakers.note"), values)()[0][0])

    def probe(self, values: dict[str, Any]) -> bool:
        """Whether the caller may try."""
        return bool(prepared.run(sql("breakers.probe"), values)()[0][0])


class Gate(breakers.BreakerGate):
    """One process's view of the breakers. One thread's."""

    def __init__(self) -> None:
        super().__init__(Board())

    def registry(self) -> Registry:
        return registry()

    def rules(self) -> Rules:
        return Rules(
            settings.DLQ_BREAKER_FAILURES,
            settings.DLQ_BREAKER_SHARE,
            settings.DLQ_BREAKER_SUCCESSES,
            settings.DLQ_BREAKER_FIRST_PAUSE,
            settings.DLQ_BREAKER_LONGEST_PAUSE,
        )
