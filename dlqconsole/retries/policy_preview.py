"""The preview of a policy before it is stored: the dead letters it reaches, those that become due, runs."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.retries.actions import Healers
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies.checks import check_values
from dlqconsole.retries.policies.policy import Policy
from dlqconsole.retries.policies.resolution import Policies
from dlqconsole.retries.policies.scopes import PolicyScope
from dlqconsole.retries.sql import sql

BUDGET = 1_500  # milliseconds for the figures of a preview


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of waiting dead letters with the same type, category and group.

    ``is_consumed``: a program consumes their queue by SQL.
    """

    event_type: str
    category: str
    group_id: int | None
    is_consumed: bool
    letters: int


@dataclass(frozen=True, slots=True)
class PolicyEffect:
    """``due``: the next run takes them; ``become_due``: those that become due by the change.

    None: too slow.
    """

    reach: int
    due: int | None
    become_due: int | None
    used_up: int | None


@dataclass(frozen=True, slots=True)
class PolicyPreview:
    """The effect of a policy. ``takes``: the most in one run; None: as many as it has time for."""

    policy: Policy
    runs: list[datetime]
    figures: PolicyEffect
    takes: int | None


def preview(scope: PolicyScope, values: Mapping[str, Any], before: Policies) -> PolicyPreview:
    """The effect of these values against ``before``. Raises InvalidPolicy."""
    after = before.but(trial_row(before, scope, check_values(values)))
    return effect_of(scope, before, after)


def effect_of(scope: PolicyScope, before: Policies, after: Policies) -> PolicyPreview:
    """The effect of a policy, stored or not."""
    policy = after.of_scope(scope)
    every = timedelta(milliseconds=settings.DLQ_RETRY_FIXED_RATE)
    begins = next_run_at()
    runs = next_runs(after, policy, begins and max(begins, after.now), every)
    figures = count(scope, before, after)
    return PolicyPreview(policy, runs, figures, _takes(policy))


def trial_row(before: Policies, scope: PolicyScope, values: Mapping[str, Any]) -> RetryPolicy:
    """Make a policy that is not stored, with the pause of the one that it replaces."""
    stored_row = before.row_of(scope)
    blank = {field.attname: None for field in RetryPolicy._meta.concrete_fields}
    pause_columns = (
        {name: getattr(stored_row, name) for name in blank if name.startswith("paused_")}
        if stored_row
        else {}
    )
    scope_columns = {"event_type": scope.event_type, "group_id": scope.group_id}
    return RetryPolicy(
        **blank | pause_columns | scope_columns | dict(values) | {"id": stored_row.pk if stored_row else 0}
    )


def cells(groups: Iterable[int], queues: Iterable[str] = ()) -> list[Cell]:
    """Count the waiting dead letters within the scope, by event type, category and, of these, group.

    ``queues``: those that programs consume by SQL.
    """
    access = current_access()
    query = sql("policies.cells").format(counted=access.columns("queue", "event_type"))
    rows = fetch_dicts(query, {"groups": list(groups), "queues": list(queues)} | access.values())
    return [Cell(**row) for row in rows]


def count(scope: PolicyScope, before: Policies, after: Policies) -> PolicyEffect:
    """Count the dead letters that a change affects; None where counting takes too long."""
    groups = sorted({*before.groups, *after.groups})
    healers = Healers.now()
    within = [cell for cell in cells(groups, healers.queues) if scope.takes(cell.event_type, cell.group_id)]
    letters = sum(cell.letters for cell in within)
    if not within:
        return PolicyEffect(0, 0, 0, 0)
    try:
        with summaries.time_budget(BUDGET):
            return PolicyEffect(letters, **_effect(within, healers, groups, before, after))
    except summaries.TooSlow:
        return PolicyEffect(letters, None, None, None)


def _effect(
    within: list[Cell], healers: Healers, groups: list[int], before: Policies, after: Policies
) -> dict[str, int]:
    now = after.now

    def is_open(policy: Policy, cell: Cell) -> bool:
        action = healers.action(policy, cell.event_type, cell.is_consumed)
        return action is not None and policy.block_reason(now) is None

    rows = []
    for cell in within:
        old, new = (each.of(cell.event_type, cell.category, cell.group_id) for each in (before, after))
        rows.append(
            {
                "event_type": cell.event_type,
                "category": cell.category,
                "group_id": cell.group_id,
                "is_consumed": cell.is_consumed,
                "is_open": is_open(new, cell),
                "was_open": is_open(old, cell),
                "most": new.max_retries,
                "were_most": old.max_retries,
            }
        )
    query = sql("policies.effect").format(letters=current_access().letters("e"))
    values = {"cells": json.dumps(rows), "groups": groups, "queues": healers.queues}
    return fetch_dicts(query, values | current_access().values() | dict(retry_limits.come_back_values()))[0]


def _takes(policy: Policy) -> int | None:
    if policy.rate is None:
        return None
    return max(int(policy.rate * settings.DLQ_RETRY_TIME_BUDGET), 1)


def next_runs(
    policies: Policies, policy: Policy, begins: datetime | None, every: timedelta, number: int = 5
) -> list[datetime]:
    """Return the next runs that take dead letters under ``policy``, in UTC, the soonest first.

    A run begins ``every`` so often after the one before, and whenever a window opens or a pause ends.
    ``begins``: the next run of all; None: the schedule is off, and there are none.
    """
    runs: list[datetime] = []
    at = begins
    while at is not None and len(runs) < number:
        free = policy.free_at(at)
        if free is None:
            break
        runs.append(free)
        opens = policies.opens_after(free)
        at = free + every if opens is None else min(free + every, opens)
    return runs
