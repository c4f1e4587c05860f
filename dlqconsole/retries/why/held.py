"""What holds dead letters back just now, whatever they are: policies, pauses, windows, breakers, paces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.reach import Reach
from dlqconsole.retries import policies
from dlqconsole.retries.policies import Policies, Policy, words
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.policy_preview import Cell
from dlqconsole.retries.why.slowed import Pace, Slowed
from dlqconsole.retries.why.words import limited_to, slowed_to


@dataclass(frozen=True, slots=True)
class Held:
    """The policies, breakers and paces of one moment, for whoever is told.

    ``told``: sentences, by the keys that ``cell`` gives; by such keys also policies with a rate, and paces.
    """

    policies: Policies
    by_type: Mapping[str, State]
    pace: Pace
    reach: Reach
    told: dict[str, str] = field(default_factory=dict)
    limited: dict[str, Policy] = field(default_factory=dict)
    paced: dict[str, Slowed] = field(default_factory=dict)
    _treated: dict[tuple[str, str, int | None], tuple[Policy, int]] = field(default_factory=dict)

    @classmethod
    def now(cls, reach: Reach) -> Held:
        """As they are now, by three or four short queries; ``reach`` is of whoever is told."""
        return cls(policies.read(), _by_type(breakers.states()), Pace.now(), reach)

    @property
    def groups(self) -> tuple[int, ...]:
        """The failure groups that something tells from others of their event type."""
        return tuple(sorted({*self.policies.groups, *self.pace.groups}))

    def cell(self, cell: Cell) -> dict[str, Any]:
        """What a statement needs to know of all dead letters of a cell."""
        policy = self.policies.of(cell.event_type, cell.category, cell.group_id)
        return {
            "event_type": cell.event_type,
            "category": cell.category,
            "group_id": cell.group_id,
            "most": policy.max_retries,
            "stopped_by": self._stopped_by(cell, policy),
            "held_by": self._held_by(cell, policy),
        }

    def treated(self, event_type: str, category: str, group_id: int | None) -> tuple[Policy, int]:
        """The policy of a dead letter, and which lane of its event type it is in."""
        known = (event_type, category, group_id if group_id in self.policies.groups else None)
        if known not in self._treated:
            policy = self.policies.of(event_type, category, group_id)
            self._treated[known] = policy, self._lane(event_type, category, group_id)
        return self._treated[known]

    def _lane(self, event_type: str, category: str, group_id: int | None) -> int:
        for number, lane in enumerate(self.policies.all_lanes([event_type])):
            is_of_it = lane.only_groups is None or group_id in lane.only_groups
            is_left_out = lane.but_groups is not None and group_id in lane.but_groups
            if category in lane.categories and is_of_it and not is_left_out:
                return number
        return -1

    def paused(self, policy: Policy) -> str:
        """Who paused it, what, until when, and why."""
        pause = policy.paused
        if pause is None:
            return ""
        until = words.until(pause.until)
        # what else was paused, and why, is for those who see all of it
        if not seen(pause.scope, self.reach)[1]:
            return f"{pause.by} paused it with more than you see, {until}"
        return f"{pause.by} paused {pause.words} {until}, because: {pause.reason}"

    def blocked(self, event_type: str) -> str:
        """Which breaker holds an event type, and what becomes of it; empty where none does."""
        state = self.by_type.get(event_type)
        if state is None:
            return ""
        if state.held:
            until = (
                f"until {words.moment(state.held_until)}" if state.held_until else "until somebody lets it go"
            )
            return f"{state.held_by} holds the breaker of {state.name} open {until}"
        tries = state.next_probe_seconds
        soon = "" if tries is None else f"; it is tried again in {max(tries, 0):,.0f} s"
        return f"the breaker of {state.name} is open since {words.moment(state.since)}{soon}"

    def _stopped_by(self, cell: Cell, policy: Policy) -> str | None:
        """What stops it whatever its time; None where nothing does."""
        if not policy.enabled:
            source = policy.sources["enabled"]
            if source.policy is None:
                return cell.category
            return self._tell("POLICY", source.policy, f"left to a person by {words.came_from(source)}")
        if not settings.DLQ_RETRY_ENABLED:
            return "OFF"
        if policy.is_paused(self.policies.now) and policy.paused is not None:
            return self._tell("PAUSED", policy.paused.policy, self.paused(policy))
        return None

    def _held_by(self, cell: Cell, policy: Policy) -> str | None:
        """What holds it once it is due; None where nothing does."""
        found = policy.held(self.policies.now)
        if found is not None and found.code == "WINDOW":
            return self._tell("WINDOW", found.source.policy, f"due, and {words.held(found)}")
        if state := self.by_type.get(cell.event_type):
            return self._tell("BREAKER", state.key, f"due, and {self.blocked(cell.event_type)}")
        if slowed := self.pace.of(cell.event_type, cell.group_id):
            key = self._tell(
                "PACE", f"{slowed.key.group_id}:{slowed.key.event_type}", f"due, {slowed_to(slowed)}"
            )
            self.paced[key] = slowed
            return key
        if policy.rate is not None:
            _policy, lane = self.treated(cell.event_type, cell.category, cell.group_id)
            key = self._tell("RATE", f"{lane}:{cell.event_type}", f"due, {limited_to(policy)}")
            self.limited[key] = policy
            return key
        return None

    def _tell(self, code: str, which: object, sentence: str) -> str:
        key = f"{code}:{which}"
        self.told[key] = sentence
        return key


def _by_type(found: Iterable[State]) -> dict[str, State]:
    """Of several breakers of a type, the one that says the most: what a person holds."""
    by_type: dict[str, State] = {}
    for state in sorted((state for state in found if state.blocks), key=lambda state: bool(state.held)):
        by_type |= dict.fromkeys(state.event_types, state)
    return by_type
