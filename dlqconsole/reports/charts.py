"""A daily report's chart: few lines, each of them legible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from dlqconsole.reports.daily import is_added_up, words
from dlqconsole.reports.models import Report, ReportRow

LINES = 4  # a chart with more is wool


def chart(report: Report, found: list[ReportRow], metric: str) -> dict[str, Any]:
    """``labels`` (days), ``series`` (label, values), ``kind`` of the figures, and in ``note`` what is drawn.

    What may be added up is one line over all keys; means and shares are a line a key, the largest keys only.
    """
    labels = sorted({row.day for row in found})
    names = {_name(report, row) for row in found}
    if is_added_up(report, metric) and len(names) > 1:
        lines, note = {"All": _total(found, metric)}, f"{_keys(report)}: all {len(names):,} added up"
    else:
        largest = _largest(report, found)
        lines, note = _lines(report, found, metric, largest), _note(report, len(names), len(largest))
    series = [{"label": name, "values": [line.get(day) for day in labels]} for name, line in lines.items()]
    return {
        "labels": [day.isoformat() for day in labels],
        "series": series,
        "kind": report.kinds.get(metric, ""),
        "note": note,
    }


def _total(found: Iterable[ReportRow], metric: str) -> dict[date, Any]:
    total: dict[date, Any] = defaultdict(int)
    for row in found:
        total[row.day] += _number(row.figures.get(metric))
    return total


def _lines(
    report: Report, found: Iterable[ReportRow], metric: str, names: list[str]
) -> dict[str, dict[date, Any]]:
    lines: dict[str, dict[date, Any]] = {name: {} for name in names}
    for row in found:
        if (name := _name(report, row)) in lines:
            lines[name][row.day] = row.figures.get(metric)
    return lines


def _largest(report: Report, found: Iterable[ReportRow]) -> list[str]:
    """The keys that count most; where nothing is counted, those with the most days."""
    size: Counter[str] = Counter()
    for row in found:
        counted = _by(report)
        size[_name(report, row)] += _number(row.figures.get(counted)) if counted else 1
    return [name for name, _size in sorted(size.items(), key=lambda item: (-item[1], item[0]))[:LINES]]


def _note(report: Report, all_of_them: int, drawn: int) -> str:
    if all_of_them <= drawn:
        return ""
    by = f" by {words(_by(report)).lower()}" if _by(report) else ""
    return f"{_keys(report)}: the {drawn} largest of {all_of_them:,}{by}"


def _keys(report: Report) -> str:
    return " and ".join(words(name) for name in report.keys)


def _by(report: Report) -> str:
    """The figure that tells how large a key is: the first that may be added up."""
    return next((name for name in report.kinds if is_added_up(report, name)), "")


def _name(report: Report, row: ReportRow) -> str:
    return " · ".join(str(row.key.get(name, "")) for name in report.keys) or report.title


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
