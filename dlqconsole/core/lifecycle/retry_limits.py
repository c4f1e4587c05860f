"""A dead letter's retry limit, and its delay after a failure.

A policy of its failure group counts first, then one of its event type, then one of all dead letters; what
none of them says comes from the code of its handler, else from the settings.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dlqconsole.core.lifecycle.failures import Backoff, class_of, schedule_backoff
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.settings import settings
from dlqconsole.core.sql import sql
from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.limits import HandlerLimits
from dlqconsole.processing.outcomes import Failed

READ_EVERY_SECONDS = 1.0

type Rows = list[dict[str, Any]]

_cache: tuple[float, Rows] | None = None


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """The limits of retries. ``max_retries``: for a dead letter without a number of its own."""

    max_retries: int
    backoff: Backoff


def limits_for_failure(event_type: str, failure: Failed, usual: RetryLimits | None = None) -> RetryLimits:
    """Return the limits of a dead letter with this failure. Its group is asked only where a policy needs it.

    ``usual``: in place of the settings, for a worker that does not have them.
    """
    rows = _policies()
    is_apart = any(row["group_id"] is not None for row in rows)
    group_id = class_of(event_type, failure)[1] if is_apart else None
    return _limits(rows, event_type, group_id, usual)


def limits_for_group(event_type: str, group_id: int | None) -> RetryLimits:
    """Return the limits of a dead letter that has its group already."""
    return _limits(_policies(), event_type, group_id, None)


def note_settings() -> None:
    """Note the settings of the schedule in the database, for whoever claims by SQL."""
    values = {
        "max_retries": settings.DLQ_RETRY_MAX_RETRIES,
        "base": settings.DLQ_RETRY_BACKOFF_BASE,
        "cap": settings.DLQ_RETRY_BACKOFF_CAP,
        "come_backs": settings.DLQ_COME_BACKS,
        "breaker_failures": settings.DLQ_BREAKER_FAILURES,
    }
    execute(sql("rules.note_settings"), values)


def note_handler_limits(handlers: Registry) -> None:
    """Note what the code of handlers says of retries in the database, for all who settle dead letters."""
    own = {name: limits for name, limits in handlers.limits.items() if limits.names_retries}
    values = {
        "known": list(handlers.event_types),
        "types": list(own),
        "retries": [limits.max_retries for limits in own.values()],
        "bases": [limits.first_wait for limits in own.values()],
        "caps": [limits.longest_wait for limits in own.values()],
    }
    execute(sql("rules.note_handler_limits"), values)


def handler_limits() -> dict[str, HandlerLimits]:
    """Return what the code of handlers says of retries, by event type, as workers have noted it."""
    return {
        name: HandlerLimits(*limits)
        for name, *limits in map(dict.values, fetch_dicts(sql("rules.handler_limits"), {}))
    }


def is_revived(event_type: str) -> bool:
    """Tell whether a policy says that the schedule revives such dead letters, whoever has a handler."""
    rows = [row for row in _policies() if row["group_id"] is None and row["event_type"] in (None, event_type)]
    actions = [row["action"] for row in rows if row["action"]]
    return actions[-1:] == ["revive"]


def forget() -> None:
    """Read the policies anew: this process has just changed one."""
    global _cache
    _cache = None


def _limits(rows: Rows, event_type: str, group_id: int | None, usual: RetryLimits | None) -> RetryLimits:
    limits = usual or RetryLimits(settings.DLQ_RETRY_MAX_RETRIES, schedule_backoff())
    for row in rows:  # the least specific first
        if row["event_type"] in (None, event_type) and row["group_id"] in (None, group_id):
            limits = _with(limits, row)
    return limits


def _with(limits: RetryLimits, row: Mapping[str, Any]) -> RetryLimits:
    backoff = Backoff.of_policy(row["backoff"], row["backoff_base_seconds"], row["backoff_cap_seconds"])
    most = row["max_retries"]
    return replace(
        limits,
        max_retries=limits.max_retries if most is None else most,
        backoff=backoff or limits.backoff,
    )


def _policies() -> Rows:
    """The policies that say something of retries, no older than a second."""
    global _cache
    if _cache is None or time.monotonic() - _cache[0] >= READ_EVERY_SECONDS:
        _cache = (time.monotonic(), fetch_dicts(sql("rules.retry_policies"), {}))
    return _cache[1]


def most_come_backs() -> int:
    """Return the number of failed revivals after which a person must act; 0: never."""
    return int(settings.DLQ_COME_BACKS)


def come_back_values() -> Mapping[str, int]:
    """Return the parameters of ``dead_letter_keeps_coming(come_backs, %(most_come_backs)s)``."""
    return {"most_come_backs": most_come_backs()}
