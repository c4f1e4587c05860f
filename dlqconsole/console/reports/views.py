"""The daily reports: failures, and reports that a team declared."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.console import errors
from dlqconsole.console.access.permissions import actor, viewer_required
from dlqconsole.console.parts.downloads import file_headers
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.responses import for_programs, page
from dlqconsole.console.parts.run_offers import offer_of
from dlqconsole.console.reports import what_failed
from dlqconsole.console.reports.forms import ReportForm
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.reports import FAILURES
from dlqconsole.reports import daily, failures, open_days, row_files
from dlqconsole.reports.charts import chart
from dlqconsole.reports.daily import heading_of
from dlqconsole.reports.models import Report, ReportRow

PAGE = 100  # rows of the table
_RANGES = (
    (gettext_lazy("Newest day"), 1),
    (gettext_lazy("Last 30 days"), 30),
    (gettext_lazy("Last 90 days"), 90),
    (gettext_lazy("All days"), 0),
)


@viewer_required
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """The list of all reports."""
    visible = [report for report in Report.objects.order_by("name") if daily.is_seen(report)]
    rows = [_report_row(report) for report in visible if report.name != FAILURES]
    context = {
        # the report that every team has comes first, computed or not
        "failures": {
            "url": reverse("dlq:report", args=[FAILURES]),
            "title": translated(failures.TITLE),
            "about": translated(failures.ABOUT),
        },
        "reports": rows,
        "report_at": settings.DLQ_REPORT_AT,
        "compute": offer_of(request, "report"),
        "feature_cards": cards("reports", request),
    }
    return page(request, "console/reports/list.html", context)


def _report_row(report: Report) -> dict[str, Any]:
    figures = _(", ").join(heading_of(name, kind).lower() for name, kind in report.kinds.items())
    keys = "".join(_(" and {lower}").format(lower=heading_of(name).lower()) for name in report.keys)
    days = daily.days(report)
    return {
        "name": report.name,
        "title": translated(report.title),
        "description": _("{figures} per day{keys}").format(figures=figures, keys=keys),
        "days": days,
        "updated_at": report.updated_at,
        "open": 0 if current_access().is_limited else open_days.of_report(report).open,
        "url": reverse("dlq:report", args=[report.name]),
    }


@viewer_required
@require_safe
def report(request: HttpRequest, name: str) -> HttpResponse:
    """One report: its table and chart, for some days and a key."""
    if name == FAILURES:
        return what_failed.what_failed(request, _exports)
    access = current_access()
    form, days, rows = _read(request, name)
    form.show(days)
    row, place = form.report, _place(request)
    context = {
        "report": row,
        "form": form,
        "days": days,
        "ranges": _ranges(form, days),
        "chart": chart(row, rows, form.metric) | {"title": _heading(form)},
        "is_cut": len(rows) == daily.MOST_ROWS,
        # the number of late events is about all events
        "standing": None if access.is_limited else open_days.of_report(row, days),
        "report_at": settings.DLQ_REPORT_AT,
        "compute": offer_of(request, "report"),
        "exports": _exports(form) if rows else [],
        "parquet": "" if access.is_limited or row.updated_at is None else _parquet(name),
        **_table(form, rows, place),
    }
    return page(request, "console/reports/report.html", context)


@for_programs
@viewer_required
@require_safe
def export(request: HttpRequest, name: str, format: str) -> HttpResponse:
    """The page's rows as a file. Each download is audited."""
    if format not in FORMATS:
        raise Http404(_("There is no export to {format}.").format(format=format))
    if why_not := FORMATS[format].why_not():
        return errors.sentence(why_not, 409)
    form, days, rows = _read(request, name)
    if form.errors:
        sentence = " ".join(translated(error) for of_field in form.errors.values() for error in of_field)
        return HttpResponse(sentence, status=400, content_type="text/plain; charset=utf-8")
    headers = file_headers(f"report-{name}.{FORMATS[format].suffix}")
    if request.method != "HEAD":
        detail = {"format": format, "rows": len(rows), "since": str(days.since), "until": str(days.until)}
        audit.record(actor(request), "export", f"report:{name}", detail=detail | {"key": form.key})
    content = row_files.content(form.report, rows, format)
    return HttpResponse(content, headers=headers, content_type=FORMATS[format].content_type)


def _read(request: HttpRequest, name: str) -> tuple[ReportForm, daily.Days, list[ReportRow]]:
    """The form, the days and the rows of a report."""
    if name == FAILURES:
        form, days, failed = what_failed.read(request.GET)
        return form, days, list(failures.with_recoveries(failed.matching(form.key), failed.kept))
    row = Report.objects.filter(pk=name).first()
    if row is None or not daily.is_seen(row):
        raise Http404(_("There is no report {name}.").format(name=name))
    form = ReportForm(request.GET, report=row)
    days = daily.days(row, **form.days)
    return form, days, [] if form.errors else daily.rows(row, days, form.key)


def _exports(form: ReportForm) -> list[dict[str, str]]:
    """The addresses of the rows as files."""
    query = form.url().partition("?")[2]
    return [
        {
            "label": format.label,
            "url": f"{reverse('dlq:report-export', args=[form.report.name, format.name])}?{query}",
        }
        for format in FORMATS.values()
        if not format.why_not()
    ]


def _parquet(name: str) -> str:
    """The folder of the report's Parquet files: its path here, or with $DLQ_DATA_DIR on another machine."""
    here = data_directory() / "reports" / name
    return str(here) if here.is_dir() else f"$DLQ_DATA_DIR/reports/{name}"


def _place(request: HttpRequest) -> int:
    """The number of the table's page; 1 if the address has none."""
    place = as_id(request.GET.get("page", "")) or 1
    return min(place, daily.MOST_ROWS)


def _ranges(form: ReportForm, days: daily.Days) -> list[dict[str, Any]]:
    """Ranges of days, each with one link."""
    if days.first is None or days.last is None:
        return []
    ranges = []
    for label, length in _RANGES:
        first = max(days.first, days.last - timedelta(days=length - 1)) if length else days.first
        if length > 1 and first == days.first:
            continue  # the same as all days
        url = form.url(**{"from": first, "to": days.last})
        current = (days.since, days.until) == (first, days.last)
        ranges.append({"label": label, "url": url, "current": current})
    # a report of one day has one range
    return ranges if days.first != days.last else ranges[-1:]


def _heading(form: ReportForm) -> str:
    heading = heading_of(form.metric, form.report.kinds.get(form.metric, ""))
    return f"{heading}, {form.key}" if form.key else heading


def _table(form: ReportForm, rows: list[ReportRow], place: int) -> dict[str, Any]:
    definition, start = form.report, (place - 1) * PAGE
    part = rows[start : start + PAGE]
    follows, precedes = start + PAGE < len(rows), place > 1 and rows
    return {
        "keys_count": len(definition.keys),
        "columns": [
            *(heading_of(name) for name in definition.keys),
            *(heading_of(name, kind) for name, kind in definition.kinds.items()),
        ],
        "rows": [(row.day, daily.cells(definition, row)) for row in part],
        "count": len(rows),
        "page_from": start + 1 if part else 0,
        "page_to": start + len(part),
        "next_url": form.url(page=place + 1) if follows else "",
        "prev_url": form.url(page=place - 1) if precedes else "",
    }
