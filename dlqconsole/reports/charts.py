"""A daily report's chart: few lines, each of them legible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.gate import shown
from dlqconsole.reports.daily import NUMBERED, heading_of, is_added_up
from dlqconsole.reports.models import Report, ReportRow

LINES = 4  # more lines cannot be told apart


def chart(report: Report, rows: list[ReportRow], metric: str) -> dict[str, Any]:
    """Return ``labels`` (days), ``series`` (label, values), ``kind`` of the figures, and a ``note`` in words.

    Figures that may be added up make one line over all keys; means and shares one for each of the largest.
    """
    labels = sorted({row.day for row in rows})
    names = {_name(report, row) for row in rows}
    if is_added_up(report, metric) and len(names) > 1:
        lines, note = (
            {_("All"): _total(rows, metric)},
            _keys(report) + _("all {number:,} added up").format(number=len(names)),
        )
    else:
        largest = _largest(report, rows)
        lines, note = _lines(report, rows, metric, largest), _note(report, len(names), len(largest))
    labels_of = _line_labels(report, rows, list(lines))
    series = [
        {"label": labels_of.get(name, name), "values": [line.get(day) for day in labels]}
        for name, line in lines.items()
    ]
    return {
        "labels": [day.isoformat() for day in labels],
        "series": series,
        "kind": report.kinds.get(metric, ""),
        "note": note,
    }


def _line_labels(report: Report, rows: Iterable[ReportRow], line_names: list[str]) -> dict[str, str]:
    """Label lines by the keys that differ; leave out a key that is the same for all, and numbers."""
    keys = {name: row.key for row in rows if (name := _name(report, row)) in line_names}
    apart = [key for key in report.keys if len({str(of.get(key)) for of in keys.values()}) > 1]
    without_number = [key for key in apart if key != NUMBERED]
    for shown_keys in (without_number, apart):
        labels = {
            name: shown(" · ".join(str(of.get(key, "")) for key in shown_keys)) for name, of in keys.items()
        }
        if all(labels.values()) and len(set(labels.values())) == len(labels):
            return dict(labels)
    return {}


def _total(rows: Iterable[ReportRow], metric: str) -> dict[date, Any]:
    total: dict[date, Any] = defaultdict(int)
    for row in rows:
        total[row.day] += _number(row.figures.get(metric))
    return total


def _lines(
    report: Report, rows: Iterable[ReportRow], metric: str, names: list[str]
) -> dict[str, dict[date, Any]]:
    lines: dict[str, dict[date, Any]] = {name: {} for name in names}
    for row in rows:
        if (name := _name(report, row)) in lines:
            lines[name][row.day] = row.figures.get(metric)
    return lines


def _largest(report: Report, rows: Iterable[ReportRow]) -> list[str]:
    """The keys with the largest figures; without a figure to add up, those with the most days."""
    size: Counter[str] = Counter()
    for row in rows:
        metric = _by(report)
        size[_name(report, row)] += _number(row.figures.get(metric)) if metric else 1
    return [name for name, _size in sorted(size.items(), key=lambda item: (-item[1], item[0]))[:LINES]]


def _note(report: Report, all_of_them: int, line_count: int) -> str:
    if all_of_them <= line_count:
        return ""
    note = _("the {number} largest of {all:,}")
    if by := _by(report):
        note = _("the {number} largest of {all:,} by {by}")
    by = heading_of(by).lower() if by else ""
    return _keys(report) + note.format(number=line_count, all=all_of_them, by=by)


def _keys(report: Report) -> str:
    """The names of the keys, for the note; empty for more than two."""
    return f"{_(' and ').join(map(heading_of, report.keys))}: " if len(report.keys) <= 2 else ""


def _by(report: Report) -> str:
    """The figure that measures a key: the first that may be added up."""
    return next((name for name in report.kinds if is_added_up(report, name)), "")


def _name(report: Report, row: ReportRow) -> str:
    return shown(" · ".join(str(row.key.get(name, "")) for name in report.keys) or report.title)


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
