"""The daily reports for people: which days, which rows, what the columns are called, how figures read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import FloatField, Max, Min, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from dlqconsole.engine.reach import Reach
from dlqconsole.processing.durations import duration_in_two
from dlqconsole.processing.reports import FAILURES
from dlqconsole.reports.models import Report, ReportRow

DAYS = 30  # shown unless somebody asks for others
MOST_ROWS = 20_000
MOST_VALUES = 200  # beyond which a key is typed, not chosen
# a failure group's number tells nobody anything
NUMBERED = "group"
_ADDED_UP = ("count", "sum")
_TENTHS = ("mean", "median", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True)
class Days:
    """The days a report is shown for, both ends included, and those there are; None where there is no row."""

    since: date | None
    until: date | None
    first: date | None
    last: date | None


def days(report: Report, reach: Reach, since: date | None = None, until: date | None = None) -> Days:
    """The asked days; without a wish the newest thirty that have rows."""
    ends = _rows(report, reach).aggregate(first=Min("day"), last=Max("day"))
    first, last = ends["first"], ends["last"]
    if since is None and until is None and last:
        since = max(first, last - timedelta(days=DAYS - 1))
    return Days(since or first, until or last, first, last)


def rows(report: Report, reach: Reach, shown: Days, key: str = "") -> list[ReportRow]:
    """The rows of these days, newest day first; ``key`` is any of the key's values."""
    found = _of_days(report, reach, shown)
    if key and report.keys:
        # as text: a key may be a number
        texts = {f"key_{place}": KeyTextTransform(name, "key") for place, name in enumerate(report.keys)}
        found = found.annotate(**texts).filter(reduce(or_, (Q(**{text: key}) for text in texts)))
    return list(found.order_by("-day", *_largest_first(report), "key")[:MOST_ROWS])


def _largest_first(report: Report) -> list[Any]:
    """Of the failure report: what failed most, within its day."""
    return (
        [Cast(KeyTextTransform("failures", "figures"), FloatField()).desc()]
        if report.name == FAILURES
        else []
    )


def key_values(report: Report, reach: Reach, shown: Days) -> dict[str, list[str]] | None:
    """What each key can be chosen from within these days; None where that is too much to choose from."""
    found: dict[str, list[str]] = {}
    for name in report.keys:
        if name == NUMBERED:
            continue
        text = KeyTextTransform(name, "key")
        values = _of_days(report, reach, shown).order_by().values_list(text, flat=True).distinct()
        found[name] = sorted(str(value) for value in values[: MOST_VALUES + 1] if value is not None)
    return None if any(len(values) > MOST_VALUES for values in found.values()) else found


def is_seen(report: Report, reach: Reach) -> bool:
    """Whether anything of a report lies within reach."""
    return not reach.is_limited or _rows(report, reach).exists()


def _rows(report: Report, reach: Reach) -> QuerySet[ReportRow]:
    """A row is of the queue and the event type that its key names; of all where it names none."""
    found = ReportRow.objects.filter(report=report)
    if not reach.is_limited:
        return found
    text = reach.columns("(report_rows.key ->> 'queue')", "(report_rows.key ->> 'event_type')")
    return found.filter(reach.condition(text))


def _of_days(report: Report, reach: Reach, shown: Days) -> QuerySet[ReportRow]:
    found = _rows(report, reach)
    return found.filter(day__gte=shown.since, day__lte=shown.until) if shown.since else found.none()


def words(name: str, kind: str = "") -> str:
    """A column's heading: ``mean_arrival_delay`` is Mean arrival delay, ``on_time_share`` On-time share."""
    parts = name.replace("_", " ").split()
    if kind == "share" and len(parts) > 1 and parts[-1] == "share":
        parts = ["-".join(parts[:-1]), "share"]
    text = " ".join(parts)
    return text[:1].upper() + text[1:]


def is_added_up(report: Report, metric: str) -> bool:
    """Whether the figures of several keys may be added."""
    return report.kinds.get(metric) in _ADDED_UP


def figure(value: Any, kind: str) -> str:
    """A figure as people read it: 1,234 or 94.4 % or -13.1 or 3 h 12 min."""
    if value is None:
        return "—"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if kind == "share":
        return f"{value * 100:.1f}\u00a0%"
    if kind == "duration":
        return duration_in_two(value) if value >= 1 or not value else f"{value:.1f} s"
    is_whole = kind not in _TENTHS and float(value).is_integer()
    # whole numbers may have more digits than a float; adding zero takes the sign from a mean that is -0.0
    return f"{int(value):,}" if is_whole else f"{round(value, 1) + 0.0:,.1f}"


def cells(report: Report, row: ReportRow) -> list[str]:
    """One row's keys and figures, in the order of the columns behind the day."""
    keys = [str(row.key.get(name, "")) for name in report.keys]
    return [*keys, *(figure(row.figures.get(name), kind) for name, kind in report.kinds.items())]
