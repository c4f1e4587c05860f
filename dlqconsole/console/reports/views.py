"""The daily reports: the failures, and what a team declared."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.console.access.permissions import actor, viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.run_offers import offer_of
from dlqconsole.console.reports.forms import ReportForm
from dlqconsole.engine import audit
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.reports import daily, failures, open_days, row_files
from dlqconsole.reports.charts import chart
from dlqconsole.reports.models import Report, ReportRow

PAGE = 100  # rows of the table
_RANGES = (("Newest day", 1), ("Last 30 days", 30), ("Last 90 days", 90), ("All days", 0))


@viewer_required
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Every report there is."""
    reach = reach_of(request)
    seen = [report for report in Report.objects.order_by("name") if daily.is_seen(report, reach)]
    # the one that every team has comes first
    rows = [_described(report, reach) for report in sorted(seen, key=failures.is_failures, reverse=True)]
    context = {
        "reports": rows,
        "report_at": settings.DLQ_REPORT_AT,
        "compute": offer_of(request, "report"),
    }
    return page(request, "console/reports/list.html", context, part="")


def _described(report: Report, reach: Reach) -> dict[str, Any]:
    figures = ", ".join(daily.words(name, kind).lower() for name, kind in report.kinds.items())
    keys = "".join(f" and {daily.words(name).lower()}" for name in report.keys)
    shown = daily.days(report, reach)
    return {
        "name": report.name,
        "title": report.title,
        "description": failures.ABOUT if failures.is_failures(report) else f"{figures} per day{keys}",
        "days": shown,
        "updated_at": report.updated_at,
        "open": 0 if reach.is_limited else open_days.of_report(report).open,
        "url": reverse("report", args=[report.name]),
    }


@viewer_required
@require_safe
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report: its table and chart, for some days and a key."""
    reach = reach_of(request)
    form, shown, rows = _asked(request, name, reach)
    form.show(shown, reach)
    found, place = form.report, _place(request)
    context = {
        "report": found,
        "form": form,
        "days": shown,
        "ranges": _ranges(form, shown),
        "chart": chart(found, rows, form.metric) | {"title": _heading(form)},
        "is_cut": len(rows) == daily.MOST_ROWS,
        # how much came late counts everything
        "standing": None if reach.is_limited else open_days.of_report(found, shown),
        "report_at": settings.DLQ_REPORT_AT,
        "compute": offer_of(request, "report"),
        "exports": _exports(form) if rows else [],
        "parquet": "" if reach.is_limited or found.updated_at is None else _parquet(name),
        **_table(form, rows, place),
    }
    if failures.is_failures(found):
        return page(
            request, "console/reports/failures.html", context | _failures(found, rows, place), part=""
        )
    return page(request, "console/reports/report.html", context, part="")


@viewer_required
@require_safe
def export(request: HttpRequest, name: str, format: str) -> HttpResponse:
    """The rows that the page shows as a file. The audit log keeps who took what."""
    if format not in row_files.CONTENT_TYPES:
        raise Http404(f"There is no export to {format}.")
    form, shown, rows = _asked(request, name, reach_of(request))
    if form.errors:
        sentence = " ".join(str(error) for of_field in form.errors.values() for error in of_field)
        return HttpResponse(sentence, status=400, content_type="text/plain; charset=utf-8")
    headers = {
        "Content-Disposition": f'attachment; filename="report-{name}.{format}"',
        "Cache-Control": "no-store",
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    if request.method != "HEAD":
        detail = {"format": format, "rows": len(rows), "since": str(shown.since), "until": str(shown.until)}
        audit.record(actor(request), "export", f"report:{name}", detail=detail | {"key": form.key})
    content = row_files.content(form.report, rows, format)
    return HttpResponse(content, headers=headers, content_type=row_files.CONTENT_TYPES[format])


def _asked(request: HttpRequest, name: str, reach: Reach) -> tuple[ReportForm, daily.Days, list[ReportRow]]:
    """What is asked of a report, and the rows of it."""
    found = Report.objects.filter(pk=name).first()
    if found is None or not daily.is_seen(found, reach):
        raise Http404(f"There is no report {name}.")
    if reach.is_limited and failures.is_failures(found):
        failures.without_shares(found)
    form = ReportForm(request.GET, report=found)
    shown = daily.days(found, reach, **form.asked)
    return form, shown, [] if form.errors else daily.rows(found, reach, shown, form.key)


def _exports(form: ReportForm) -> list[dict[str, str]]:
    """Addresses of what is shown, as files."""
    query = form.url().partition("?")[2]
    return [
        {"label": label, "url": f"{reverse('report-export', args=[form.report.name, format])}?{query}"}
        for label, format in (("CSV", "csv"), ("JSON Lines", "jsonl"))
    ]


def _parquet(name: str) -> str:
    """Where the report's Parquet files are: on this machine, or by its setting's name on the pipeline's."""
    here = data_directory() / "reports" / name
    return str(here) if here.is_dir() else f"$DLQ_DATA_DIR/reports/{name}"


def _failures(found: Report, rows: list[ReportRow], place: int) -> dict[str, Any]:
    start = (place - 1) * PAGE
    return {
        "lines": failures.lines(found, rows[start : start + PAGE]),
        "totals": failures.totals(rows),
        "has_shares": "share_of_failures" in found.kinds,
    }


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
        if length > 1 and first == shown.first:
            continue  # the same as all days
        url = form.url(**{"from": first, "to": shown.last})
        current = (shown.since, shown.until) == (first, shown.last)
        ranges.append({"label": label, "url": url, "current": current})
    # a report of one day has one range
    return ranges if shown.first != shown.last else ranges[-1:]


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
