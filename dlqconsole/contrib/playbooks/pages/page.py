"""The rows of the playbooks' pages: the list, one playbook, its dry run and its history."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.contrib.playbooks import facts
from dlqconsole.contrib.playbooks.budget import budget
from dlqconsole.contrib.playbooks.dry_run import DryRun
from dlqconsole.contrib.playbooks.models import Outcome, Playbook, PlaybookEntry
from dlqconsole.contrib.playbooks.principal import list_playbooks
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import FailureGroup
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import kinds, outcomes
from dlqconsole.operations.models import OPEN

HISTORY = 100

type Row = dict[str, Any]


def lines(**only: object) -> list[Row]:
    """The visible playbooks, as rows of the list."""
    rows = list_playbooks(**only)
    names = _names(rows)
    return [line(row, names) for row in rows]


def line(row: Playbook, names: Mapping[int | None, str]) -> Row:
    """One playbook at a glance: its words, its state, its last operation, the rest of its budget."""
    spent, last = budget(row), _last_entry(row)
    return {
        "playbook": row,
        "url": reverse("dlq:playbook", args=[row.pk]),
        "words": facts.describe(row),
        "about": names.get(row.group_id, ""),
        "state": state(row),
        "last": last and entry(last),
        "next": "" if row.look or not row.enabled else stored_text(row.held or facts.waits_for(row)),
        "used": _("{this_day:,} of {per_day:,}").format(this_day=spent.this_day, per_day=row.per_day),
        "used_percent": min(spent.this_day * 100 // row.per_day, 100),
        "left": spent.remaining,
    }


def state(row: Playbook) -> Row:
    """``name`` of the badge, and ``label``."""
    if row.look:
        return {"name": "halted", "icon": "warning", "label": _("Needs a look")}
    if not row.enabled:
        return {"name": "cancelled", "icon": "pause", "label": pgettext("playbook", "Off")}
    if row.operation is not None and row.operation.status in OPEN:
        return {"name": "running", "icon": "retrying", "label": _("At work")}
    if row.due_at is not None:
        return {"name": "awaiting", "icon": "pending", "label": pgettext("playbook", "Due")}
    return {"name": "completed", "icon": "succeeded", "label": pgettext("playbook", "On")}


def whole(row: Playbook) -> Row:
    """The context of its page, without the dry run."""
    return {
        **line(row, _names([row])),
        "list_url": _list_url(row),
        "kind": kinds.shown(row.kind),
        "history": _history(row),
        "spent": budget(row),
    }


def _history(row: Playbook) -> list[Row]:
    entries = list(_entries(row)[:HISTORY])
    operations: list[Any] = [each.operation for each in entries if each.operation is not None]
    outcomes.set_under_way(operations)
    return [entry(each) for each in entries]


def run_row(run: DryRun) -> Row:
    """A dry run in figures and sentences."""
    would = run.would
    return {
        "takes": Count(would.eligible, would.is_least) if would else None,
        "skipped": [replace(row, why=translated(row.why)) for row in would.ineligible] if would else [],
        "is_cut": run.is_cut,
        "why_not": run.why_not,
        "approval": run.approval,
        "spent": run.spent,
    }


def entry(row: PlaybookEntry) -> Row:
    """One operation, or the reason why there was none; with the result of the operation."""
    operation = row.operation
    kind = kinds.shown(operation.kind) if operation else None
    return {
        "entry": row,
        "label": Outcome(row.outcome).label if row.outcome != Outcome.HELD else _("Waited"),
        "operation": operation,
        "did": _("{past} {done:,} of {selected:,}").format(
            past=kind.past, done=operation.done, selected=operation.selected
        )
        if kind and operation
        else "",
    }


def recent_activity(hours: int = 24, most: int = 5) -> Row:
    """The latest operations of playbooks, and those that need a look; empty without playbooks."""
    rows = {row.pk: row for row in list_playbooks()}
    if not rows:
        return {}
    entries = (
        PlaybookEntry.objects.filter(playbook__in=rows, outcome=Outcome.ASKED)
        .select_related("operation")
        .order_by("-pk")[:most]
    )
    return {
        "looks": [
            {"playbook": row, "url": reverse("dlq:playbook", args=[row.pk])}
            for row in rows.values()
            if row.look
        ],
        "done": [entry(each) | {"playbook": rows[each.playbook_id]} for each in entries],
        "number": len(rows),
    }


def _names(rows: Iterable[Playbook]) -> dict[int | None, str]:
    """The names of the groups; none for a person with a scope, who may not see all of a group."""
    ids = {row.group_id for row in rows if row.group_id is not None}
    groups = FailureGroup.objects.filter(pk__in=() if current_access().is_limited else ids)
    return {group.pk: str(group) for group in groups}


def _last_entry(row: Playbook) -> PlaybookEntry | None:
    """Its newest operation; without one, the newest reason for that."""
    return _entries(row).filter(outcome=Outcome.ASKED).first() or _entries(row).first()


def _entries(row: Playbook) -> QuerySet[PlaybookEntry]:
    return PlaybookEntry.objects.filter(playbook=row).select_related("operation").order_by("-pk")


def _list_url(row: Playbook) -> str:
    try:
        return list_url(Shown(DeadLetterFilter.from_canonical(row.filter).querystring))
    except facts.CANNOT_READ:
        return ""
