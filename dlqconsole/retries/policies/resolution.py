"""The policy of a dead letter: each value comes from the most specific policy that sets it.

A group's policy comes before one of the event type, then one of all; values that none of them sets come from
the code of the type's handler, else from the settings. The category decides only whether the schedule
retries at all. A pause of a scope pauses all within it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dlqconsole.core.lifecycle.failures import Backoff, schedule_backoff
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.processing.categories import RETRIED_BY_MACHINE
from dlqconsole.processing.inputs.sentences import Sentence
from dlqconsole.processing.limits import NO_LIMITS, HandlerLimits
from dlqconsole.retries.models import RetryAction, RetryPolicy
from dlqconsole.retries.policies.policy import Pause, Policy, RetryPartition, ValueSource
from dlqconsole.retries.policies.scopes import PolicyScope
from dlqconsole.retries.policies.windows import ALWAYS, Window, is_zone, read_days

# the values of policies; backoff and window are several columns each
VALUES = ("enabled", "action", "max_retries", "backoff", "window", "rate")
_DEFAULT, CODE = Sentence("the default"), Sentence("the code of its handler")
_SETTINGS = {
    "max_retries": "DLQ_RETRY_MAX_RETRIES",
    "backoff": "DLQ_RETRY_BACKOFF_BASE, _CAP",
}


class Policies:
    """All policies as of ``read_at``, by the database's clock.

    ``types_of_groups``: the event types of the groups that policies name. ``of_code``: what code of
    handlers says, by event type.
    """

    def __init__(
        self,
        rows: Iterable[RetryPolicy],
        read_at: datetime,
        types_of_groups: Mapping[int, Sequence[str]] | None = None,
        of_code: Mapping[str, HandlerLimits] | None = None,
    ) -> None:
        pairs = [(_scope(row), row) for row in rows]
        self._rows = sorted(pairs, key=lambda pair: pair[0].order, reverse=True)
        self._types_of_groups, self.of_code = types_of_groups or {}, of_code or {}
        self._read_at, self._since = read_at, time.monotonic()
        self._policies: dict[tuple[str, str, tuple[int, ...]], Policy] = {}

    @property
    def now(self) -> datetime:
        """The present moment by the database's clock, without another query."""
        return self._read_at + timedelta(seconds=time.monotonic() - self._since)

    @property
    def groups(self) -> tuple[int, ...]:
        """The failure groups that have a policy of their own."""
        return tuple(sorted(s.group_id for s, _row in self._rows if s.group_id is not None))

    def of(self, event_type: str, category: str, group_id: int | None = None) -> Policy:
        """The policy for such a dead letter."""
        rows = [(scope, row) for scope, row in self._rows if scope.takes(event_type, group_id)]
        why = "" if category in RETRIED_BY_MACHINE else category
        own = event_type if event_type in self.of_code else ""
        key = (why, own, tuple(int(row.pk) for _scope, row in rows))
        if key not in self._policies:
            self._policies[key] = resolve(rows, category, self.of_code.get(event_type))
        return self._policies[key]

    def of_scope(self, target: PolicyScope) -> Policy:
        """The policy for all within a scope, as far as no more specific one differs."""
        rows = [(s, row) for s, row in self._rows if s.takes(target.event_type, target.group_id)]
        return resolve(rows, Category.UNKNOWN, self.of_code.get(target.event_type or ""))

    def row_of(self, target: PolicyScope) -> RetryPolicy | None:
        """The policy with exactly this scope; None: there is none."""
        return next((row for scope, row in self._rows if scope == target), None)

    def rows(self) -> list[tuple[PolicyScope, RetryPolicy]]:
        """All stored policies, the most specific first."""
        return list(self._rows)

    def but(self, row: RetryPolicy) -> Policies:
        """The policies with this one in place of that of the same scope. Nothing is stored."""
        others = [each for scope, each in self._rows if scope != _scope(row)]
        return Policies([*others, row], self.now, self._types_of_groups, self.of_code)

    def without(self, target: PolicyScope) -> Policies:
        """The policies without the one of this scope."""
        others = [each for scope, each in self._rows if scope != target]
        return Policies(others, self.now, self._types_of_groups, self.of_code)

    @property
    def some_revive(self) -> bool:
        """Tell whether a policy says *revive*."""
        return any(row.action == RetryAction.REVIVE for _scope, row in self._rows)

    def opens_after(self, at: datetime) -> datetime | None:
        """The next moment at which a window opens or a pause ends: a run begins then."""
        windows = [window for _scope, row in self._rows if (window := window_of(row)) is not None]
        moments = [window.opens_after(at) for window in windows]
        moments += [row.paused_until for _scope, row in self._rows if row.paused_at is not None]
        return min((moment for moment in moments if moment is not None and moment > at), default=None)

    def lanes(self, event_types: Iterable[str]) -> list[RetryPartition]:
        """The lanes of these event types that may run now."""
        now = self.now
        return [lane for lane in self.all_lanes(event_types) if lane.policy.block_reason(now) is None]

    def all_lanes(self, event_types: Iterable[str]) -> list[RetryPartition]:
        """All lanes of these event types, runnable or not."""
        return [lane for event_type in event_types for lane in self._lanes(event_type)]

    def _lanes(self, event_type: str) -> list[RetryPartition]:
        groups = tuple(g for g in self.groups if event_type in self._types_of_groups.get(g, ()))
        partitions = [
            RetryPartition(event_type, categories, policy, but_groups=groups or None)
            for policy, categories in self._by_policy(event_type, None)
        ]
        for group in groups:
            partitions += [
                RetryPartition(event_type, categories, policy, only_groups=(group,))
                for policy, categories in self._by_policy(event_type, group)
            ]
        return partitions

    def _by_policy(self, event_type: str, group_id: int | None) -> list[tuple[Policy, tuple[str, ...]]]:
        """Group the categories that have the same policy."""
        by_policy: dict[tuple[Policy, str], list[str]] = {}
        for category in Category:
            policy = self.of(event_type, category, group_id)
            # for switched-off ones the source differs by category
            by_policy.setdefault((policy, "" if policy.enabled else category), []).append(category)
        return [(policy, tuple(categories)) for (policy, _why), categories in by_policy.items()]


