"""Warnings from a queue's figures: a sentence for each thing that needs attention."""

from collections.abc import Iterable, Mapping
from typing import Any

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.engine.breakers import State, describe
from dlqconsole.engine.queues import obstacles
from dlqconsole.processing.quantities import duration_in_two

UNSEEN_SECONDS = 60  # a message due for so long, and no sign of a consumer
LATE_SECONDS = 15 * 60
GROWING_FROM = 100  # messages of five minutes
FAILING_SHARE = 0.5
FAILING_FROM = 10  # attempts of five minutes
_MINUTES = 5
_SHOWN_TYPES = 5
NOBODY_CONSUMES = "Nobody consumes it."
OLDEST_DUE = "Its oldest message has been due for"


def warnings(row: Mapping[str, Any]) -> list[str]:
    """Return the sentences for a row of metrics, gravest first. A paused queue stands still on purpose."""
    waiting = handler_warnings(row.get("unhandled", ()))
    if behind := row.get("behind_dead_letters"):
        waiting.append(obstacles.behind_words(behind))
    if row["paused"]:
        return waiting
    sentences = [_stopped_by_breaker(row) or _unseen(row) or _late(row), _growing(row), _failing(row)]
    return [*waiting, *(sentence for sentence in sentences if sentence)]


def of_pace(row: Mapping[str, Any]) -> list[str]:
    """Return the sentences that need no figures of the queue's messages."""
    sentences = [*handler_warnings(row.get("unhandled", ())), _stopped_by_breaker(row), _failing(row)]
    return [sentence for sentence in sentences if sentence]


def handler_warnings(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each event type that waits for a handler; the rarer ones together."""
    all_rows = list(rows)
    sentences = [_no_handler(row) for row in all_rows[:_SHOWN_TYPES]]
    if rest := all_rows[_SHOWN_TYPES:]:
        number = sum(row["messages"] for row in rest)
        sentences.append(f"{number:,} messages of {len(rest):,} more event types wait for a handler, too.")
    return sentences


def _no_handler(row: Mapping[str, Any]) -> str:
    event_type = row["event_type"][:120]
    number = f"{row['messages']:,}{' or more' if row['at_least'] else ''}"
    number += " message" if number == "1" else " messages"
    behind = " The others of their groups wait behind them, in order." if row["grouped"] else ""
    if row["handled"]:
        return (
            f"{number} of {event_type} passed on: one of its consumers has no handler for it and puts back"
            f" what another handles.{behind}"
        )
    return (
        f"Nobody handles {event_type}: {number} {'waits' if row['messages'] == 1 else 'wait'}. Start a"
        f" consumer of the queue whose DLQ_HANDLERS has it.{behind}"
    )


def _stopped_by_breaker(row: Mapping[str, Any]) -> str:
    breaker: State | None = row.get("breaker")
    if breaker is None:
        return ""
    who = "Events that failed before are left alone" if breaker.only_again else "Its consumers leave it alone"
    return f"{who}: {describe(breaker)}"


def _unseen(row: Mapping[str, Any]) -> str:
    signs = row["consumers_waiting"] + row["in_flight"] + _attempts(row)
    if signs or row.get("attached") or (row["oldest_due_seconds"] or 0) < UNSEEN_SECONDS:
        return ""
    return f"{NOBODY_CONSUMES} Start a consumer: {PROGRAM} consume {row['name'][:80]}"


def age_limit(row: Mapping[str, Any]) -> int | None:
    """Return the seconds that the oldest message may have been due; None without a limit of the queue."""
    limit: int | None = row["policy"].get("age_limit_seconds")
    return limit


def is_late(row: Mapping[str, Any]) -> bool:
    """Tell whether the oldest message has been due for longer than the queue's limit, or than is usual."""
    return (row["oldest_due_seconds"] or 0) > (age_limit(row) or LATE_SECONDS)


def _late(row: Mapping[str, Any]) -> str:
    if not is_late(row):
        return ""
    limit, age = age_limit(row), duration_in_two(row["oldest_due_seconds"])
    over = "" if limit is None else f", over the limit of {duration_in_two(limit)}"
    return f"{OLDEST_DUE} {age}{over}. Start more consumers, or see why they are slow."


def _growing(row: Mapping[str, Any]) -> str:
    """Warn when more messages of the last five minutes still wait than left in that time."""
    exits = (row["completed_per_minute"] + row["dead_lettered_per_minute"]) * _MINUTES
    if row["arrived"] < GROWING_FROM or row["arrived"] <= exits:
        return ""
    return (
        f"It grows: {row['arrived']:,} messages of the last five minutes still wait, and {exits:,.0f} were"
        " finished in that time."
    )


def _failing(row: Mapping[str, Any]) -> str:
    share = row["failure_share"]
    if share is None or share <= FAILING_SHARE or _attempts(row) * _MINUTES < FAILING_FROM:
        return ""
    return (
        f"{share:.0%} of its attempts fail. Look at its dead letters, or pause it while you mend the cause."
    )


def _attempts(row: Mapping[str, Any]) -> float:
    total: float = row["completed_per_minute"] + row["retried_per_minute"] + row["dead_lettered_per_minute"]
    return total
