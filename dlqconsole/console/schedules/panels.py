"""The panels of the schedule's page: its lock, its runs, the pace of groups, the periodic handlers."""

import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.access.guard import UNLIMITED
from dlqconsole.console.access.permissions import VIEWERS, can_operate
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.core.flow.judging import latency_words, rate_words
from dlqconsole.core.messages.ticks import last_ticks
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.paces import GroupPace, rule_words, visible_paces
from dlqconsole.engine.database import locks
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.moments import duration
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.handlers import Period
from dlqconsole.processing.periods import next_tick
from dlqconsole.retries import beat_heartbeats, takeover
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import EndReason, RetryRun, RetryRunWorker
from dlqconsole.retries.next_run import LOCK
from dlqconsole.retries.rates import LATE_SECONDS
from dlqconsole.retries.sql import sql

# a clock with a greater difference is reported
DRIFT_SECONDS = 2.0
SHOWN, REASONS = 25, 3
GROUPS_SHOWN = 12
OFF = gettext_lazy("Switched off (DLQ_PACE_ENABLED): nothing is slowed, however many fail again.")


def lock_panel(request: HttpRequest) -> dict[str, Any]:
    """The context of the panel."""
    holder, standing = locks.holder(LOCK), takeover.takeover_state()
    own = _own_drift()
    return {
        "name": LOCK,
        "holder": holder,
        "held": standing.is_held,
        "heartbeat": standing.silent,
        "run": standing.run,
        "own_drift": _words(own),
        "holder_drift": _words(holder.clock_drift) if holder else "",
        "drifts": max(abs(own), abs(holder.clock_drift) if holder else 0.0) > DRIFT_SECONDS,
        "take_over": {"url": reverse("dlq:schedule_take_over"), "why_not": _why_not(request, standing)},
        "beats": beat_heartbeats.alive(),
        "too_many": beat_heartbeats.too_many(),
    }


def _why_not(request: HttpRequest, standing: takeover.TakeoverState) -> str:
    if not can_operate(request):
        return VIEWERS
    access = current_access()
    return UNLIMITED.format(scope=access.words()) if access.is_limited else standing.refusal


def _own_drift() -> float:
    """The seconds by which this host's clock is ahead of the database's, less half of the round trip."""
    before = time.time()
    there = database_now().timestamp()
    return (before + time.time()) / 2 - there


def _words(seconds: float) -> str:
    if abs(seconds) < 0.1:
        return _("none")
    words = _("{number:,.1f} s ahead of the database's")
    if seconds < 0:
        words = _("{number:,.1f} s behind the database's")
    return words.format(number=abs(seconds))


def run_rows() -> list[dict[str, Any]]:
    """The newest runs. A run is about all due dead letters: a person with a scope sees none."""
    if current_access().is_limited:
        return []
    runs = list(RetryRun.objects.order_by("-started_at", "-pk")[:SHOWN])
    numbers = [run.pk for run in runs]
    failures, workers = _failures(numbers), _workers(numbers)
    return [
        {
            "run": run,
            "ended": _end_words(run),
            "late": _late(run),
            "failures": failures.get(run.pk, []),
            "workers": workers.get(run.pk, 1),
        }
        for run in runs
    ]


def _end_words(run: RetryRun) -> str:
    if run.finished_at is None:
        return ""
    return stored_text(run.note) or (
        EndReason(run.ended_for).label if run.ended_for else EndReason.NOTHING_DUE.label
    )


def _late(run: RetryRun) -> str:
    """The words for a run that began late, and the turns that it makes up for."""
    if run.late_seconds <= LATE_SECONDS:
        return ""
    turns = (
        _("one missed turn") if run.missed == 1 else _("{missed:,} missed turns").format(missed=run.missed)
    )
    addition = _(", for {turns}").format(turns=turns) if run.missed else ""
    return _("began {late_seconds} late{addition}: gently").format(
        late_seconds=duration(run.late_seconds), addition=addition
    )


def _workers(numbers: Sequence[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for number in RetryRunWorker.objects.filter(run_id__in=numbers).values_list("run_id", flat=True):
        counts[number] = counts.get(number, 0) + 1
    return counts


def _failures(numbers: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """The most frequent failure groups of each run, as links."""
    rows = fetch_dicts(sql("runs.failures"), {"ids": list(numbers)})
    rows_by_run: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        rows_by_run.setdefault(row["run_id"], []).append(row)
    top = {number: each[:REASONS] for number, each in rows_by_run.items()}
    titles = _titles({row["group_id"] for each in top.values() for row in each})
    return {number: [row | titles[row["group_id"]] for row in each] for number, each in top.items()}


def _titles(groups: set[int]) -> dict[int, dict[str, str]]:
    texts = masked_texts()
    groups_by_id = {group.pk: group for group in FailureGroup.objects.filter(pk__in=groups)}
    return {
        number: {
            "url": reverse("dlq:group", args=[number]) if number in groups_by_id else "",
            "title": texts.text(groups_by_id[number].message.strip() or _("no reason given"))
            if number in groups_by_id
            else _("a group that is gone"),
        }
        for number in groups
    }


def pace_rows() -> dict[str, Any]:
    """``rows``, the number of ``more`` that are not shown, and the ``rule``."""
    mine = visible_paces()
    number_slowed = sum(each.rate is not None for each in mine)
    rows = mine[: max(GROUPS_SHOWN, number_slowed)]
    return {
        "rows": [_row(each) for each in rows],
        "slowed": number_slowed,
        "more": len(mine) - len(rows),
        "rule": rule_words() if settings.DLQ_PACE_ENABLED else OFF,
    }


def _row(each: GroupPace) -> dict[str, Any]:
    return {
        "name": each.name,
        "url": reverse("dlq:group", args=[each.group_id])
        if each.group_id
        else list_url(urlencode({"type": each.event_type})),
        "rate": "" if each.rate is None else translated(rate_words(each.rate)),
        "bounds": _("{floor} to {ceiling}").format(
            floor=translated(rate_words(each.floor)), ceiling=translated(rate_words(each.ceiling))
        ),
        "since": each.slowed_at,
        "why": each.why if each.rate is not None else "",
        "share": "" if each.share is None else f"{each.share:.0%}".replace("%", " %"),
        "latency": "" if each.recent_seconds is None else latency_words(each.recent_seconds),
        "usual": "" if each.baseline_seconds is None else latency_words(each.baseline_seconds),
        "noted_at": each.noted_at,
    }


def periodic_rows() -> list[dict[str, Any]]:
    """Return the periodic handlers that a person sees, each with its last tick and its next."""
    now, access = database_now(), current_access()
    rows = [row for row in last_ticks() if access.sees(row["queue"], row["event_type"])]
    for row in rows:
        row["next"] = next_tick(Period(row["cron"], row["timezone"], row["queue"]), row["tick"])
        row["is_late"] = row["next"] < now
        row["queue_url"] = reverse("dlq:queue", args=[row["queue"]])
    return rows
