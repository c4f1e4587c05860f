"""Messages that wait on queues because no consumer that met them has a handler."""

from collections.abc import Iterable, Sequence
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import ProcessStatus
from dlqconsole.engine.sql import sql

COUNTED = 20_000

type Row = dict[str, Any]


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
