"""The figures for Prometheus, read at each scrape.

All are gauges: the number of messages on a queue goes up and down, and consumers' counts are kept for some
days only, so that none could be a counter. Rates are therefore per minute.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from django.utils.module_loading import import_string
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dlqconsole.core.dead_letters.claims import oldest_attempt_seconds
from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import distinct
from dlqconsole.engine.queues import known
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.engine.queues.metrics import Row
from dlqconsole.features import features
from dlqconsole.retries import beat_heartbeats
from dlqconsole.transports import queue_overview

SECONDS = 2.0

_OF_A_QUEUE = {
    "oldest_due_seconds": "How long the oldest claimable message has been due; 0 when there is none",
    "oldest_in_flight_seconds": "How long the message that was taken first is held; 0 when none is",
    "completed_per_minute": "Messages completed a minute, over the last five full minutes",
    "retried_per_minute": "Messages put off for a retry a minute, over the last five full minutes",
    "dead_lettered_per_minute": "Messages made dead letters a minute, over the last five full minutes",
    "consumers_waiting": "Consumers that wait for messages of the queue",
    "dead_letters": "Dead letters of the queue that still wait for somebody",
    "paused": "1 while the queue is paused",
    "left_alone": "1 while consumers leave the queue alone because everything on it failed",
    "capped": "1 where only the front was counted: there may be more messages than the figures say",
}
# unknown if the queue's own system does not report its messages
_OF_MESSAGES = ("oldest_due_seconds", "oldest_in_flight_seconds")
_OF_AN_ATTACHED_QUEUE: dict[str, tuple[Callable[[Row], float | None], str]] = {
    "up": (lambda row: float(not row["problem"]), "1 where its system told its figures"),
    "seen_timestamp_seconds": (
        lambda row: row["seen_at"] and row["seen_at"].timestamp(),
        "When its system last answered",
    ),
    "on_the_way": (
        lambda row: float(row["on_the_way"]),
        "Messages that are sent there, or that it has not let go of",
    ),
}
_OF_THE_DATABASE = {
    "lock_waits": ("lock_waits", "Sessions that wait for a lock on our tables"),
    "oldest_transaction_seconds": ("oldest_transaction_seconds", "Age of the oldest open transaction"),
    "oldest_xmin_transactions": ("oldest_xmin_transactions", "Transactions since the oldest snapshot in use"),
    "notification_queue_ratio": ("notification_queue_usage", "How full the notification queue is, 0 to 1"),
    "connections": ("connections", "Connections in use"),
    "connections_max": ("max_connections", "Connections that the server allows"),
}

_STATES = {"closed": 0, "half-open": 1, "open": 2}


def exposition(elsewhere: Sequence[Row], seconds: float = SECONDS) -> bytes:
    """All figures as Prometheus text. Nothing is kept from one scrape to the next.

    ``elsewhere``: the attached queues (``transports.queue_overview``). Queues of ours are read for about
    ``seconds``; how many are left out then is one of the figures.
    """
    registry = CollectorRegistry(auto_describe=False)
    rows, left_out = _ours(seconds, {row["name"] for row in elsewhere})
    queues = [*_queues([*rows, *elsewhere], left_out), *_elsewhere(elsewhere)]
    whole = [] if current_access().is_limited else _whole()
    registry.register(_ReadMetrics([*queues, *_dead_letters(), *whole]))
    return generate_latest(registry)


def _whole() -> list[Metric]:
    """Figures about everything in the database, those of the features too."""
    paths = [feature.metrics for feature in features() if feature.metrics]
    brought = [metric for path in paths for metric in import_string(path)()]
    return [*_attempts(), *_database(), *brought, _breakers()]


class _ReadMetrics(Collector):
    """Metrics that were read already, so that this code answers for an error."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """Mask each label: a queue may be named after a person."""
        for metric in self._metrics:
            metric.samples = [
                sample._replace(labels={name: str(distinct(text)) for name, text in sample.labels.items()})
                for sample in metric.samples
            ]
        return self._metrics


def _ours(seconds: float, elsewhere: Collection[str]) -> tuple[list[Row], int]:
    """Our queues that could be read in time, and how many are left out."""
    deadline = time.monotonic() + seconds
    rows: list[Row] = []
    for row in queue_overview.ours():
        if time.monotonic() > deadline:
            names_read = {*elsewhere, *(row["name"] for row in rows)}
            return rows, sum(name not in names_read for name in known.names())
        rows.append(row)
    return rows, 0


def _queues(rows: Sequence[Row], left_out: int) -> Iterator[Metric]:
    """The metrics of queues. An unknown figure has no sample: a sample of 0 would be wrong."""
    yield GaugeMetricFamily(
        "dlq_queues_left_out", "Queues without figures: there was no time", value=left_out
    )
    messages = GaugeMetricFamily("dlq_queue_messages", "Messages on a queue", labels=["queue", "state"])
    for row in rows:
        for state in [state for state in queue_metrics.STATES if row[state] is not None]:
            messages.add_metric([row["name"], state], row[state])
    yield messages
    unhandled_messages = GaugeMetricFamily(
        "dlq_queue_unhandled_messages",
        "Messages that were put back because who met them had no handler for their event type",
        labels=["queue"],
    )
    for row in [row for row in rows if row["told_by_consumers"] or not row.get("attached")]:
        unhandled_messages.add_metric([row["name"]], sum(kind["messages"] for kind in row["unhandled"]))
    yield unhandled_messages
    for name, words in _OF_A_QUEUE.items():
        family = GaugeMetricFamily(f"dlq_queue_{name}", words, labels=["queue"])
        for row in rows:
            if name not in _OF_MESSAGES or row["length"] is not None:
                family.add_metric([row["name"]], float(row.get(name) or 0))
        yield family

    limits = GaugeMetricFamily(
        "dlq_queue_age_limit_seconds",
        "How long the oldest claimable message may have been due; no sample: no limit",
        labels=["queue"],
    )
    for row in rows:
        if (limit := queue_warnings.age_limit(row)) is not None:
            limits.add_metric([row["name"]], limit)
    yield limits


def _elsewhere(rows: Sequence[Row]) -> Iterator[Metric]:
    for name, (key, words) in _OF_AN_ATTACHED_QUEUE.items():
        family = GaugeMetricFamily(f"dlq_attached_queue_{name}", words, labels=["queue"])
        for row in rows:
            if (value := key(row)) is not None:
                family.add_metric([row["name"]], value)
        yield family


def _dead_letters() -> Iterator[Metric]:
    family = GaugeMetricFamily(
        "dlq_dead_letters",
        "Dead letters in a status",
        labels=["status"],
    )
    for status, count in summaries.status_counts(DeadLetterFilter()).items():
        family.add_metric([status], count.value)
    yield family


def _attempts() -> Iterator[Metric]:
    """The schedule's last tick, and the oldest running retry. A schedule that never ticked has no figure."""
    if (tick := beat_heartbeats.last_tick()) is not None:
        yield GaugeMetricFamily(
            "dlq_schedule_last_tick_seconds", "How long ago a worker last had a tick", value=tick[1]
        )
    yield GaugeMetricFamily(
        "dlq_dead_letters_oldest_attempt_seconds",
        "How long the retry that began first has been running; 0 when none runs",
        value=oldest_attempt_seconds() or 0.0,
    )


def _database() -> Iterator[Metric]:
    health = database_health.health()
    for name, (key, words) in _OF_THE_DATABASE.items():
        yield GaugeMetricFamily(f"dlq_database_{name}", words, value=float(health[key] or 0))
    yield _tables("live_rows", "Rows of a table, by the statistics", health["tables"])
    yield _tables("dead_rows", "Dead rows that vacuum has not cleared away", health["tables"])


def _breakers() -> Metric:
    """The breakers that are not closed, or that a person holds; all others are closed."""
    family = GaugeMetricFamily(
        "dlq_breaker_state",
        "A breaker: 0 closed (held so by a person), 1 half-open, 2 open; no sample: closed",
        labels=["key", "held"],
    )
    for state in breakers.states():
        family.add_metric([state.key, state.held or ""], _STATES[state.effective])
    return family


def _tables(name: str, words: str, tables: Iterable[dict[str, Any]]) -> Metric:
    family = GaugeMetricFamily(f"dlq_database_{name}", words, labels=["table"])
    for table in tables:
        family.add_metric([table["name"]], table[name])
    return family
