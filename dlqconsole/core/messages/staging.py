"""Chores of consumers: messages that wait for their time, their group or a handler become claimable."""

from collections.abc import Mapping, Sequence
from typing import Any

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql

PAGE = 1000
PAGES = 20


def stage() -> int:
    """Make due messages claimable. Return their number (20,000 at most, by the thousand)."""
    return _by_page("messages.stage", {})


def call_handled(queues: Sequence[str], event_types: Sequence[str]) -> int:
    """Make claimable the messages that others put back and the caller can handle. Count: 20,000 at most."""
    values = {"queues": list(queues), "event_types": list(event_types)}
    return _by_page("messages.call_handled", values)


def unblock_forgotten(queue: str) -> int:
    """Call heads of groups whose predecessor left while they were being sent. Return their number.

    When a message leaves its table, a trigger calls the next of its group, but cannot see messages that are
    sent in the same moment. Looks at every group of the queue.
    """
    number: int = fetch_column("SELECT queue_call_forgotten(%(queue)s)", {"queue": queue})[0]
    return number


def seconds_until_due() -> float | None:
    """Return the seconds until the next scheduled message of any queue is due; None without one."""
    seconds: float | None = fetch_column(sql("messages.next_due"), {})[0]
    return seconds


def _by_page(name: str, values: Mapping[str, Any]) -> int:
    total = 0
    for _ in range(PAGES):
        page = len(fetch_column(sql(name), {**values, "limit": PAGE}))
        total += page
        if page < PAGE:
            break
    return total
