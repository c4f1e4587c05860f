"""Which pages do the work of an operation: its kind says."""

from collections.abc import Callable

from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import Held, Pages, Work


def pages_of(held: Held, owner: str, is_over: Callable[[], bool]) -> Pages:
    """The pages for what this worker holds."""
    kind = kinds.get(held.kind)
    work = Work(
        held=held,
        owner=owner,
        is_over=is_over,
        eligible=kind.eligible(),
        why_not=kind.why_not(),
        left_by=kinds.left_by(),
        did=kinds.did(),
        changed=kind.counts_as_changed,
    )
    return _undo_pages(work) if kind.takes_back else kind.pages(work)


def _undo_pages(work: Work) -> Pages:
    source = Operation.objects.only("kind", "parameters").get(pk=work.held.source_operation_id or 0)
    kind = kinds.get(source.kind)
    return kind.undo_pages(work, kind.stored(source.parameters))
