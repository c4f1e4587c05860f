"""Why a playbook does nothing just now: asked by the tick before it acts, and by the dry run."""

from collections.abc import Iterator

from dlqconsole.contrib.playbooks import judging, triggers
from dlqconsole.contrib.playbooks.budget import Budget
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import Principal


def stopped_by(row: Playbook, person: Principal) -> str:
    """Why a person has to look; empty: nobody has to."""
    return row.look or person.refusal or judging.why_look(row)


def held_by(row: Playbook, spent: Budget) -> str:
    """It is due: why it waits all the same; empty: it does not."""
    return next(_waits(row, spent), "")


def why_not(row: Playbook, person: Principal, spent: Budget) -> list[str]:
    """All that keeps it from acting now, a sentence each; none: it acts within seconds."""
    if not row.enabled:
        return ["It is switched off."]
    if stopped := stopped_by(row, person):
        return [stopped]
    not_due = [] if row.due_at else [triggers.get(row.trigger).not_yet(row)]
    return [*not_due, *_waits(row, spent)]


def _waits(row: Playbook, spent: Budget) -> Iterator[str]:
    still = triggers.get(row.trigger).still(row) if row.due_at else ""
    yield from filter(None, (judging.why_wait(row), still, spent.refusal))
