"""What holds dead letters back just now, whatever they are: policies, pauses, windows, breakers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.reach import Reach
from dlqconsole.retries import policies
from dlqconsole.retries.policies import Policies, Policy, words
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.policy_preview import Cell


@dataclass(frozen=True, slots=True)
class Held:
    """The policies and the breakers of one moment. ``told``: sentences, by the keys that ``cell`` gives."""

    policies: Policies
    by_type: Mapping[str, State]
    reach: Reach
    told: dict[str, str] = field(default_factory=dict)

    @classmethod
    def now(cls, reach: Reach) -> Held:
        """As they are now, by two or three short queries; ``reach`` is of whoever is told."""
        return cls(policies.read(), _by_type(breakers.states()), reach)

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
        if policy.is_paused(self.policies.now) and policy.paused is not None:
            return self._tell("PAUSED", policy.paused.policy, self.paused(policy))
        return None

    def _held_by(self, cell: Cell, policy: Policy) -> str | None:
        """What holds it once it is due; None where nothing does."""
        found = policy.held(self.policies.now)
        if found is not None and found.code == "WINDOW":
            return self._tell("WINDOW", found.source.policy, f"due, and {words.held(found)}")
        blocked = self.blocked(cell.event_type)
        state = self.by_type.get(cell.event_type)
        return self._tell("BREAKER", state.key, f"due, and {blocked}") if state else None

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
