"""What failed, when and why: a week up to this minute, a line for each day and failure group."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.console.reports.forms import ReportForm
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.reports import daily, failures
from dlqconsole.reports.charts import chart
from dlqconsole.reports.daily import heading_of
from dlqconsole.reports.failures import FailedDays
from dlqconsole.reports.models import ReportRow
from dlqconsole.reports.sql import sql

PAGE = 100  # lines of a page
_WAYS = (
    ("by_schedule", gettext_lazy("by the schedule")),
    ("by_retry", gettext_lazy("by a retry")),
    ("by_revive", gettext_lazy("revived")),
    ("by_replay", gettext_lazy("by a replay")),
    ("otherwise", gettext_lazy("otherwise")),
)
_ENDED = (DeadLetterStatus.SUCCEEDED, DeadLetterStatus.DISCARDED)

type Row = dict[str, Any]


def what_failed(request: HttpRequest, exports: Any) -> HttpResponse:
    """The page. ``exports``: a function of its form, the addresses of its rows as files."""
    form, days, failed = read(request.GET)
    form.show(days, failed.values())
    rows = failed.matching(form.key)
    start = PAGE * ((as_id(request.GET.get("page", "")) or 1) - 1)
    context = contents(form, days, failed, rows, start) | {
        "ranges": _ranges(form, days),
        "chart": chart(form.report, rows, form.metric) | {"title": heading_of(form.metric)},
        "exports": exports(form) if rows else [],
        "feature_cards": cards("what failed", request),
        "next_url": form.url(page=start // PAGE + 2) if start + PAGE < len(rows) else "",
        "prev_url": form.url(page=start // PAGE) if start else "",
    }
    return page(request, "console/reports/failures.html", context)


def read(query: QueryDict) -> tuple[ReportForm, daily.Days, FailedDays]:
    """The form, its days, and what failed on them."""
    report = failures.declared()
    form = ReportForm(query, report=report)
    # times to recover are known of the lines of one page
    del form.fields["metric"]
    days = failures.period(today(), **form.days)
    return form, days, FailedDays([], {}) if form.errors else failures.failed_days(report, days)


def contents(
    form: ReportForm, days: daily.Days, failed: FailedDays, rows: Sequence[ReportRow], start: int = 0
) -> Row:
    """What a page says of these rows: their totals, and a hundred of them from ``start`` on, by day."""
    form.report.title = translated(form.report.title)
    part = failures.with_recoveries(rows[start : start + PAGE], failed.kept)
    return {
        "report": form.report,
        "form": form,
        "days": days,
        "rows": rows,
        "is_cut": len(failed.rows) >= daily.MOST_ROWS,
        "is_least": failed.is_least,
        "count": len(rows),
        "totals": totals(rows),
        "of_days": _of_days(rows, part, failed, days, form),
        "page_from": start + 1,
        "page_to": start + len(part),
    }


def today() -> date:
    """The day now, in UTC, by the database's clock."""
    day: date = fetch_column(sql("failures.today"), {})[0]
    return day


def _ranges(form: ReportForm, days: daily.Days) -> list[Row]:
    last = today()
    yesterday = last - timedelta(days=1)
    ranges = [(_("Today"), last, last), (_("Yesterday"), yesterday, yesterday)]
    ranges += [
        (_("{number} days").format(number=number), last - timedelta(days=number - 1), last)
        for number in (7, 30, 90)
    ]
    return [
        {
            "label": label,
            "url": form.url(**{"from": since, "to": until}),
            "current": (days.since, days.until) == (since, until),
        }
        for label, since, until in ranges
    ]


def totals(rows: Iterable[ReportRow]) -> Row:
    """The sums of some rows, and the share of them that healed."""
    sums = dict.fromkeys(("failures", "healed", "discarded", "still_open"), 0)
    for row in rows:
        for name in sums:
            sums[name] += row.figures.get(name) or 0
    share = daily.figure(sums["healed"] / sums["failures"], "share") if sums["failures"] else "—"
    return sums | {"healed_share": share}