def _scope(row: RetryPolicy) -> PolicyScope:
    return PolicyScope(row.event_type, row.group_id)


def resolve(
    rows: Sequence[tuple[PolicyScope, RetryPolicy]], category: str, of_code: HandlerLimits | None = None
) -> Policy:
    """Combine ``rows``, the most specific first, the handler's code and the settings into one policy."""
    defaults = _defaults(category)
    values, sources = (
        dict(defaults),
        {name: ValueSource(None, _SETTINGS.get(name, _DEFAULT)) for name in defaults},
    )
    for name, value in _of_code(of_code or NO_LIMITS).items():
        values[name], sources[name] = value, ValueSource(None, CODE)
    if not values["enabled"]:
        sources["enabled"] = ValueSource(None, Sentence("{category} waits for a person", category=category))
    for scope, row in reversed(rows):
        for name, value in _own_values(row).items():
            # a category that time does not mend needs a policy for the group itself
            if name == "enabled" and not defaults["enabled"] and scope.group_id is None:
                continue
            values[name], sources[name] = value, ValueSource(row.pk, scope.words())
    return Policy(**values, pause=_pause(rows), sources=sources)


def _defaults(category: str) -> dict[str, Any]:
    return {
        "enabled": category in RETRIED_BY_MACHINE,
        "action": None,
        "max_retries": settings.DLQ_RETRY_MAX_RETRIES,
        "backoff": schedule_backoff(),
        "window": ALWAYS,
        "rate": None,
    }


def _of_code(limits: HandlerLimits) -> dict[str, Any]:
    kind = None if limits.first_wait is None else "exponential" if limits.longest_wait else "fixed"
    backoff = Backoff.of_policy(kind, limits.first_wait, limits.longest_wait)
    values = {"max_retries": limits.max_retries, "backoff": backoff}
    return {name: value for name, value in values.items() if value is not None}


def _own_values(row: RetryPolicy) -> dict[str, Any]:
    """The values that one policy sets itself."""
    plain = {name: getattr(row, name) for name in VALUES if name not in ("backoff", "window")}
    plain |= {"backoff": backoff_of(row), "window": window_of(row)}
    return {name: value for name, value in plain.items() if value is not None}


def backoff_of(row: RetryPolicy) -> Backoff | None:
    """The waits that a policy sets; None: it sets none."""
    return Backoff.of_policy(row.backoff, row.backoff_base_seconds, row.backoff_cap_seconds)


def window_of(row: RetryPolicy) -> Window | None:
    """The window that a policy sets; None: it sets none."""
    if row.window_days is None or row.window_begins is None or row.window_ends is None:
        return None
    # plain SQL may have written a zone that is none
    zone = row.window_zone if row.window_zone and is_zone(row.window_zone) else "UTC"
    return Window(read_days(row.window_days), row.window_begins, row.window_ends, zone)


def _pause(rows: Sequence[tuple[PolicyScope, RetryPolicy]]) -> Pause | None:
    """The longest of several pauses."""
    pauses = [
        Pause(row.pk, scope, row.paused_by, row.paused_at, row.paused_until, row.paused_reason)
        for scope, row in rows
        if row.paused_at is not None
    ]
    endless = [pause for pause in pauses if pause.until is None]
    return endless[0] if endless else max(pauses, key=lambda pause: pause.until or pause.since, default=None)
