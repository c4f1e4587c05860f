"""What the pages show of playbooks: a line of the list, one whole, its dry run and its history."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import handed_over, kinds
from dlqconsole.operations.models import OPEN
from dlqconsole.playbooks import facts
from dlqconsole.playbooks.budget import budget
from dlqconsole.playbooks.dry_run import DryRun
from dlqconsole.playbooks.models import Outcome, Playbook, PlaybookEntry
from dlqconsole.playbooks.visibility import list_playbooks

HISTORY = 100

type Row = dict[str, Any]


def lines(reach: Reach, **only: object) -> list[Row]:
    """Those that are seen, as the list shows them."""
    rows = list_playbooks(reach, **only)
    names = _names(rows, reach)
    return [line(row, names) for row in rows]


def line(row: Playbook, names: Mapping[int | None, str]) -> Row:
    """One playbook at a glance: its words, how it stands, what it did last, what is left."""
    spent, last = budget(row), _last(row)
    return {
        "playbook": row,
        "url": reverse("playbook", args=[row.pk]),
        "words": facts.describe(row),
        "about": names.get(row.group_id, ""),
        "state": state(row),
        "last": last and entry(last),
        "next": "" if row.look or not row.enabled else row.held or facts.waits_for(row),
        "used": f"{spent.this_day:,} of {row.per_day:,}",
        "used_percent": min(spent.this_day * 100 // row.per_day, 100),
        "left": spent.remaining,
    }


def state(row: Playbook) -> Row:
    """``name`` as its badge has it, ``label``."""
    if row.look:
        return {"name": "halted", "icon": "warning", "label": "Needs a look"}
    if not row.enabled:
        return {"name": "cancelled", "icon": "pause", "label": "Off"}
    if row.operation is not None and row.operation.status in OPEN:
        return {"name": "running", "icon": "retrying", "label": "At work"}
    if row.due_at is not None:
        return {"name": "awaiting", "icon": "pending", "label": "Due"}
    return {"name": "completed", "icon": "succeeded", "label": "On"}


def whole(row: Playbook, reach: Reach) -> Row:
    """What its page shows beside the dry run."""
    return {
        **line(row, _names([row], reach)),
        "list_url": _list_url(row),
        "kind": kinds.shown(row.kind),
        "history": _history(row),
        "spent": budget(row),
    }


def _history(row: Playbook) -> list[Row]:
    found = list(_entries(row)[:HISTORY])
    asked: list[Any] = [each.operation for each in found if each.operation is not None]
    handed_over.set_under_way(asked)
    return [entry(each) for each in found]


def shown_run(found: DryRun) -> Row:
    """A dry run in figures and sentences."""
    would = found.would
    return {
        "takes": Count(would.eligible, would.is_least) if would else None,
        "skipped": [] if would is None else would.ineligible,
        "is_cut": found.is_cut,
        "why_not": found.why_not,
        "approval": found.approval,
        "spent": found.spent,
    }


def entry(found: PlaybookEntry) -> Row:
    """One thing that it did, or why it did not; with what became of its operation."""
    operation = found.operation
    kind = kinds.shown(operation.kind) if operation else None
    return {
        "entry": found,
        "label": Outcome(found.outcome).label if found.outcome != Outcome.HELD else "Waited",
        "operation": operation,
        "did": f"{kind.past} {operation.done:,} of {operation.selected:,}" if kind and operation else "",
    }


def told(reach: Reach, hours: int = 24, most: int = 5) -> Row:
    """What playbooks did lately, for the overview, and those that need a look; empty where there are none."""
    rows = {row.pk: row for row in list_playbooks(reach)}
    if not rows:
        return {}
    found = (
        PlaybookEntry.objects.filter(playbook__in=rows, outcome=Outcome.ASKED)
        .select_related("operation")
        .order_by("-pk")[:most]
    )
    return {
        "looks": [
            {"playbook": row, "url": reverse("playbook", args=[row.pk])} for row in rows.values() if row.look
        ],
        "done": [entry(each) | {"playbook": rows[each.playbook_id]} for each in found],
        "number": len(rows),
    }


def _names(rows: Iterable[Playbook], reach: Reach) -> dict[int | None, str]:
    """What the groups are called. Who is limited may not see all that a name is of."""
    ids = {row.group_id for row in rows if row.group_id is not None}
    found = FailureGroup.objects.filter(pk__in=() if reach.is_limited else ids)
    return {group.pk: str(group) for group in found}


def _last(row: Playbook) -> PlaybookEntry | None:
    """Its newest operation; where there is none, why there is none."""
    return _entries(row).filter(outcome=Outcome.ASKED).first() or _entries(row).first()


def _entries(row: Playbook) -> QuerySet[PlaybookEntry]:
    return PlaybookEntry.objects.filter(playbook=row).select_related("operation").order_by("-pk")


def _list_url(row: Playbook) -> str:
    try:
        return list_url(Shown(DeadLetterFilter.from_canonical(row.filter).querystring))
    except facts.CANNOT_READ:
        return ""
