"""The obstacles that hold dead letters back now: policies, pauses, windows, breakers, paces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.engine import breakers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.moments import moment
from dlqconsole.hosting.wording import translated
from dlqconsole.retries import policies
from dlqconsole.retries.actions import Healers
from dlqconsole.retries.models import RetryAction
from dlqconsole.retries.policies import Policies, Policy, words
from dlqconsole.retries.policies.scopes import seen
from dlqconsole.retries.policy_preview import Cell
from dlqconsole.retries.why.words import (
    GroupSlowdown,
    SlowdownMap,
    rate_limit_words,
    revive_words,
    slowdown_words,
)


@dataclass(frozen=True, slots=True)
class Obstacles:
    """The policies, breakers and paces of one moment, within the scope.

    By the keys that ``cell`` makes: ``sentences``, ``rate_policies`` (policies with a rate), ``slowdowns``;
    ``revived``: the sentences about what is revived at a rate.
    """

    policies: Policies
    by_type: Mapping[str, State]
    pace: SlowdownMap
    sentences: dict[str, str] = field(default_factory=dict)
    rate_policies: dict[str, Policy] = field(default_factory=dict)
    slowdowns: dict[str, GroupSlowdown] = field(default_factory=dict)
    revived: dict[str, str] = field(default_factory=dict)
    _policies_and_lanes: dict[tuple[str, str, int | None], tuple[Policy, int]] = field(default_factory=dict)

    @classmethod
    def now(cls) -> Obstacles:
        """Read the present obstacles, by three or four short queries."""
        return cls(policies.read(), _by_type(breakers.states()), SlowdownMap.now())

    @property
    def groups(self) -> tuple[int, ...]:
        """The failure groups that a policy or a pace treats apart."""
        return tuple(sorted({*self.policies.groups, *self.pace.groups}))

    def cell(self, cell: Cell, healers: Healers) -> dict[str, Any]:
        """The values that a statement needs for the dead letters of a cell."""
        policy = self.policies.of(cell.event_type, cell.category, cell.group_id)
        action = healers.action(policy, cell.event_type, cell.is_consumed)
        no_handler = None if action else "NO_HANDLER"
        return asdict(cell) | {
            "most": policy.max_retries,
            "stopped_by": self._stop_reason(cell, policy) or no_handler,
            "held_by": self._wait_reason(cell, policy, action),
        }

    def policy_and_lane(self, event_type: str, category: str, group_id: int | None) -> tuple[Policy, int]:
        """The policy of a dead letter, and the number of its lane within its event type."""
        key = (event_type, category, group_id if group_id in self.policies.groups else None)
        if key not in self._policies_and_lanes:
            policy = self.policies.of(event_type, category, group_id)
            self._policies_and_lanes[key] = policy, self._lane(event_type, category, group_id)
        return self._policies_and_lanes[key]

    def _lane(self, event_type: str, category: str, group_id: int | None) -> int:
        for number, lane in enumerate(self.policies.all_lanes([event_type])):
            is_of_it = lane.only_groups is None or group_id in lane.only_groups
            is_left_out = lane.but_groups is not None and group_id in lane.but_groups
            if category in lane.categories and is_of_it and not is_left_out:
                return number
        return -1

    def pause_words(self, policy: Policy) -> str:
        """The pause in words: the person, the scope, the end and the reason."""
        pause = policy.pause
        if pause is None:
            return ""
        until = words.until(pause.until)
        # scope and reason of the pause are for those who see all of the scope
        if not seen(pause.scope)[1]:
            return _("{by} paused it with more than you see, {until}").format(by=pause.by, until=until)
        return _("{by} paused {words} {until}, because: {reason}").format(
            by=pause.by, words=translated(pause.words), until=until, reason=pause.reason
        )

    def breaker_words(self, event_type: str) -> str:
        """The breaker that holds an event type, in words; empty: none does."""
        state = self.by_type.get(event_type)
        if state is None:
            return ""
        if state.held:
            until = (
                _("until {held_until}").format(held_until=moment(state.held_until))
                if state.held_until
                else _("until somebody lets it go")
            )
            return _("{held_by} holds the breaker of {name} open {until}").format(
                held_by=state.held_by, name=state.name, until=until
            )
        tries = state.next_probe_seconds
        soon = "" if tries is None else _("; it is tried again in {tries:,.0f} s").format(tries=max(tries, 0))
        return _("the breaker of {name} is open since {since}{soon}").format(
            name=state.name, since=moment(state.since), soon=soon
        )

    def _stop_reason(self, cell: Cell, policy: Policy) -> str | None:
        """The key of the obstacle that stops it at any time; None: there is none."""
        if not policy.enabled:
            source = policy.sources["enabled"]
            if source.policy is None:
                return cell.category
            return self._note_sentence(
                "POLICY",
                source.policy,
                _("left to a person by {source}").format(source=words.source_words(source)),
            )
        if not settings.DLQ_RETRY_ENABLED:
            return "OFF"
        if policy.is_paused(self.policies.now) and policy.pause is not None:
            return self._note_sentence("PAUSED", policy.pause.policy, self.pause_words(policy))
        return None

    def _wait_reason(self, cell: Cell, policy: Policy, action: RetryAction | None) -> str | None:
        """The key of the obstacle that holds it when it is due; None: there is none."""
        reason = policy.block_reason(self.policies.now)
        if reason is not None and reason.code == "WINDOW":
            return self._note_sentence(
                "WINDOW", reason.source.policy, _("due, and {why}").format(why=words.block_words(reason))
            )
        if state := self.by_type.get(cell.event_type):
            return self._note_sentence(
                "BREAKER", state.key, _("due, and {why}").format(why=self.breaker_words(cell.event_type))
            )
        if slowdown := self.pace.of(cell.event_type, cell.group_id):
            key = self._note_sentence(
                "PACE",
                f"{slowdown.key.group_id}:{slowdown.key.event_type}",
                _("due, {why}").format(why=slowdown_words(slowdown)),
            )
            self.slowdowns[key] = slowdown
            return key
        if policy.rate is not None:
            _policy, lane = self.policy_and_lane(cell.event_type, cell.category, cell.group_id)
            key = self._note_sentence(
                "RATE", f"{lane}:{cell.event_type}", _("due, {why}").format(why=rate_limit_words(policy))
            )
            self.rate_policies[key] = policy
            if action == RetryAction.REVIVE:
                self.revived[key] = revive_words(policy)
            return key
        if action == RetryAction.REVIVE:
            return self._note_sentence("REVIVE", policy.sources["action"].policy, revive_words(policy))
        return None

    def _note_sentence(self, code: str, which: object, sentence: str) -> str:
        key = f"{code}:{which}"
        self.sentences[key] = sentence
        return key


def _by_type(states: Iterable[State]) -> dict[str, State]:
    """Map event types to their breakers; of several, one that a person holds comes first."""
    by_type: dict[str, State] = {}
    for state in sorted((state for state in states if state.blocks), key=lambda state: bool(state.held)):
        by_type |= dict.fromkeys(state.event_types, state)
    return by_type
