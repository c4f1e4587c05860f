"""Rows that more than one page shows, with the addresses of their pages."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.shown_filter import list_url, name_groups
from dlqconsole.core.lifecycle.states import OPEN, DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.moments import duration, duration_in_two
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.engine.queues.metrics import STATES
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import visibility
from dlqconsole.operations.models import Operation
from dlqconsole.operations.outcomes import in_words
from dlqconsole.processing.inputs.sentences import gettext_noop
from dlqconsole.runs import jobs, service
from dlqconsole.runs.models import LIVE, PipelineRun, RunStatus

_OPEN = f"status:[{', '.join(OPEN)}]"
# what runs count, for translators
_UNITS = (gettext_noop("events"), gettext_noop("dead letters"), gettext_noop("rows"))
_SILENT_AFTER = timedelta(minutes=2)


def status_tabs(
    letter_filter: DeadLetterFilter, budget: int = summaries.BUDGET, handlers: HandlerSet | None = None
) -> list[dict[str, Any]]:
    """One tab a status, counted within the rest of the filter; ``handlers``: the known handlers."""
    return tabs_of(letter_filter, summaries.status_counts(letter_filter, budget, handlers))


def tabs_of(letter_filter: DeadLetterFilter, counts: Mapping[str, summaries.Count]) -> list[dict[str, Any]]:
    """The tabs with counts that the caller has."""
    return [
        {
            "status": status.value,
            "label": translated(status.label),
            "count": counts[status].value,
            "is_least": counts[status].is_least,
            "words": figure(counts[status].value or None, more=True)
            if counts[status].is_least
            else f"{counts[status].value:,}",
            "unhandled": counts[status].unhandled,
            "unrehearsable": counts[status].unrehearsable,
            "coming": counts[status].coming,
            "url": list_url(Shown(letter_filter.with_status(status.value).querystring)),
            "current": letter_filter.status == status,
        }
        for status in DeadLetterStatus
    ]


def group_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Groups with the address of their dead letters."""
    texts = masked_texts()
    return [
        row
        | {
            "url": reverse("dlq:group", args=[row["id"]]),
            "title": texts.text(row["title"].strip()) or _("no reason given"),
        }
        for row in rows
    ]


def queue_row(row: dict[str, Any]) -> dict[str, Any]:
    """A queue's metrics for people, with the addresses of its pages."""
    age, newest, share = row["oldest_due_seconds"], row["newest_age_seconds"], row["failure_share"]
    limit = queue_warnings.age_limit(row)
    words = duration_in_two if limit else duration
    return (
        {"attached": "", "seen_at": None}
        | row
        | {
            **{state: figure(row[state], more=state in row["at_least"]) for state in STATES},
            "length": figure(row["length"], more=row["capped"]),
            "oldest_age": None if age is None else words(age),
            "is_late": queue_warnings.is_late(row),
            "age_limit": duration_in_two(limit) if limit else "",
            "usual_limit": duration(queue_warnings.LATE_SECONDS),
            "newest_age": None if newest is None else duration(newest),
            "pace": pace(row["completed_per_minute"]),
            "no_handler": queue_warnings.handler_warnings(row["unhandled"]),
            "without_handler": sum(waiting["messages"] for waiting in row["unhandled"]),
            "failing": "" if share is None else f"{share:.0%}",
            # those that are counted: the open ones
            "dead_letters_url": list_url(urlencode({"queue": row["name"], "q": _OPEN})),
            # only plain SQL makes a queue without a name: it has no page, and a filter by no queue means all
            "url": reverse("dlq:queue", args=[row["name"]]) if row["name"] else "",
        }
    )


def figure(number: int | None, *, more: bool = False) -> str | int:
    """A number as it is, ``100,000+`` if there may be more, ``?`` if it is unknown."""
    if number is None:
        return "?"
    return f"{number:,}+" if more else number


def pace(per_minute: float) -> str:
    """A number a minute: whole if it is large, else ``0.4``."""
    return f"{per_minute:.1f}" if 0 < per_minute < 10 else f"{per_minute:,.0f}"


def minute_rows(minutes: list[dict[str, Any]]) -> dict[str, Any]:
    """The minutes as stacked bars, in per cent of the busiest: completed below, failed above."""
    rows = [minute | {"failed": minute["retried"] + minute["dead_lettered"]} for minute in minutes]
    peak = max(row["completed"] + row["failed"] for row in rows)
    scale = 100 / peak if peak else 0
    return {
        "bars": [
            row | {"height": row["completed"] * scale, "failed_height": row["failed"] * scale} for row in rows
        ],
        "peak": peak,
        "completed": sum(row["completed"] for row in rows),
        "failed": sum(row["failed"] for row in rows),
    }


