"""A daily report's chart: few lines, each of them legible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import Any

from dlqconsole.engine.gate import shown
from dlqconsole.reports.daily import NUMBERED, is_added_up, words
from dlqconsole.reports.models import Report, ReportRow

LINES = 4  # a chart with more is wool


def chart(report: Report, found: list[ReportRow], metric: str) -> dict[str, Any]:
    """``labels`` (days), ``series`` (label, values), ``kind`` of the figures, and in ``note`` what is drawn.

    What may be added up is one line over all keys; means and shares are a line a key, the largest keys only.
    """
    labels = sorted({row.day for row in found})
    names = {_name(report, row) for row in found}
    if is_added_up(report, metric) and len(names) > 1:
        lines, note = {"All": _total(found, metric)}, f"{_keys(report)}all {len(names):,} added up"
    else:
        largest = _largest(report, found)
        lines, note = _lines(report, found, metric, largest), _note(report, len(names), len(largest))
    said = _said(report, found, list(lines))
    series = [
        {"label": said.get(name, name), "values": [line.get(day) for day in labels]}
        for name, line in lines.items()
    ]
    return {
        "labels": [day.isoformat() for day in labels],
        "series": series,
        "kind": report.kinds.get(metric, ""),
        "note": note,
    }


def _said(report: Report, found: Iterable[ReportRow], drawn: list[str]) -> dict[str, str]:
    """Lines by what tells them apart: a key that is the same for all is left out, and so is a number."""
    keys = {name: row.key for row in found if (name := _name(report, row)) in drawn}
    apart = [key for key in report.keys if len({str(of.get(key)) for of in keys.values()}) > 1]
    without_number = [key for key in apart if key != NUMBERED]
    for wanted in (without_number, apart):
        said = {name: shown(" · ".join(str(of.get(key, "")) for key in wanted)) for name, of in keys.items()}
        if all(said.values()) and len(set(said.values())) == len(said):
            return dict(said)
    return {}


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
    return f"{_keys(report)}the {drawn} largest of {all_of_them:,}{by}"


def _keys(report: Report) -> str:
    """What is drawn a line each; more than two keys are only counted."""
    return f"{' and '.join(map(words, report.keys))}: " if len(report.keys) <= 2 else ""


def _by(report: Report) -> str:
    """The figure that tells how large a key is: the first that may be added up."""
    return next((name for name in report.kinds if is_added_up(report, name)), "")


def _name(report: Report, row: ReportRow) -> str:
    return shown(" · ".join(str(row.key.get(name, "")) for name in report.keys) or report.title)


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
