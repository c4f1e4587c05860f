"""What a policy touches, before anybody keeps it: whom it reaches, what becomes due, when it runs next."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.next_run import next_run_at
from dlqconsole.retries.policies.checks import checked
from dlqconsole.retries.policies.resolution import Policies, Policy
from dlqconsole.retries.policies.runs_ahead import next_runs
from dlqconsole.retries.policies.scopes import Scope
from dlqconsole.retries.sql import sql

BUDGET = 1_500  # milliseconds that the figures of a preview may take


@dataclass(frozen=True, slots=True)
class Cell:
    """So many dead letters that wait and that no policy tells apart."""

    event_type: str
    category: str
    group_id: int | None
    letters: int


@dataclass(frozen=True, slots=True)
class Figures:
    """``due``: the next run takes them; ``become_due``: it would not have taken these. None: too slow."""

    reach: int
    due: int | None
    become_due: int | None
    used_up: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a policy would do. ``takes``: at most so many in one run; None: as many as it has time for."""

    policy: Policy
    runs: list[datetime]
    figures: Figures
    takes: int | None


def preview(scope: Scope, given: Mapping[str, Any], reach: Reach, before: Policies) -> Preview:
    """What these values would change against ``before``. Raises InvalidPolicy."""
    after = before.but(trial_row(before, scope, checked(scope, given)))
    return shown(scope, reach, before, after)


def shown(scope: Scope, reach: Reach, before: Policies, after: Policies) -> Preview:
    """What a policy does that is kept already, or would."""
    policy = after.of_scope(scope)
    every = timedelta(milliseconds=settings.DLQ_RETRY_FIXED_RATE)
    begins = next_run_at()
    runs = next_runs(after, policy, begins and max(begins, after.now), every)
    figures = count(scope, reach, before, after)
    return Preview(policy, runs, figures, _takes(policy))


def trial_row(before: Policies, scope: Scope, values: Mapping[str, Any]) -> RetryPolicy:
    """A policy that is not kept; paused as the one is that it stands for."""
    there = before.row_of(scope)
    blank = {field.attname: None for field in RetryPolicy._meta.concrete_fields}
    paused = {name: getattr(there, name) for name in blank if name.startswith("paused_")} if there else {}
    whose = {"event_type": scope.event_type, "error_category": scope.category, "group_id": scope.group_id}
    return RetryPolicy(**blank | paused | whose | dict(values) | {"id": there.pk if there else 0})


def cells(reach: Reach, groups: Iterable[int]) -> list[Cell]:
    """What waits and is seen, by event type, category and, of these groups, group."""
    query = sql("policies.cells").format(counted=reach.columns("queue", "event_type"))
    rows = fetch_dicts(query, {"groups": list(groups)} | reach.values())
    return [Cell(**row) for row in rows]


def count(scope: Scope, reach: Reach, before: Policies, after: Policies) -> Figures:
    """How much a change touches. What takes too long to count is None."""
    groups = sorted({*before.groups, *after.groups})
    within = [
        cell for cell in cells(reach, groups) if scope.takes(cell.event_type, cell.category, cell.group_id)
    ]
    reached = sum(cell.letters for cell in within)
    if not within:
        return Figures(0, 0, 0, 0)
    try:
        with summaries.time_budget(BUDGET):
            return Figures(reached, **_effect(within, groups, reach, before, after))
    except summaries.TooSlow:
        return Figures(reached, None, None, None)


def _effect(
    within: list[Cell], groups: list[int], reach: Reach, before: Policies, after: Policies
) -> dict[str, int]:
    known = known_handlers.for_retries()
    now = after.now
    rows = []
    for cell in within:
        was, becomes = (each.of(cell.event_type, cell.category, cell.group_id) for each in (before, after))
        has_handler = known is None or cell.event_type in known.event_types
        rows.append(
            {
                "event_type": cell.event_type,
                "category": cell.category,
                "group_id": cell.group_id,
                "is_open": has_handler and becomes.held(now) is None,
                "was_open": has_handler and was.held(now) is None,
                "most": becomes.max_retries,
                "were_most": was.max_retries,
            }
        )
    query = sql("policies.effect").format(letters=reach.letters("e"))
    return fetch_dicts(query, _values(rows, groups, reach))[0]


def _values(rows: list[dict[str, Any]], groups: list[int], reach: Reach) -> dict[str, Any]:
    return {"cells": json.dumps(rows), "groups": groups, **reach.values(), **come_backs.values()}


def _takes(policy: Policy) -> int | None:
    if policy.rate is None:
        return None
    return max(int(policy.rate * settings.DLQ_RETRY_TIME_BUDGET), 1)
