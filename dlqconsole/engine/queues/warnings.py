"""What a queue's figures say to a person: a sentence for each thing that wants looking at."""

from collections.abc import Mapping
from typing import Any

UNSEEN_SECONDS = 60  # a message due for so long, and no sign of a consumer
LATE_SECONDS = 15 * 60
GROWING_FROM = 100  # messages of five minutes
FAILING_SHARE = 0.5
FAILING_FROM = 10  # attempts of five minutes
_MINUTES = 5


def warnings(row: Mapping[str, Any]) -> list[str]:
    """The sentences for a row of metrics, gravest first. A paused queue stands still by somebody's will."""
    if row["paused"]:
        return []
    found = [_left_alone(row) or _unseen(row) or _late(row), _growing(row), _failing(row)]
    return [sentence for sentence in found if sentence]


def _left_alone(row: Mapping[str, Any]) -> str:
    breaker = row.get("breaker")
    if breaker is None:
        return ""
    soon = max(0, round(breaker["next_seconds"]))
    return (
        f"Its consumers leave it alone: {breaker['failures']:,} failures in a row, {breaker['reason'][:200]}."
        f" One message tries again {f'in {soon} s' if soon else 'now'}."
    )


def _unseen(row: Mapping[str, Any]) -> str:
    signs = row["consumers_waiting"] + row["in_flight"] + _ended(row)
    if signs or (row["oldest_due_seconds"] or 0) < UNSEEN_SECONDS:
        return ""
    return f"Nobody consumes it. Start a consumer: manage.py consume {row['name'][:80]}"


def _late(row: Mapping[str, Any]) -> str:
    if (row["oldest_due_seconds"] or 0) < LATE_SECONDS:
        return ""
    minutes = int(row["oldest_due_seconds"] // 60)
    return (
        f"Its oldest message has been due for {minutes:,} min. Start more consumers, or see why they are"
        " slow."
    )


def _growing(row: Mapping[str, Any]) -> str:
    """More came in five minutes, and is still there, than left in that time."""
    finished = (row["completed_per_minute"] + row["dead_lettered_per_minute"]) * _MINUTES
    if row["arrived"] < GROWING_FROM or row["arrived"] <= finished:
        return ""
    return (
        f"It grows: {row['arrived']:,} messages of the last five minutes still wait, and {finished:,.0f} were"
        " finished in that time."
    )


def _failing(row: Mapping[str, Any]) -> str:
    share = row["failure_share"]
    if share is None or share <= FAILING_SHARE or _ended(row) * _MINUTES < FAILING_FROM:
        return ""
    return (
        f"{share:.0%} of its attempts fail. Look at its dead letters, or pause it while you mend the cause."
    )


def _ended(row: Mapping[str, Any]) -> float:
    ended: float = row["completed_per_minute"] + row["retried_per_minute"] + row["dead_lettered_per_minute"]
    return ended
