"""Playbooks for a terminal and for programs: lines, and plain values."""

from typing import Any

from dlqconsole.contrib.playbooks.budget import budget
from dlqconsole.contrib.playbooks.dry_run import DryRun
from dlqconsole.contrib.playbooks.facts import describe
from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.people.names import named


def facts(row: Playbook) -> dict[str, Any]:
    """A playbook for a program."""
    return {
        "playbook": row.pk,
        "state": state(row),
        **describe(row),
        "used today": budget(row).this_day,
        "acts for": named(row.acts_for),
        "needs a look": named(row.look),
        "waits": row.held,
    }


def state(row: Playbook) -> str:
    """The state of a playbook in at most three words."""
    if row.look:
        return "needs a look"
    return "on" if row.enabled else "off"


def sentence(row: Playbook) -> str:
    """A playbook on one line."""
    words = describe(row)
    return f"{words['when']}, {words['does']}: {words['to']}; {words['budget']}"


def entry_facts(entry: PlaybookEntry) -> dict[str, Any]:
    """An entry of its history."""
    return {
        "at": f"{entry.at:%Y-%m-%d %H:%M:%S}",
        "outcome": str(entry.outcome),
        "operation": entry.operation_id,
        "why": named(entry.why),
    }


def figures(row: Playbook, run: DryRun) -> dict[str, Any]:
    """A dry run for a program."""
    preview = run.would
    return {
        "playbook": row.pk,
        "would_take": preview.eligible if preview else 0,
        "or_more": bool(preview and preview.is_least),
        "budget_left": run.spent.remaining,
        "rest_follows": run.is_cut,
        "why_not": [named(sentence) for sentence in run.why_not],
    }


def sentences(run: DryRun) -> list[str]:
    """A dry run for a person."""
    preview = run.would
    number = Count(preview.eligible, preview.is_least) if preview else 0
    first = f"It would take {number}; {run.spent.remaining:,} are left of its budget."
    rest = ["The rest follows when there is a budget again."] if run.is_cut else []
    skips = [f"{each.count:,} are skipped: {each.why}." for each in preview.ineligible] if preview else []
    why = [f"It does nothing now: {named(sentence)}" for sentence in run.why_not]
    return [first, *rest, *skips, *filter(None, [run.approval]), *(why or ["It is due."])]
