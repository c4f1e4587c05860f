"""The reasons why a playbook does nothing now, for the tick and for the dry run."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import PlaybookBudget
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import Principal
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import OPEN, STATUS_LABELS, Operation, Status
from dlqconsole.operations.options import THRESHOLD
from dlqconsole.processing.inputs.sentences import stored


def reason_to_stop(row: Playbook, person: Principal) -> str:
    """The reason why a person must look at it; empty: nobody must."""
    return row.look or person.refusal or why_look(row)


def reason_to_wait(row: Playbook, spent: PlaybookBudget) -> str:
    """The reason why a due playbook waits; empty: it does not wait."""
    return next(_waits(row, spent), "")


def why_not(row: Playbook, person: Principal, spent: PlaybookBudget) -> list[str]:
    """The reasons why it does not act now, a sentence each; none: it acts within seconds."""
    if not row.enabled:
        return [_("It is switched off.")]
    if stop := reason_to_stop(row, person):
        return [stop]
    not_due = [] if row.due_at else [triggers.get(row.trigger).not_yet(row)]
    return [*not_due, *_waits(row, spent)]


def _waits(row: Playbook, spent: PlaybookBudget) -> Iterator[str]:
    still = triggers.get(row.trigger).still(row) if row.due_at else ""
    yield from filter(None, (why_wait(row), still, spent.refusal))


def why_look(row: Playbook) -> str:
    """The reason why a person must look before it goes on, as a sentence; empty: nobody must."""
    operation = row.operation
    if operation is None:
        return ""
    if operation.status == Status.HALTED:
        words = _(stored("Operation {pk:d} stopped by itself. {note_sentence}"))
        return words.format(pk=operation.pk, note_sentence=operation.note).strip()
    if operation.status == Status.CANCELLED:
        words = _(stored("Operation {pk:d} was cancelled."))
        if operation.note:
            words = _(stored("Operation {pk:d} was cancelled. {note_sentence}"))
        return words.format(pk=operation.pk, note_sentence=operation.note)
    if operation.undone_by_id:
        words = _(stored("Operation {pk:d} was taken back by operation {undo:d}."))
        return words.format(pk=operation.pk, undo=operation.undone_by_id)
    return _too_many_returned(row, operation) if operation.status == Status.COMPLETED else ""


def why_wait(row: Playbook) -> str:
    """The reason to wait, as a sentence: a playbook never has two open operations. Empty: it need not."""
    operation = row.operation
    if operation is None or operation.status not in OPEN:
        return ""
    if operation.status == Status.AWAITING:
        return _(stored("Operation {pk:d} waits for a second person's approval.")).format(pk=operation.pk)
    words = _(stored("Operation {pk:d} is not over: it is {status_sentence}."))
    return words.format(pk=operation.pk, status_sentence=STATUS_LABELS[operation.status].lower())


def threshold_of(row: Playbook) -> int:
    """The percentage that may fail again: the canary's threshold, or a canary's default."""
    canary = row.options.get("canary") or {}
    usual: int = THRESHOLD.nothing
    return int(canary.get("threshold", usual))


def _too_many_returned(row: Playbook, operation: Operation) -> str:
    """A sentence if too many of the moved dead letters failed again, also after the operation is over."""
    try:
        outcomes = kinds.get(operation.kind).move_outcomes(operation)
    except OperationRefused as refusal:
        return str(refusal)
    most = threshold_of(row)
    if outcomes is None or outcomes.failed_again * 100 <= most * max(outcomes.moved, 1):
        return ""
    words = _(
        stored("{failed_again:,} of the {moved:,} of operation {pk:d} failed again, more than {most:d} %.")
    )
    return words.format(failed_again=outcomes.failed_again, moved=outcomes.moved, pk=operation.pk, most=most)
