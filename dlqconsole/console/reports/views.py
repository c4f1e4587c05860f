"""The daily business reports, and the pipeline's runs that make them."""

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import pipeline_rows
from dlqconsole.console.reports.forms import ReportForm
from dlqconsole.engine.reach import Reach
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
    reach = reach_of(request)
    seen = [report for report in Report.objects.order_by("name") if daily.is_seen(report, reach)]
    rows = [_described(report, reach) for report in seen]
    context = {"reports": rows, "pipeline_runs": pipeline_rows(reach, 20)}
    return page(request, "console/reports/list.html", context, part="")


def _described(report: Report, reach: Reach) -> dict[str, Any]:
    figures = ", ".join(daily.words(name, kind).lower() for name, kind in report.kinds.items())
    keys = "".join(f" and {daily.words(name).lower()}" for name in report.keys)
    shown = daily.days(report, reach)
    return {
        "name": report.name,
        "title": report.title,
        "description": f"{figures} per day{keys}",
        "days": shown,
        "updated_at": report.updated_at,
        "url": reverse("report", args=[report.name]),
    }


@viewer_required
@require_safe
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report: its table and chart, for some days and a key."""
    reach, found = reach_of(request), Report.objects.filter(pk=name).first()
    if found is None or not daily.is_seen(found, reach):
        raise Http404(f"There is no report {name}.")
    form = ReportForm(request.GET, report=found)
    shown = daily.days(found, reach, **form.asked)
    form.show(shown, reach)
    rows = [] if form.errors else daily.rows(found, reach, shown, form.key)
    context = {
        "report": found,
        "form": form,
        "days": shown,
        "ranges": _ranges(form, shown),
        "chart": chart(found, rows, form.metric) | {"title": _heading(form)},
        "is_cut": len(rows) == daily.MOST_ROWS,
        **_table(form, rows, _place(request)),
    }
    return page(request, "console/reports/report.html", context, part="")


def _place(request: HttpRequest) -> int:
    """The number of the table's page; the first where the address has none."""
    place = as_id(request.GET.get("page", "")) or 1
    return min(place, daily.MOST_ROWS)


def _ranges(form: ReportForm, shown: daily.Days) -> list[dict[str, Any]]:
    """Days that one click leads to."""
    if shown.first is None or shown.last is None:
        return []
    ranges = []
    for label, length in _RANGES:
        first = max(shown.first, shown.last - timedelta(days=length - 1)) if length else shown.first
        url = form.url(**{"from": first, "to": shown.last})
        current = (shown.since, shown.until) == (first, shown.last)
        ranges.append({"label": label, "url": url, "current": current})
    return ranges


def _heading(form: ReportForm) -> str:
    heading = daily.words(form.metric, form.report.kinds.get(form.metric, ""))
    return f"{heading}, {form.key}" if form.key else heading


def _table(form: ReportForm, rows: list[ReportRow], place: int) -> dict[str, Any]:
    found, start = form.report, (place - 1) * PAGE
    part = rows[start : start + PAGE]
    follows, precedes = start + PAGE < len(rows), place > 1 and rows
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
        "next_url": form.url(page=place + 1) if follows else "",
        "prev_url": form.url(page=place - 1) if precedes else "",
    }