def _of_days(
    rows: Sequence[ReportRow],
    part: Sequence[ReportRow],
    failed: FailedDays,
    days: daily.Days,
    form: ReportForm,
) -> list[Row]:
    """The lines of a page by day, each day with the totals of all its lines."""
    totals_of = {day: totals(of_day) for day, of_day in groupby(rows, key=lambda row: row.day)}
    names = groups.identities([int(row.key["group"]) for row in part if row.key.get("group")])
    counted = [row for row in part if row.day not in failed.kept]
    hours = failures.hours(counted, days) if counted else {}
    return [
        {
            "day": day,
            "totals": totals_of[day],
            "notes": _notes(day, failed),
            # with a key the list has more than these lines
            "cells": {} if form.key or day in failed.kept else _cells(day, totals_of[day]),
            "lines": [_line(row, names, hours, failed, form) for row in of_day],
        }
        for day, of_day in groupby(part, key=lambda row: row.day)
    ]


def _notes(day: date, failed: FailedDays) -> str:
    """The sentence about events of this day that are gone; empty where none is."""
    mark = failed.marks.get(day)
    if mark is None:
        return ""
    if day in failed.kept and mark.computed_at is not None:
        return _("As computed {computed_at}: some were purged or archived since.").format(
            computed_at=moment(mark.computed_at, MINUTES)
        )
    if current_access().is_limited:
        return _("Some were purged or archived since, and are not counted.")
    return _("{lost:,} purged or archived since: not counted.").format(lost=mark.lost)


def _line(
    row: ReportRow,
    names: dict[int, Row],
    hours: dict[tuple[date, int], list[int]],
    failed: FailedDays,
    form: ReportForm,
) -> Row:
    group, figures = int(row.key.get("group") or 0), row.figures
    name = names.get(group) or {"title": "", "message": ""}
    title = masked_texts().text(name["message"].strip() or str(row.key.get("reason") or ""))
    is_kept = row.day in failed.kept
    return {
        "group_url": reverse("dlq:group", args=[group]) if name["event_type"] else "",
        "title": title or _("no reason given"),
        "key": row.key,
        "types": [(name, form.url(key=name)) for name in failures.types(row)],
        "category_url": form.url(key=row.key["category"]),
        "hours": hours.get((row.day, group)),
        "figures": {part: daily.figure(figures.get(part), kind) for part, kind in form.report.kinds.items()},
        "cells": {} if is_kept else _cells(row.day, figures, group=group),
        "open": [] if is_kept else _open(row.day, group, figures["by_status"]),
        "ways": _ways(figures),
        "has_recovered": figures.get("median_time_to_recover") is not None,
    }


def _cells(day: date, figures: Row, **within: Any) -> dict[str, str]:
    """The list of each number: it has as many."""
    statuses = {"failures": "", "healed": DeadLetterStatus.SUCCEEDED, "discarded": DeadLetterStatus.DISCARDED}
    return {
        name: _list(day, status=status, **within) for name, status in statuses.items() if figures.get(name)
    }


def _open(day: date, group: int, by_status: dict[str, int]) -> list[Row]:
    """What is still open, by status, each with its list."""
    return [
        {
            "status": status.value,
            "label": translated(status.label),
            "count": by_status[status],
            "url": _list(day, status=status, group=group),
        }
        for status in DeadLetterStatus
        if status not in _ENDED and by_status.get(status)
    ]


def _list(day: date, **within: Any) -> str:
    span = {"since": str(day), "until": str(day + timedelta(days=1))}
    return list_url(urlencode({name: str(value) for name, value in {**within, **span}.items() if value}))


def _ways(figures: Row) -> list[str]:
    """What healed them: of all, or of the newest that were looked at. A kept line has the report's names."""
    looked_at = figures.get("looked_at")
    if looked_at is None:
        found = {name: figures.get(f"healed_{name}") for name, _words in _WAYS}
        found["after_an_edit"] = figures.get("healed_after_edit")
    else:
        found = {name: figures[name] for name in (*(name for name, _words in _WAYS), "after_an_edit")}
    ways = [f"{found[name]:,} {words}" for name, words in _WAYS if found.get(name)]
    if found["after_an_edit"]:
        ways.append(_("{after_an_edit:,} of them edited first").format(after_an_edit=found["after_an_edit"]))
    if ways and looked_at and looked_at < figures["healed"]:
        ways[-1] = _("{way} (looked at: the newest {looked_at})").format(looked_at=looked_at, way=ways[-1])
    return ways
