"""What decides at one moment whether a dead letter is retried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.reach import Reach
from dlqconsole.retries import run_records
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies import Policy
from dlqconsole.retries.why.held import Held
from dlqconsole.retries.why.line import Lines, Place
from dlqconsole.retries.why.slowed import Slowed


class Waiting(Protocol):
    """What is asked of a dead letter, or of its line in a list."""

    id: int
    event_type: str
    error_category: str
    group_id: Any
    retry_count: int
    max_retries: int | None
    retry_after: datetime


@dataclass(frozen=True, slots=True)
class Circumstances:
    """``known``: None where nobody can say who handles what. ``run_at``: None where the schedule is off."""

    held: Held
    known: HandlerSet | None
    run_at: datetime | None
    is_running: bool
    now: datetime
    lines: Lines = field(default_factory=Lines)

    @classmethod
    def look(cls, reach: Reach) -> Circumstances:
        """As they are now, for whoever sees so much."""
        # in this order: a run that may begin now may begin before a later now
        run_at, is_running = next_run_at(), run_records.open_run() is not None
        return cls(Held.now(reach), known_handlers.for_retries(), run_at, is_running, database_now())

    def has_handler(self, event_type: str) -> bool:
        """Whether a worker that runs now can retry such events; also where nobody can say."""
        return self.known is None or event_type in self.known.event_types

    def policy(self, letter: Waiting) -> Policy:
        """What it is retried by."""
        return self.held.policies.of(letter.event_type, letter.error_category, letter.group_id)

    def allowed(self, letter: Waiting) -> int:
        """How many tries it has in all."""
        return self.policy(letter).max_retries if letter.max_retries is None else letter.max_retries

    def slowed(self, letter: Waiting) -> Slowed | None:
        """What slows it down."""
        return self.held.pace.of(letter.event_type, letter.group_id)

    def place_at_pace(self, letter: Waiting, slowed: Slowed) -> Place:
        """Where it stands among those that share its pace."""

        def is_before(row: dict[str, Any]) -> bool:
            shares = self.held.pace.of(letter.event_type, row["group_id"]) == slowed
            return shares and self._may(letter, row)

        return self._place(letter, is_before)

    def place_at_rate(self, letter: Waiting) -> Place:
        """Where it stands in its lane, of which a policy limits how many begin."""
        _policy, lane = self.held.treated(letter.event_type, letter.error_category, letter.group_id)

        def is_before(row: dict[str, Any]) -> bool:
            _policy, other = self.held.treated(letter.event_type, row["error_category"], row["group_id"])
            return other == lane and self._may(letter, row)

        return self._place(letter, is_before)

    def _place(self, letter: Waiting, is_before: Callable[[dict[str, Any]], bool]) -> Place:
        lanes = self.held.policies.lanes([letter.event_type])
        categories = {category for lane in lanes for category in lane.categories}
        return self.lines.place(letter.id, letter.event_type, categories, is_before)

    def _may(self, letter: Waiting, row: dict[str, Any]) -> bool:
        """Whether another of its type is tried before it at all."""
        policy, _lane = self.held.treated(letter.event_type, row["error_category"], row["group_id"])
        allowed = policy.max_retries if row["max_retries"] is None else row["max_retries"]
        return policy.held(self.now) is None and bool(row["retry_count"] < allowed)
