"""What became of a playbook's newest operation: whether it may go on, waits, or needs a person's look."""

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.operations import kinds
from dlqconsole.operations.common_options import CANARY
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import OPEN, Operation, Status


def why_look(row: Playbook) -> str:
    """Why a person has to look before it goes on, in a sentence; empty: nobody has to."""
    operation = row.operation
    if operation is None:
        return ""
    if operation.status == Status.HALTED:
        return f"Operation {operation.pk} stopped by itself. {operation.note}".strip()
    if operation.status == Status.CANCELLED:
        return f"Operation {operation.pk} was cancelled. {operation.note}".strip()
    if operation.undone_by_id:
        return f"Operation {operation.pk} was taken back by operation {operation.undone_by_id}."
    return _came_back(row, operation) if operation.status == Status.COMPLETED else ""


def why_wait(row: Playbook) -> str:
    """Never two at once: what its newest operation waits for, in a sentence."""
    operation = row.operation
    if operation is None or operation.status not in OPEN:
        return ""
    if operation.status == Status.AWAITING:
        return f"Operation {operation.pk} waits for a second person's approval."
    return f"Operation {operation.pk} is not over: it is {operation.status}."


def threshold_of(row: Playbook) -> int:
    """More than so many percent may not come back: the canary's, or what a canary has without a word."""
    canary = row.options.get("canary") or {}
    usual: int = next(each.read(None) for each in CANARY.options if each.name == "threshold")
    return int(canary.get("threshold", usual))


def _came_back(row: Playbook, operation: Operation) -> str:
    """Only what is certain counts: so many of all that were moved, also after the operation is over."""
    try:
        fate = kinds.get(operation.kind).fate(operation)
    except OperationRefused as gone:
        return str(gone)
    most = threshold_of(row)
    if fate is None or fate.came_back * 100 <= most * max(fate.moved, 1):
        return ""
    return (
        f"{fate.came_back:,} of the {fate.moved:,} of operation {operation.pk} came back, more than {most} %."
    )
