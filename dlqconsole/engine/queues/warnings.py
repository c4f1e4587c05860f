"""Warnings from a queue's figures: a sentence for each thing that needs attention."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.engine.breakers import State, describe
from dlqconsole.engine.moments import duration_in_two
from dlqconsole.engine.queues import obstacles
from dlqconsole.hosting.wording import gettext_lazy

UNSEEN_SECONDS = 60  # a message due for so long, and no sign of a consumer
LATE_SECONDS = 15 * 60
GROWING_FROM = 100  # messages of five minutes
FAILING_SHARE = 0.5
FAILING_FROM = 10  # attempts of five minutes
_MINUTES = 5
_SHOWN_TYPES = 5
NOBODY_CONSUMES = gettext_lazy("Nobody consumes it.")


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
        sentences.append(
            _("{number:,} messages of {types:,} more event types wait for a handler, too.").format(
                number=number, types=len(rest)
            )
        )
    return sentences


def _no_handler(row: Mapping[str, Any]) -> str:
    event_type = row["event_type"][:120]
    number = row["messages"]
    if row["handled"]:
        words = ngettext(
            "{number:,} message of {type} passed on: one of its consumers has no handler for it"
            " and puts back what another handles.",
            "{number:,} messages of {type} passed on: one of its consumers has no handler for it"
            " and puts back what another handles.",
            number,
        )
    else:
        words = ngettext(
            "Nobody handles {type}: {number:,} message waits. Start a consumer of the queue"
            " whose DLQ_HANDLERS has it.",
            "Nobody handles {type}: {number:,} messages wait. Start a consumer of the queue"
            " whose DLQ_HANDLERS has it.",
            number,
        )
    if row["at_least"]:
        words = words.replace("{number:,}", _("{number:,} or more"))
    behind = _("The others of their groups wait behind them, in order.") if row["grouped"] else ""
    return f"{words.format(number=number, type=event_type)} {behind}".strip()


def _stopped_by_breaker(row: Mapping[str, Any]) -> str:
    breaker: State | None = row.get("breaker")
    if breaker is None:
        return ""
    if breaker.only_again:
        return _("Events that failed before are left alone: {why}").format(why=describe(breaker))
    return _("Its consumers leave it alone: {why}").format(why=describe(breaker))


def _unseen(row: Mapping[str, Any]) -> str:
    signs = row["consumers_waiting"] + row["in_flight"] + _attempts(row)
    if signs or row.get("attached") or (row["oldest_due_seconds"] or 0) < UNSEEN_SECONDS:
        return ""
    return _("{nobody_consumes} Start a consumer: {program} consume {queue}").format(
        nobody_consumes=NOBODY_CONSUMES, program=PROGRAM, queue=row["name"][:80]
    )


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
    if limit is None:
        return _(
            "Its oldest message has been due for {age}. Start more consumers, or see why they are slow."
        ).format(age=age)
    return _(
        "Its oldest message has been due for {age}, over the limit of {limit}. Start more consumers, or see"
        " why they are slow."
    ).format(age=age, limit=duration_in_two(limit))


def _growing(row: Mapping[str, Any]) -> str:
    """Warn when more messages of the last five minutes still wait than left in that time."""
    exits = (row["completed_per_minute"] + row["dead_lettered_per_minute"]) * _MINUTES
    if row["arrived"] < GROWING_FROM or row["arrived"] <= exits:
        return ""
    return _(
        "It grows: {arrived:,} messages of the last five minutes still wait, and"
        " {exits:,.0f} were finished in that time."
    ).format(arrived=row["arrived"], exits=exits)


def _failing(row: Mapping[str, Any]) -> str:
    share = row["failure_share"]
    if share is None or share <= FAILING_SHARE or _attempts(row) * _MINUTES < FAILING_FROM:
        return ""
    return _(
        "{share:.0%} of its attempts fail. Look at its dead letters, or pause it while you mend the cause."
    ).format(share=share)


def _attempts(row: Mapping[str, Any]) -> float:
    total: float = row["completed_per_minute"] + row["retried_per_minute"] + row["dead_lettered_per_minute"]
    return total
