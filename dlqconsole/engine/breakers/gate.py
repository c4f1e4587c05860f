"""The breakers for processes with Django: their states are in the database that Django is connected to."""

from typing import Any

from django.conf import settings

from dlqconsole.core import prepared
from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing import breakers
from dlqconsole.processing.breakers import Rules
from dlqconsole.processing.handlers import Registry


class BreakerTable:
    """The table of the breakers."""

    def look(self) -> list[dict[str, Any]]:
        """Return the rows of breakers that are not simply closed."""
        return fetch_dicts(sql("breakers.look"), {})

    def note(self, values: dict[str, Any]) -> str:
        """Record the outcomes of some runs. Return the breaker's new state."""
        return str(prepared.run(sql("breakers.note"), values)()[0][0])

    def probe(self, values: dict[str, Any]) -> bool:
        """Tell whether the caller may run a probe."""
        return bool(prepared.run(sql("breakers.probe"), values)()[0][0])


class Gate(breakers.BreakerGate):
    """One process's view of the breakers. One thread's."""

    def __init__(self) -> None:
        super().__init__(BreakerTable())

    def registry(self) -> Registry:
        return registry()

    def rules(self) -> Rules:
        return Rules(settings.DLQ_BREAKER_FAILURES)