def bar_rows(counts: list[dict[str, Any]], **within: Any) -> dict[str, Any]:
    """Buckets of time as bars: each with its height in per cent of the worst, and its dead letters' list.

    ``counts``: as ``engine.counts.buckets`` has them; without an ``end`` they are hours. ``within``: the rest
    of the list's filter. ``about``: there are more, which could not be counted in time.
    """
    worst = max(counts, key=lambda bucket: bucket["count"])
    peak = worst["count"]
    bars = [_bar(bucket, peak, within) for bucket in counts]
    every = len(bars) // 4
    return {
        "bars": bars,
        "number": len(bars),
        "peak": peak,
        "about": worst["about"],
        "worst": worst["start"],
        "worst_words": bars[counts.index(worst)]["words"],
        "total": sum(bucket["count"] for bucket in counts),
        # the last one is named by itself
        "marks": [bar["label"] for bar in bars[: -every // 2 : every]],
    }


def _bar(bucket: dict[str, Any], peak: int, within: Mapping[str, Any]) -> dict[str, Any]:
    start, end = bucket["start"], bucket.get("end") or bucket["start"] + timedelta(hours=1)
    days = (end - start).days
    # a day and a week are those of UTC; an hour is one on anybody's clock
    moment = start if days else timezone.localtime(start)
    span = {"since": f"{start:%Y-%m-%dT%H:%M}", "until": f"{end:%Y-%m-%dT%H:%M}"}
    return (
        bucket
        | span
        | {
            "label": f"{moment:%m-%d}" if days else f"{moment:%H:%M}",
            "words": f"{moment:%Y-%m-%d}" if days else f"{moment:%Y-%m-%d %H:%M}",
            "height": bucket["count"] * 100 / peak if peak else 0,
            "url": list_url(urlencode({**within, **span})) if bucket["count"] else "",
        }
    )


def operation_rows(operations: Iterable[Operation]) -> list[Operation]:
    """Operations with their scope in words, the receipt's address, and the counts that the person sees."""
    rows = visibility.with_visible_numbers(operations)
    name_groups(rows)
    for row in rows:
        row.url = reverse("dlq:operation", args=[row.pk])  # type: ignore[attr-defined]
        row.outlook = None  # type: ignore[attr-defined]
        row.figures = in_words(row)  # type: ignore[attr-defined]
    return rows


def pipeline_rows(limit: int) -> list[dict[str, Any]]:
    """The newest runs of the pipeline, with their progress; none for a person with a scope."""
    if current_access().is_limited:
        return []
    return [pipeline_row(run) for run in PipelineRun.objects.order_by("-id")[:limit]]


def _duration_words(run: PipelineRun) -> str:
    """The length of the run; empty while it runs, and if it never began."""
    if not run.finished_at or not run.has_begun:
        return ""
    return duration_in_two((run.finished_at - run.started_at).total_seconds())


def _silence(run: PipelineRun) -> str:
    """The message of a silent run: its last message is no news."""
    last = _(" Its last word: {message}").format(message=run.message) if run.message else ""
    return _("It has not been heard of for two minutes.{last}").format(last=last)


def pipeline_run_of(operation: Operation) -> dict[str, Any] | None:
    """The newest run on an operation's items; None without one, or for a person with a scope."""
    if current_access().is_limited or jobs.find(operation.kind) is None:
        return None
    runs = PipelineRun.objects.filter(operation_id=operation.pk, kind=operation.kind)
    run = runs.order_by("-id").first()
    return pipeline_row(run) if run else None


def pipeline_row(run: PipelineRun) -> dict[str, Any]:
    """One run, with its progress; a run without a recent heartbeat is silent."""
    is_live = run.status in LIVE and timezone.now() - run.heartbeat_at < _SILENT_AFTER
    is_silent = run.status in LIVE and not is_live
    waiting_reason = service.why_waiting() if run.status == RunStatus.ASKED else ""
    percent = 100 if run.status == "completed" else run.done * 100 // run.total if run.total else 0
    return {
        "id": run.pk,
        "url": reverse("dlq:run", args=[run.pk]),
        "kind": run.kind,
        "status": "silent" if is_silent else run.status,
        "percent": min(percent, 100),
        "done": run.done,
        "total": run.total,
        "unit": _(run.unit),
        "counts": run.counts,
        "started_at": run.started_at,
        "begun_at": run.started_at if run.has_begun and run.status != RunStatus.ASKED else None,
        "not_begun": _("not yet") if run.is_open else _("never"),
        "took": _duration_words(run),
        "detail": run.subject,
        "message": _silence(run) if is_silent else waiting_reason or run.message,
        "is_live": is_live,
        # the command that starts a worker, if none is there to begin the run
        "start_worker": service.starter_command() if waiting_reason else "",
    }
