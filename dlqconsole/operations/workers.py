"""Which pages do the work of which kind of operation."""

from collections.abc import Callable
from typing import Protocol

from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.operations.editing import EditPages
from dlqconsole.operations.eligibility import eligible
from dlqconsole.operations.exporting import ExportPages
from dlqconsole.operations.leases import Held
from dlqconsole.operations.models import Kind, Operation
from dlqconsole.operations.pages import Page, SetPages
from dlqconsole.operations.purging import PurgePages
from dlqconsole.operations.reclassifying import ReclassifyPages, UndoReclassifyPages
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.sql import sql

_TARGET = {Kind.DISCARD: DeadLetterStatus.DISCARDED, Kind.RESTORE: DeadLetterStatus.PENDING}


class Pages(Protocol):
    """Does an operation's work page by page.

    ``at_most``: no page may be larger; None: as large as it likes. ``probes``: only the canary's probes.
    """

    at_most: int | None
    probes: bool

    def next(self, after: int) -> Page:
        """Do the page after that dead letter. Raises NotOurs."""


def pages_of(held: Held, owner: str, is_over: Callable[[], bool]) -> Pages:
    """The pages for what this worker holds."""
    kind = Kind(held.kind)
    if kind == Kind.RETRY:
        return RetryPages(held, owner, is_over)
    if kind == Kind.UNDO:
        return _undo(held)
    if kind == Kind.EDIT:
        return EditPages(held, held.parameters)
    if kind == Kind.REVIVE:
        return SetPages(held, sql("pages.revive"), _revive_values(held))
    if kind == Kind.RECLASSIFY:
        return ReclassifyPages(held, held.parameters)
    if kind == Kind.EXPORT:
        return ExportPages(held)
    if kind == Kind.PURGE:
        return PurgePages(held)
    return SetPages(held, sql("pages.move"), {"target": str(_TARGET[kind])})


def _revive_values(held: Held) -> dict[str, object]:
    return {
        "queue": held.parameters.get("queue", ""),
        "keep_order": held.parameters.get("keep_order", True),
        "held_back": bool(held.parameters.get("undo_seconds")),
    }


def _undo(held: Held) -> Pages:
    kind = Operation.objects.values_list("kind", flat=True).get(pk=held.source_operation_id or 0)
    if kind == Kind.REVIVE:
        return SetPages(held, sql("undoing.revive"), {})
    if kind == Kind.EDIT:
        return SetPages(held, sql("editing.undo"), {"editable": eligible(Kind.EDIT)})
    if kind == Kind.RECLASSIFY:
        return UndoReclassifyPages(held)
    return SetPages(held, sql("undoing.move"), {"target": str(_TARGET[Kind(kind)])})
