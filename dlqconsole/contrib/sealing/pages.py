"""The parts that sealing adds to the audit page and its words, and its figures for Prometheus."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from prometheus_client.core import GaugeMetricFamily, Metric

from dlqconsole.console.audit.subjects import Words, number
from dlqconsole.contrib.sealing import checks, verification
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.seals import last_seal
from dlqconsole.contrib.sealing.verification import UnsealedRows
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.models import AuditEntry
from dlqconsole.features import Card

# the beat seals every ten seconds and verifies once a day
LATE = timedelta(hours=1)


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
        figures["differences"] = ("Differences in the last verification", state.differences)
    for name, (words, value) in figures.items():
        yield GaugeMetricFamily(f"dlq_audit_{name}", words, value=float(value))


def on_audit(request: HttpRequest) -> Card | None:
    """The integrity of the log; the number of entries, and of the sealed ones, concerns everybody's."""
    if current_access().is_limited:
        return None
    return Card("sealing/standing.html", {"standing": integrity()})


def _verification(detail: Mapping[str, Any]) -> str:
    rows, problems = number(detail.get("rows", 0)), detail.get("problems", 0)
    if not problems:
        return _("{rows} sealed entries are what they were").format(rows=rows)
    return ngettext(
        "{rows} sealed entries compared: {number:,} difference",
        "{rows} sealed entries compared: {number:,} differences",
        problems,
    ).format(rows=rows, number=problems)


WORDS: dict[str, Words] = {"audit": {"verify": _verification}}


@dataclass(frozen=True, slots=True)
class Integrity:
    """The newest seal, the entries after it, and the last verification."""

    seal: AuditSeal | None
    newer: UnsealedRows
    check: AuditEntry | None

    @property
    def differences(self) -> int:
        """The number of differences in the last verification."""
        return int(self.check.detail.get("problems", 0)) if self.check else 0

    @property
    def is_late(self) -> bool:
        """Tell whether rows have waited for a seal for longer than they should."""
        return self.newer.seconds > LATE.total_seconds()


def integrity() -> Integrity:
    """Return the integrity as it is now."""
    return Integrity(last_seal(), verification.count_unsealed(), checks.last_check())
