"""How breakers stand, for people."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dlqconsole.engine.breakers.keys import types_of, words
from dlqconsole.engine.models.breakers import CLOSED
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql


@dataclass(frozen=True, slots=True)
class State:
    """One breaker. ``state``: closed, open or half-open; ``held``: open or closed, as a person said, until
    ``held_until``. ``only_again``: what was never tried goes on. ``reason`` is an error as it came.
    ``event_types``: those that it stops, of the handlers that this process has.
    """

    key: str
    state: str
    since: datetime
    reason: str
    only_again: bool
    failures: int
    probes: int
    next_probe_seconds: float | None
    held: str | None
    held_until: datetime | None
    held_by: str
    held_reason: str
    event_types: tuple[str, ...]

    @property
    def name(self) -> str:
        """As people say it."""
        return words(self.key)

    @property
    def effective(self) -> str:
        """What counts: what a person said, or else what the breaker found."""
        return self.held or self.state

    @property
    def blocks(self) -> bool:
        """Whether handlers do not run, but for those that try."""
        return self.effective != CLOSED


def states(*, quiet: bool = False) -> list[State]:
    """Every breaker that is not closed, or that a person holds; ``quiet``: also those near to opening."""
    rows = fetch_dicts(sql("breakers.look"), {})
    return [state for state in map(_state, rows) if quiet or state.blocks or state.held]


def state_of(key: str) -> State | None:
    """One breaker; None: closed, and nobody holds it."""
    return next((state for state in states() if state.key == key), None)


def _state(row: dict[str, Any]) -> State:
    row = {name: value for name, value in row.items() if name not in ("score", "again_score")}
    return State(**row, event_types=types_of(row["key"]))
