"""The due dead letters of an event type in the schedule's order, and a dead letter's place among them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.retries.sql import sql

# the most of a type that are read
LOOK = 5_000

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """A place: so many are ``before``; ``at_least``: it is not among the first that were read."""

    before: int
    at_least: bool

    @property
    def words(self) -> str:
        if self.before == 0 and not self.at_least:
            return "it is the next"
        return f"{'more than' if self.at_least else 'about'} {self.before:,} before it"


class Lines:
    """The lines of one moment; each is read at its first use."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Row]] = {}

    def place(
        self, letter_id: int, event_type: str, categories: Collection[str], counts: Callable[[Row], bool]
    ) -> QueuePosition:
        """The place of a dead letter among those of its type for which ``counts`` is true.

        ``categories``: those that may be tried now; the others are not in the line.
        """
        before = 0
        for row in self._line(event_type, categories):
            if row["id"] == letter_id:
                return QueuePosition(before, at_least=False)
            before += counts(row)
        return QueuePosition(before, at_least=True)

    def _line(self, event_type: str, categories: Collection[str]) -> list[Row]:
        if event_type not in self._rows:
            values = {"event_type": event_type, "categories": sorted(categories), "look": LOOK}
            self._rows[event_type] = fetch_dicts(
                sql("runs.line"), values | dict(retry_limits.come_back_values())
            )
        return self._rows[event_type]
