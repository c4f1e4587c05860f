"""The figures of the sealing for Prometheus."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric

from dlqconsole.contrib.sealing.integrity import integrity


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
