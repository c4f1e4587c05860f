"""The obstacles before the messages of a queue: a dead letter of their group, an open breaker, no handler."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import breakers, known_handlers
from dlqconsole.engine.breakers import State
from dlqconsole.engine.known_handlers import ProcessStatus
from dlqconsole.engine.sql import sql

# So many dead letters of a queue are looked at, and so many messages are counted.
LOOK = 1_000

type Row = dict[str, Any]

# so many messages of each queue are looked at, and only while a breaker is open
FIRST_MESSAGES = 200

COUNTED = 20_000


def behind_dead_letters(names: Sequence[str]) -> dict[str, Row]:
    """Return, by queue: ``messages`` wait for dead letters of ``groups`` (``at_least`` so many)."""
    rows = fetch_dicts(sql("queue_metrics.behind_dead_letters"), {"names": list(names), "look": LOOK})
    return {row.pop("name"): row for row in rows}


def behind_letter(letter_id: int) -> Row:
    """Return how many ``messages`` (``at_least`` so many) wait for a dead letter, and the ``first``."""
    [row] = fetch_dicts(sql("queued_messages.behind_letter"), {"id": letter_id, "look": LOOK})
    return row


def behind_words(row: Mapping[str, Any]) -> str:
    """Return the sentence for a queue."""
    number = _("{number:,} or more") if row["at_least"] else "{number:,}"
    number = number.format(number=row["messages"])
    if row["messages"] == 1:
        return _("1 message waits for the dead letter of its group: revive, retry or discard it.")
    if row["groups"] == 1:
        return _(
            "{number} messages wait for the dead letter of their group: revive, retry or discard it."
        ).format(number=number)
    return _(
        "{number} messages wait for dead letters of their {groups:,} groups: revive, retry or discard these."
    ).format(number=number, groups=row["groups"])


def blocked_by_breaker(names: Sequence[str]) -> dict[str, State]:
    """Return, by queue, the breaker that stops the most of its first messages, or of the queue's name.

    Only the name of another system's queue tells the type of its messages.
    """
    blocking = [state for state in breakers.states() if state.blocks]
    by_type = {kind: state for state in blocking for kind in state.event_types}
    if not by_type:
        return {}
    by_name = {name: by_type[kind] for name in names if (kind := name.rpartition(":")[2]) in by_type}
    return by_name | {row["name"]: by_type[row["event_type"]] for row in _standing(names, list(by_type))}


def _standing(names: Sequence[str], event_types: list[str]) -> list[dict[str, Any]]:
    return fetch_dicts(
        sql("queue_metrics.of_types"),
        {"names": list(names), "event_types": event_types, "look": FIRST_MESSAGES},
    )


def unhandled_messages(names: Sequence[str]) -> tuple[dict[str, list[Row]], set[str]]:
    """By queue, a row an event type: ``event_type``, ``messages`` (``at_least`` so many), ``grouped`` (others
    of their groups wait behind them), and ``has_consumer``: a consumer that runs now has the handler.

    On queues of ours the messages record it, on attached ones the consumers that put them back. The second
    value names the queues with a consumer that was heard of in the last two minutes: no others are known.
    """
    reports = known_handlers.live()
    rows = fetch_dicts(sql("queue_metrics.unhandled"), {"names": list(names), "cap": COUNTED})
    is_least = sum(row["messages"] for row in rows) >= COUNTED
    by_queue: dict[str, list[Row]] = {}
    for row in [*rows, *_reported_rows(reports, set(names) - {row["name"] for row in rows})]:
        name = row.pop("name")
        has_consumer = _has_consumer(reports, name, row["event_type"])
        by_queue.setdefault(name, []).append(row | {"at_least": is_least, "handled": has_consumer})
    return by_queue, {name for report in reports if report.is_consumer for name in report.queues}


def _reported_rows(reports: Iterable[ProcessStatus], names: set[str]) -> list[Row]:
    """Return the same rows for queues whose messages cannot say it."""
    counts: dict[tuple[str, str], int] = {}
    for report in reports:
        for name in report.unhandled.keys() & names:
            for event_type, number in report.unhandled[name].items():
                counts[name, event_type] = counts.get((name, event_type), 0) + number
    return [
        {"name": name, "event_type": event_type, "messages": number, "grouped": False}
        for (name, event_type), number in sorted(counts.items(), key=lambda pair: (pair[0][0], -pair[1]))
    ]


def _has_consumer(reports: Iterable[ProcessStatus], queue: str, event_type: str) -> bool:
    return any(
        report.is_consumer and queue in report.queues and report.handles(event_type) for report in reports
    )
