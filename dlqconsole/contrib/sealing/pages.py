"""The parts that sealing adds to the audit page and its words, and its figures for Prometheus."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest
from prometheus_client.core import GaugeMetricFamily, Metric

from dlqconsole.console.audit.subjects import Words, number
from dlqconsole.contrib.sealing.integrity import integrity
from dlqconsole.engine.access_scope import current_access
from dlqconsole.features import Card


def metrics() -> Iterator[Metric]:
    """The sealing of the audit log. A log that was never verified has no date of it."""
    state = integrity()
    figures = {
        "sealed_up_to_row": ("The newest row that is sealed", state.seal.up_to if state.seal else 0),
        "seal_number": (
            "The newest seal; less than before: the end was cut off",
            state.seal.number if state.seal else 0,
        ),
        "unsealed_rows": ("Rows that came after the newest seal, at most 10,000", state.newer.rows),
        "oldest_unsealed_seconds": ("Age of the oldest of them", state.newer.seconds),
    }
    if state.check:
        figures["verified_timestamp_seconds"] = ("When the log was last verified", state.check.at.timestamp())
        figures["differences"] = ("What the last verification found", state.differences)
    for name, (words, value) in figures.items():
        yield GaugeMetricFamily(f"dlq_audit_{name}", words, value=float(value))


def on_audit(request: HttpRequest) -> Card | None:
    """The integrity of the log; the number of entries, and of the sealed ones, concerns everybody's."""
    if current_access().is_limited:
        return None
    return Card("sealing/standing.html", {"standing": integrity()})


def _verification(detail: Mapping[str, Any]) -> str:
    rows = f"{number(detail.get('rows', 0))} sealed entries"
    problems = detail.get("problems", 0)
    s = "" if problems == 1 else "s"
    return f"{rows} compared: {number(problems)} difference{s}" if problems else f"{rows} are what they were"


WORDS: dict[str, Words] = {"audit": {"verify": _verification}}
