"""The daily business reports."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from dlqconsole.console.access import viewer_required
from dlqconsole.console.responses import page
from dlqconsole.console.tables import pipeline_rows
from dlqconsole.reports import daily
from dlqconsole.reports.models import Report


@viewer_required
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Every report there is."""
    rows = [
        {
            "name": report.name,
            "title": report.title,
            "description": f"{', '.join(daily.metrics(report))} by {', '.join(report.keys)}, day by day",
            "updated_at": report.updated_at,
            "url": reverse("report", args=[report.name]),
        }
        for report in Report.objects.order_by("name")
    ]
    return page(
        request, "console/reports.html", {"reports": rows, "pipeline_runs": pipeline_rows(20)}, part=""
    )


@viewer_required
@require_safe
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report: its table and chart, for some days and a key."""
    found = get_object_or_404(Report, pk=name)
    problems: list[str] = []
    since, until = (_day(request, side, problems) for side in ("from", "to"))
    key = _text(request, "key")
    rows = [] if problems else daily.rows(found, since, until, key)
    metrics = daily.metrics(found)
    metric = _text(request, "metric")
    context = {
        "report": _table(found, rows, metric if metric in metrics else next(iter(metrics), "")),
        "errors": problems,
        "filters": {
            "from": _text(request, "from"),
            "to": _text(request, "to"),
            "key": key,
            "key_label": ", ".join(found.keys),
        },
        "metrics": metrics,
    }
    return page(request, "console/report.html", context, part="")


def _table(found: Report, rows: list[Any], metric: str) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "columns": daily.columns(found),
        "keys": found.keys,
        "rows": [daily.cells(found, row) for row in rows],
        "chart": daily.chart(found, rows, metric),
        "is_cut": len(rows) == daily.MOST_ROWS,
        "updated_at": found.updated_at,
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
