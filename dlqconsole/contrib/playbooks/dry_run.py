"""What a playbook would do now, and why it does not. Changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import Budget, budget, clock
from dlqconsole.contrib.playbooks.deciding import why_not
from dlqconsole.contrib.playbooks.facts import CANNOT_READ, NOT_A_RULE
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import principal
from dlqconsole.contrib.playbooks.waiting import choose
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import approval, kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.preview import Preview

TOO_SLOW = (
    "Telling which of them are the oldest takes too long. Add a group, a type or a queue to the filter, or"
    " raise the budget above what waits."
)
NOTHING_WAITS = "Nothing waits that it could act on."


@dataclass(frozen=True, slots=True)
class DryRun:
    """``would``: what one operation would take now, were it due; None where that is not known, or nothing.

    ``is_cut``: the budget leaves some of what waits for later. ``why_not``: all that keeps it from acting.
    """

    spent: Budget
    would: Preview | None
    is_cut: bool
    why_not: list[str]
    # what else it would need: a second person
    approval: str = ""


def dry_run(row: Playbook, reach: Reach | None = None) -> DryRun:
    """``reach``: what the person sees who asks; None: what the person behind it sees."""
    person = principal(row.acts_for)
    spent = budget(row) if row.pk else _all_of(row)
    try:
        return _tried(
            row,
            person.reach if reach is None else person.reach.intersection(reach),
            spent,
            why_not(row, person, spent),
        )
    except (OperationRefused, InvalidFilter) as refusal:
        return DryRun(spent, None, False, [str(refusal)])
    except CANNOT_READ:
        return DryRun(spent, None, False, [NOT_A_RULE])
    except TooSlow:
        return DryRun(spent, None, False, [*why_not(row, person, spent), TOO_SLOW])


def imagined(columns: Mapping[str, Any], acts_for: str) -> Playbook:
    """One that is not kept: what a dry run may look at."""
    start = triggers.get(columns["trigger"]).start(columns["trigger_options"], clock())
    machine = {"enabled": True, "look": "", "operation": None, "due_at": None}
    return Playbook(**columns, **machine, **start, acts_for=acts_for)


def _tried(row: Playbook, reach: Reach, spent: Budget, reasons: list[str]) -> DryRun:
    chosen = choose(row, reach, spent.left) if spent.left else None
    found = chosen.preview if chosen else None
    if found is not None and not found.eligible:
        reasons = [*reasons, NOTHING_WAITS]
    needs = approval.sentence(kinds.get(row.kind), row.options, found.total) if found else ""
    return DryRun(spent, found, bool(chosen and chosen.is_cut), reasons, needs)


def _all_of(row: Playbook) -> Budget:
    """Of one that is not kept yet: nothing is used up."""
    left = row.per_day if row.per_hour is None else min(row.per_day, row.per_hour)
    return Budget(0, 0, 0, left, "")
