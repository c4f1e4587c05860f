"""The daily reports' rows, as a table and a chart for people."""

from __future__ import annotations

from datetime import date
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from dlqconsole.reports.models import Report, ReportRow

MOST_ROWS = 2000
_LINES = 8  # a chart with more lines is wool


def rows(
    report: Report, since: date | None = None, until: date | None = None, key: str = ""
) -> list[ReportRow]:
    """The rows of some days (both ends included), newest day first; ``key`` is any of the key's values."""
    found = ReportRow.objects.filter(report=report)
    if since:
        found = found.filter(day__gte=since)
    if until:
        found = found.filter(day__lte=until)
    if key:
        found = found.filter(reduce(or_, (Q(**{"key__contains": {name: key}}) for name in report.keys)))
    return list(found.order_by("-day", "key")[:MOST_ROWS])


def metrics(report: Report) -> list[str]:
    """The names of its figures, in order."""
    return list(report.metrics)


def columns(report: Report) -> list[str]:
    """The table's columns: the day, the keys, the figures."""
    return ["day", *report.keys, *metrics(report)]


def cells(report: Report, row: ReportRow) -> list[Any]:
    """One row's values in the order of the columns."""
    keys = [row.key.get(name, "") for name in report.keys]
    return [row.day, *keys, *(row.figures.get(name) for name in metrics(report))]


def chart(report: Report, found: list[ReportRow], metric: str) -> dict[str, Any]:
    """One line a key over the days, the largest keys only: ``labels`` (days), ``series`` (label, values)."""
    days = sorted({row.day for row in found})
    lines: dict[str, dict[date, Any]] = {}
    for row in found:
        lines.setdefault(_name(report, row), {})[row.day] = row.figures.get(metric)
    largest = sorted(lines, key=lambda name: -sum(_weight(value) for value in lines[name].values()))[:_LINES]
    series = [{"label": name, "values": [lines[name].get(day) for day in days]} for name in largest]
    return {"labels": [day.isoformat() for day in days], "series": series, "metric": metric}


def _name(report: Report, row: ReportRow) -> str:
    return " · ".join(str(row.key.get(name, "")) for name in report.keys) or report.title


def _weight(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
