"""The daily business reports, and the pipeline's runs that make them."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import pipeline_rows
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.reports import daily
from dlqconsole.reports.charts import chart
from dlqconsole.reports.models import Report, ReportRow

PAGE = 100  # rows of the table
_RANGES = (("Last 30 days", 30), ("Last 90 days", 90), ("All days", 0))


@viewer_required
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Every report there is, and the newest runs."""
    rows = [_described(report) for report in Report.objects.order_by("name")]
    context = {"reports": rows, "pipeline_runs": pipeline_rows(20)}
    return page(request, "console/reports/list.html", context, part="")


def _described(report: Report) -> dict[str, Any]:
    figures = ", ".join(daily.words(name, kind).lower() for name, kind in report.kinds.items())
    keys = "".join(f" and {daily.words(name).lower()}" for name in report.keys)
    shown = daily.days(report)
    return {
        "name": report.name,
        "title": report.title,
        "description": f"{figures} per day{keys}",
        "days": shown,
        "updated_at": report.updated_at,
        "url": reverse("report", args=[report.name]),
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the address asks of a report."""

    since: date | None
    until: date | None
    key: str
    metric: str
    page: int

    def url(self, report: Report, **changes: Any) -> str:
        """The report's address with something else asked."""
        values = {"from": self.since, "to": self.until, "key": self.key, "metric": self.metric} | changes
        return f"{reverse('report', args=[report.name])}?{urlencode({k: v for k, v in values.items() if v})}"


@viewer_required
@require_safe
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report: its table and chart, for some days and a key."""
    found = Report.objects.filter(pk=name).first()
    if found is None:
        raise Http404(f"There is no report {name}.")
    asked, problems = _read(request, found)
    shown = daily.days(found, asked.since, asked.until)
    rows = [] if problems else daily.rows(found, shown, asked.key)
    context = {
        "report": found,
        "errors": problems,
        "days": shown,
        "ranges": _ranges(found, asked, shown),
        "filters": {"from": shown.since, "to": shown.until, "key": asked.key, "metric": asked.metric},
        "keys": _keys(found, shown),
        "metrics": [(metric, daily.words(metric, kind)) for metric, kind in found.kinds.items()],
        "chart": chart(found, rows, asked.metric) | {"title": _heading(found, asked)},
        "is_cut": len(rows) == daily.MOST_ROWS,
        **_table(found, rows, asked),
    }
    return page(request, "console/reports/report.html", context, part="")


def _read(request: HttpRequest, found: Report) -> tuple[_Asked, list[str]]:
    problems: list[str] = []
    since, until = (_day(request, side, problems) for side in ("from", "to"))
    if since and until and since > until:
        problems.append(f"The first day, {since}, is after the last, {until}.")
    metric = _text(request, "metric")
    metric = metric if metric in found.kinds else next(iter(found.kinds), "")
    place = as_id(request.GET.get("page", "")) or 1
    return _Asked(since, until, _text(request, "key"), metric, min(max(place, 1), daily.MOST_ROWS)), problems


def _ranges(found: Report, asked: _Asked, shown: daily.Days) -> list[dict[str, Any]]:
    """Days that one click leads to."""
    if shown.first is None or shown.last is None:
        return []
    ranges = []
    for label, length in _RANGES:
        first = max(shown.first, shown.last - timedelta(days=length - 1)) if length else shown.first
        url = asked.url(found, **{"from": first, "to": shown.last})
        current = (shown.since, shown.until) == (first, shown.last)
        ranges.append({"label": label, "url": url, "current": current})
    return ranges


def _keys(found: Report, shown: daily.Days) -> dict[str, Any]:
    """The key's field: its label, and what it offers where that is little enough to choose from."""
    values = daily.key_values(found, shown)
    choices = [(daily.words(name), values[name]) for name in values] if values else []
    return {"label": " or ".join(daily.words(name) for name in found.keys), "choices": choices}


def _heading(found: Report, asked: _Asked) -> str:
    heading = daily.words(asked.metric, found.kinds.get(asked.metric, ""))
    return f"{heading}, {asked.key}" if asked.key else heading


def _table(found: Report, rows: list[ReportRow], asked: _Asked) -> dict[str, Any]:
    start = (asked.page - 1) * PAGE
    part = rows[start : start + PAGE]
    follows, precedes = start + PAGE < len(rows), asked.page > 1 and rows
    return {
        "keys_count": len(found.keys),
        "columns": [
            *(daily.words(name) for name in found.keys),
            *(daily.words(name, kind) for name, kind in found.kinds.items()),
        ],
        "rows": [(row.day, daily.cells(found, row)) for row in part],
        "count": len(rows),
        "page_from": start + 1 if part else 0,
        "page_to": start + len(part),
        "next_url": asked.url(found, page=asked.page + 1) if follows else "",
        "prev_url": asked.url(found, page=asked.page - 1) if precedes else "",
    }


def _text(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "").replace("\x00", "").encode("utf-8", "replace").decode()[:200]


def _day(request: HttpRequest, name: str, problems: list[str]) -> date | None:
    text = _text(request, name)
    try:
        day = parse_date(text) if text else None
    except ValueError:
        day = None
    if text and day is None:
        problems.append(f"“{name}” must be a day such as 2026-11-21; it is “{text[:40]}”.")
    return day
