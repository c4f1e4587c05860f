"""The circumstances of one moment that decide whether a dead letter is retried."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.retries import run_records
from dlqconsole.retries.actions import Healers
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryAction
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies import Policy
from dlqconsole.retries.sql import sql
from dlqconsole.retries.why.obstacles import Obstacles
from dlqconsole.retries.why.words import GroupSlowdown

# the most of a type that are read
LOOK = 5_000

type Row = dict[str, Any]


class Waiting(Protocol):
    """The columns that the reasons need, of a dead letter or of its line in a list."""

    id: int
    event_type: str
    error_category: str
    group_id: Any
    retry_count: int
    max_retries: int | None
    queue: str | None
    retry_after: datetime


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """A place: so many are ``before``; ``at_least``: it is not among the first that were read."""

    before: int
    at_least: bool

    @property
    def words(self) -> str:
        if self.before == 0 and not self.at_least:
            return _("it is the next")
        return (
            _("more than {number:,} before it") if self.at_least else _("about {number:,} before it")
        ).format(number=self.before)


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


@dataclass(frozen=True, slots=True)
class Circumstances:
    """``handlers``: None where they are unknown. ``run_at``: None where the schedule is off."""

    obstacles: Obstacles
    handlers: HandlerSet | None
    run_at: datetime | None
    is_running: bool
    now: datetime
    healers: Healers
    lines: Lines = field(default_factory=Lines)

    @classmethod
    def look(cls) -> Circumstances:
        """Read the present circumstances, within the scope."""
        # in this order: a run that may begin now may begin before a later now
        run_at, is_running = next_run_at(), run_records.open_run() is not None
        obstacles, handlers = Obstacles.now(), known_handlers.for_retries()
        return cls(obstacles, handlers, run_at, is_running, database_now(), Healers.now())

    def has_handler(self, event_type: str) -> bool:
        """Tell whether a live worker can retry such events; True also where this is unknown."""
        return self.healers.has_handler(event_type)

    def action(self, letter: Waiting) -> RetryAction | None:
        """The schedule's action on it when it is due; None: nobody can heal it."""
        is_consumed = (letter.queue or letter.event_type) in self.healers.consumers
        return self.healers.action(self.policy(letter), letter.event_type, is_consumed)

    def policy(self, letter: Waiting) -> Policy:
        """The policy that it is retried by."""
        return self.obstacles.policies.of(letter.event_type, letter.error_category, letter.group_id)

    def max_tries(self, letter: Waiting) -> int:
        """The number of its tries in all."""
        return self.policy(letter).max_retries if letter.max_retries is None else letter.max_retries

    def pace_of(self, letter: Waiting) -> GroupSlowdown | None:
        """The pace that slows it down, or None."""
        return self.obstacles.pace.of(letter.event_type, letter.group_id)

    def place_at_pace(self, letter: Waiting, group_pace: GroupSlowdown) -> QueuePosition:
        """Its place among those that share its pace."""

        def is_before(row: dict[str, Any]) -> bool:
            shares = self.obstacles.pace.of(letter.event_type, row["group_id"]) == group_pace
            return shares and self._may(letter, row)

        return self._place(letter, is_before)

    def place_at_rate(self, letter: Waiting) -> QueuePosition:
        """Its place in its lane, whose rate a policy limits."""
        _policy, lane = self.obstacles.policy_and_lane(
            letter.event_type, letter.error_category, letter.group_id
        )

        def is_before(row: dict[str, Any]) -> bool:
            _policy, other = self.obstacles.policy_and_lane(
                letter.event_type, row["error_category"], row["group_id"]
            )
            return other == lane and self._may(letter, row)

        return self._place(letter, is_before)

    def _place(self, letter: Waiting, is_before: Callable[[dict[str, Any]], bool]) -> QueuePosition:
        lanes = self.obstacles.policies.lanes([letter.event_type])
        categories = {category for lane in lanes for category in lane.categories}
        return self.lines.place(letter.id, letter.event_type, categories, is_before)

    def _may(self, letter: Waiting, row: dict[str, Any]) -> bool:
        """Tell whether another dead letter of its type can be tried at all."""
        policy, _lane = self.obstacles.policy_and_lane(
            letter.event_type, row["error_category"], row["group_id"]
        )
        max_tries = policy.max_retries if row["max_retries"] is None else row["max_retries"]
        return policy.block_reason(self.now) is None and bool(row["retry_count"] < max_tries)
