"""The pages that do the work of an operation, as its kind defines them."""

from collections.abc import Callable

from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import OperationLease, OperationWork, Pages


def pages_of(lease: OperationLease, owner: str, is_over: Callable[[], bool]) -> Pages:
    """The pages for the operation that this worker leases."""
    kind = kinds.get(lease.kind)
    work = OperationWork(
        lease=lease,
        owner=owner,
        is_over=is_over,
        eligible=kind.eligible(),
        why_not=kind.why_not(),
        left_by=kinds.left_by(),
        did=kinds.did(),
        changed=kind.counts_as_changed,
    )
    return _undo_pages(work) if kind.takes_back else kind.pages(work)


def _undo_pages(work: OperationWork) -> Pages:
    source = Operation.objects.only("kind", "parameters").get(pk=work.lease.source_operation_id or 0)
    kind = kinds.get(source.kind)
    return kind.undo_pages(work, kind.stored_options(source.parameters))
