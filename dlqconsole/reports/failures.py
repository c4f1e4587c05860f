"""The failure report for people: a line for each day and reason, with the group's title and the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from dlqconsole.engine.models import FailureGroup
from dlqconsole.processing.reports import FAILURES
from dlqconsole.reports.daily import figure
from dlqconsole.reports.models import Report, ReportRow

# shares of all failures or events: a person who sees only some must not learn how many others there are
_OF_ALL = ("share_of_failures", "share_of_events")
ABOUT = "Failures by day, type, category and reason; how they ended, by which action, and after how long"
_WAYS = (
    ("healed_by_schedule", "by the schedule"),
    ("healed_by_retry", "by a retry"),
    ("healed_by_revive", "revived"),
    ("healed_by_replay", "by a replay"),
    ("healed_otherwise", "otherwise"),
)


@dataclass(frozen=True, slots=True)
class FailureLine:
    """A day's failures of one reason, group and queue, with their outcomes.

    ``group``: None where it is deleted; ``query``: the query string for the list of dead letters.
    """

    day: date
    key: dict[str, str]
    group: int | None
    title: str
    figures: dict[str, str]
    healed: list[str]
    query: str
    has_recovered: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of all lines on the page."""

    failures: int
    healed: int
    discarded: int
    still_open: int

    @property
    def healed_share(self) -> str:
        return figure(self.healed / self.failures, "share") if self.failures else "—"


def is_failures(report: Report) -> bool:
    """Tell whether this is the built-in failure report."""
    return report.name == FAILURES


def without_shares(report: Report) -> Report:
    """Take the shares out of a report, for a person who does not see everything."""
    report.metrics = [[name, kind] for name, kind in report.metrics if name not in _OF_ALL]
    return report


def lines(report: Report, rows: Sequence[ReportRow]) -> list[FailureLine]:
    """The rows as lines for people, with the present titles of their groups."""
    titles = _titles(rows)
    return [_line(report, row, titles) for row in rows]


def totals(rows: Sequence[ReportRow]) -> Totals:
    """Add the rows up."""
    names = ("failures", "healed", "discarded", "still_open")
    return Totals(*(sum(row.figures.get(name) or 0 for row in rows) for name in names))


def _titles(rows: Sequence[ReportRow]) -> dict[str, str]:
    numbers = {int(text) for row in rows if (text := str(row.key.get("group", ""))).isdigit()}
    groups = FailureGroup.objects.filter(pk__in=numbers).values_list("pk", "message")
    return {str(number): message for number, message in groups}


def _line(report: Report, row: ReportRow, titles: dict[str, str]) -> FailureLine:
    key = {name: str(row.key.get(name) or "") for name in ("group", *report.keys)}
    figures = {name: figure(row.figures.get(name), kind) for name, kind in report.kinds.items()}
    title = titles.get(key["group"])
    group = int(key["group"]) if title is not None else None
    has_recovered = row.figures.get("median_time_to_recover") is not None
    ways, query = _ways(row.figures), _query(row.day, key)
    return FailureLine(row.day, key, group, title or "", figures, ways, query, has_recovered)


def _ways(figures: dict[str, Any]) -> list[str]:
    ways = [f"{figures[name]:,} {words}" for name, words in _WAYS if figures.get(name)]
    number = figures.get("healed_after_edit")
    return [*ways, f"{number:,} of them edited first"] if number else ways


def _query(day: date, key: dict[str, str]) -> str:
    """The dead letters of this day and group, in the list."""
    parameters = {"group": key.get("group", ""), "since": str(day), "until": str(day + timedelta(days=1))}
    return urlencode({name: value for name, value in parameters.items() if value})
