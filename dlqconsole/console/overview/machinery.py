"""The schedule, the breakers and the daily reports: a line each, for the first page."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.breakers import State
from dlqconsole.engine.moments import duration
from dlqconsole.reports.models import Report
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.next_run import NextRun, next_run

type Line = dict[str, Any]


def machinery(breakers: Sequence[State]) -> list[Line]:
    """``name``, ``url``, ``words``, ``at`` (a moment behind the words, or None), and ``is_bad``.

    The runs and the reports are about all dead letters: a person with a scope is told of none.
    """
    lines = [_schedule(), _breakers(breakers)]
    return lines if current_access().is_limited else [*lines, *_last_run(), *_last_report()]


def _schedule() -> Line:
    if not settings.DLQ_RETRY_ENABLED:
        return _line(_("Schedule"), reverse("dlq:schedules"), _("off (DLQ_RETRY_ENABLED)"), is_bad=True)
    return _line(_("Schedule"), reverse("dlq:schedules"), **_next(next_run()))


def _next(run: NextRun) -> Line:
    if run.missed:
        return {"words": _("the next run is {late} late").format(late=duration(run.late)), "is_bad": True}
    return {
        "words": _("next run due") if run.is_due else _("next run"),
        "at": None if run.is_due else run.next_at,
    }


def _breakers(states: Sequence[State]) -> Line:
    blocking = sum(state.blocks for state in states)
    words = _("all closed") if not blocking else _("{blocking:,} open").format(blocking=blocking)
    return _line(_("Breakers"), reverse("dlq:schedules") + "#breakers", words, is_bad=bool(blocking))


def _last_run() -> list[Line]:
    run = RetryRun.objects.order_by("-started_at", "-pk").first()
    if run is None:
        return []
    words = _("{succeeded:,} succeeded, {revived:,} revived, {failed:,} failed").format(
        succeeded=run.succeeded, revived=run.revived, failed=run.failed
    )
    return [_line(_("Last run"), reverse("dlq:schedules"), words, at=run.started_at)]


def _last_report() -> list[Line]:
    report = Report.objects.exclude(updated_at=None).order_by("-updated_at").first()
    words = _("none yet") if report is None else report.title
    return [_line(_("Last report"), reverse("dlq:reports"), words, at=report and report.updated_at)]


def _line(name: str, url: str, words: str, *, at: Any = None, is_bad: bool = False) -> Line:
    return {"name": name, "url": url, "words": words, "at": at, "is_bad": is_bad}
