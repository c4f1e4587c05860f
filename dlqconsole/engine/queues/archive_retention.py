"""Shortening the retention of a queue's archived messages, only at a person's request.

A policy speaks for what is archived from then on. This is counted first, confirmed with the count, done page
by page, and each page is in the audit log.
"""

import time
from dataclasses import dataclass
from datetime import datetime

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.engine.queues.policy import quote

PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Cost:
    """The messages that are kept longer than the days asked for. ``at_once``: so many would go now."""

    messages: int
    at_once: int


@dataclass(slots=True)
class Shortening:
    """Messages deleted at once, and kept for less time. ``left``: not reached in time, still kept longer."""

    deleted: int = 0
    shortened: int = 0
    left: int = 0


def now() -> datetime:
    """Return the moment up to which archived messages are counted, so that the count stands still."""
    [moment] = fetch_column(sql("archives.now"), {})
    assert isinstance(moment, datetime)  # noqa: S101 - a timestamptz
    return moment


def cost(name: str, days: int, before: datetime) -> Cost:
    """Count one by one the messages archived until ``before`` that are kept longer than ``days``."""
    [row] = fetch_dicts(sql("archives.longer"), {"queue": name, "days": days, "before": before})
    return Cost(row["messages"], row["at_once"])


def check_expected(name: str, current: Cost, expect: int | None) -> None:
    """Raise InvalidQueue when the count is not the one that the person confirmed."""
    if expect is not None and current.messages != expect:
        raise InvalidQueue(
            f"The archive of {quote(name)} holds {current.messages:,} messages that are kept longer, not"
            f" {expect:,}. Nothing was changed; look again."
        )


def shorten(
    name: str, days: int, before: datetime, *, actor: str, reason: str, seconds: float = float("inf")
) -> Shortening:
    """Keep messages archived until ``before`` no longer than ``days``. Ends early after ``seconds``."""
    deadline = time.monotonic() + seconds
    result = Shortening()
    values = {"queue": name, "days": days, "before": before, "actor": actor, "reason": reason, "limit": PAGE}
    while True:
        [row] = fetch_dicts(sql("archives.shorten"), values)
        result.deleted += row["deleted"]
        result.shortened += row["shortened"]
        if not any(row.values()):
            return result
        if time.monotonic() >= deadline:
            result.left = cost(name, days, before).messages
            return result
