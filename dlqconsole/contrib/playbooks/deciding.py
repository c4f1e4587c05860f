"""The reasons why a playbook does nothing now, for the tick and for the dry run."""

from collections.abc import Iterator

from dlqconsole.contrib.playbooks import judging, triggers
from dlqconsole.contrib.playbooks.budget import PlaybookBudget
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import Principal


def reason_to_stop(row: Playbook, person: Principal) -> str:
    """The reason why a person must look at it; empty: nobody must."""
    return row.look or person.refusal or judging.why_look(row)


def reason_to_wait(row: Playbook, spent: PlaybookBudget) -> str:
    """The reason why a due playbook waits; empty: it does not wait."""
    return next(_waits(row, spent), "")


def why_not(row: Playbook, person: Principal, spent: PlaybookBudget) -> list[str]:
    """The reasons why it does not act now, a sentence each; none: it acts within seconds."""
    if not row.enabled:
        return ["It is switched off."]
    if stop := reason_to_stop(row, person):
        return [stop]
    not_due = [] if row.due_at else [triggers.get(row.trigger).not_yet(row)]
    return [*not_due, *_waits(row, spent)]


def _waits(row: Playbook, spent: PlaybookBudget) -> Iterator[str]:
    still = triggers.get(row.trigger).still(row) if row.due_at else ""
    yield from filter(None, (judging.why_wait(row), still, spent.refusal))
