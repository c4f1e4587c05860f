"""The schedule's runs: their results, their ends, and the failures of their attempts."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.models import FailureGroup
from dlqconsole.processing.quantities import duration
from dlqconsole.retries.models import Ended, RetryRun, RetryRunWorker
from dlqconsole.retries.rates import LATE_SECONDS
from dlqconsole.retries.sql import sql

SHOWN, REASONS = 25, 3


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
    return run.note or (Ended(run.ended_for).label if run.ended_for else Ended.NOTHING_DUE.label)


def _late(run: RetryRun) -> str:
    """The words for a run that began late, and the turns that it makes up for."""
    if run.late_seconds <= LATE_SECONDS:
        return ""
    turns = "one missed turn" if run.missed == 1 else f"{run.missed:,} missed turns"
    addition = f", for {turns}" if run.missed else ""
    return f"began {duration(run.late_seconds)} late{addition}: gently"


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
            "title": texts.text(groups_by_id[number].message.strip() or "no reason given")
            if number in groups_by_id
            else "a group that is gone",
        }
        for number in groups
    }
