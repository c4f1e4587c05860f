"""The dry run of a playbook: what it would do now, and the reasons why it does not. Changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import PlaybookBudget, budget, choose, clock
from dlqconsole.contrib.playbooks.deciding import why_not
from dlqconsole.contrib.playbooks.facts import CANNOT_READ, NOT_A_RULE
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import principal
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import asking_as, current_access
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.requests import approval
from dlqconsole.operations.requests.preview import Preview
from dlqconsole.processing.inputs.sentences import stored

TOO_SLOW = _(
    stored(
        "Telling which of them are the oldest takes too long. Add a group, a type or a queue"
        " to the filter, or raise the budget above what waits."
    )
)
NOTHING_WAITS = _(stored("Nothing waits that it could act on."))


@dataclass(frozen=True, slots=True)
class DryRun:
    """``would``: the preview of one operation, were it due now; None where it is not known, or takes nothing.

    ``is_cut``: the budget leaves some for later. ``why_not``: the reasons why it does not act now.
    """

    spent: PlaybookBudget
    would: Preview | None
    is_cut: bool
    why_not: list[str]
    # the approval that it would need, in a sentence
    approval: str = ""


def dry_run(row: Playbook) -> DryRun:
    """Return the dry run within the scopes of who asks and of the person behind it."""
    person = principal(row.acts_for)
    spent = budget(row) if row.pk else _unused_budget(row)
    try:
        with asking_as(person.access.intersection(current_access())):
            return _preview(row, spent, why_not(row, person, spent))
    except (OperationRefused, InvalidFilter) as refusal:
        return DryRun(spent, None, False, [str(refusal)])
    except CANNOT_READ:
        return DryRun(spent, None, False, [NOT_A_RULE])
    except TooSlow:
        return DryRun(spent, None, False, [*why_not(row, person, spent), str(TOO_SLOW)])


def draft(columns: Mapping[str, Any], acts_for: str) -> Playbook:
    """Make a playbook that is not stored, for a dry run."""
    start = triggers.get(columns["trigger"]).start(columns["trigger_options"], clock())
    machine = {"enabled": True, "look": "", "operation": None, "due_at": None}
    return Playbook(**columns, **machine, **start, acts_for=acts_for)


def _preview(row: Playbook, spent: PlaybookBudget, reasons: list[str]) -> DryRun:
    choice = choose(row, spent.remaining) if spent.remaining else None
    preview = choice.preview if choice else None
    if preview is not None and not preview.eligible:
        reasons = [*reasons, str(NOTHING_WAITS)]
    needs = approval.sentence(kinds.get(row.kind), row.options, preview.total) if preview else ""
    return DryRun(spent, preview, bool(choice and choice.is_cut), reasons, needs)


def _unused_budget(row: Playbook) -> PlaybookBudget:
    """The budget of a playbook that is not stored yet: nothing is used up."""
    remaining = row.per_day if row.per_hour is None else min(row.per_day, row.per_hour)
    return PlaybookBudget(0, 0, 0, remaining, "")
