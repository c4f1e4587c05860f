"""Playbooks for a terminal and for programs: lines, and plain values."""

from typing import Any

from dlqconsole.contrib.playbooks.budget import budget
from dlqconsole.contrib.playbooks.dry_run import DryRun
from dlqconsole.contrib.playbooks.facts import described
from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.people.names import named


def facts(row: Playbook) -> dict[str, Any]:
    """What a program is told of one."""
    return {
        "playbook": row.pk,
        "state": state(row),
        **described(row),
        "used today": budget(row).this_day,
        "acts for": named(row.acts_for),
        "needs a look": named(row.look),
        "waits": row.held,
    }


def state(row: Playbook) -> str:
    """How it stands, in a word or three."""
    if row.look:
        return "needs a look"
    return "on" if row.enabled else "off"


def sentence(row: Playbook) -> str:
    """One on a line."""
    words = described(row)
    return f"{words['when']}, {words['does']}: {words['to']}; {words['budget']}"


def told(entry: PlaybookEntry) -> dict[str, Any]:
    """An entry of its history."""
    return {
        "at": f"{entry.at:%Y-%m-%d %H:%M:%S}",
        "outcome": str(entry.outcome),
        "operation": entry.operation_id,
        "why": named(entry.why),
    }


def figures(row: Playbook, found: DryRun) -> dict[str, Any]:
    """A dry run for a program."""
    would = found.would
    return {
        "playbook": row.pk,
        "would_take": would.eligible if would else 0,
        "or_more": bool(would and would.is_least),
        "budget_left": found.spent.left,
        "rest_follows": found.is_cut,
        "why_not": [named(sentence) for sentence in found.why_not],
    }


def sentences(found: DryRun) -> list[str]:
    """A dry run for a person."""
    would = found.would
    number = Count(would.eligible, would.is_least) if would else 0
    first = f"It would take {number}; {found.spent.left:,} are left of its budget."
    rest = ["The rest follows when there is a budget again."] if found.is_cut else []
    skipped = [f"{each.count:,} are skipped: {each.why}." for each in would.ineligible] if would else []
    why = [f"It does nothing now: {named(sentence)}" for sentence in found.why_not]
    return [first, *rest, *skipped, *filter(None, [found.approval]), *(why or ["It is due."])]
