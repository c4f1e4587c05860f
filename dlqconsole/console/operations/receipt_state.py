"""A receipt's state beside its counts: possible controls, approval, canary, undo."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.operations.options_form import again_fields
from dlqconsole.engine.counts.paces import GroupPace
from dlqconsole.engine.models import AuditEntry
from dlqconsole.engine.moments import duration_in_two
from dlqconsole.operations import kinds, passed
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import LIVE, OPEN, Approval, ItemStatus, Operation, Stage, Status
from dlqconsole.operations.receipts.outlook import outlook
from dlqconsole.operations.requests import approval, controls, workers
from dlqconsole.operations.requests.pace import slowed_groups
from dlqconsole.people.actors import answers_for

# the most slowed failure groups that are named
SLOWED_SHOWN = 5
_CONTROLS = ("pause", "resume", "probe", "cancel", "approve", "refuse", "undo", "full_speed")


def receipt_state(operation: Operation, person: str) -> dict[str, Any]:
    """The context for one person: addresses, rights, approval, canary, undo."""
    kind = kinds.shown(operation.kind)
    paces = [] if operation.is_part else slowed_groups(operation)[:SLOWED_SHOWN]
    return {
        "kind": kind,
        "urls": {name: reverse(f"dlq:operation_{name}", args=[operation.pk]) for name in _CONTROLS},
        "again_url": reverse("dlq:operation_confirm"),
        "again_fields": again_fields(kind, operation),
        "is_open": operation.status in OPEN,
        "nobody": workers.warning() if operation.status in LIVE else "",
        "request_key": uuid4(),
        "chosen": _option_words(kind, operation),
        "approval": _approval(operation, person),
        "stages": _stages(operation),
        "probes_again": _probes_again(operation),
        "undo": _undo(operation),
        "slowed": paces,
        "slowed_for": _slowed_for(operation, paces),
        "outlook": outlook(operation),
        "live": _live(operation),
    }


def _slowed_for(operation: Operation, paces: Sequence[GroupPace]) -> str:
    """The longest time for the rest: as if all of it were in the slowest group."""
    rate = paces[0].rate if paces else None
    return duration_in_two(max(operation.remaining / rate, 1)) if rate and operation.remaining else ""


def _option_words(kind: Kind, operation: Operation) -> list[str]:
    """Its options in words; without the operation that they passed if its scope names it already."""
    options = kind.stored_options(operation.parameters) | {"rate": operation.rate}
    source = operation.source_operation_id if operation.source_outcome == ItemStatus.DONE else None
    if source is not None and operation.passed_operation_id == source:
        options = {name: value for name, value in options.items() if name not in passed.names()}
    return shown_words(kind, options)


def _approval(operation: Operation, person: str) -> dict[str, Any]:
    """``waits``, and for whom: oneself if nobody else could, by typing the count."""
    waits = operation.status == Status.AWAITING and operation.approval == Approval.NEEDED
    own = waits and answers_for(operation.actor) == person
    refused_why = approval.why_not_approve(operation, person) if waits else ""
    return {
        "waits": waits,
        "own": own,
        "typed": own and not refused_why,
        "refused_why": refused_why,
    }


def _stages(operation: Operation) -> list[dict[str, str]]:
    """The stages of a canary, each with its outcomes; empty without one."""
    canary = kinds.shown(operation.kind).stored_options(operation.parameters).get("canary")
    if not canary or operation.is_part:
        return []
    # a person who resumed a halted one has ended the canary
    current = int(Stage.ALL if operation.stage is None else operation.stage)
    results = _stage_results(operation)
    labels = [
        ngettext("{number:,} probe", "{number:,} probes", canary["probes"]).format(number=canary["probes"]),
        "1 %",
        "10 %",
        "100 %",
    ]
    return [
        {"label": label, **_stage(operation, place, current, results.get(place, ""))}
        for place, label in enumerate(labels)
    ]


def _probes_again(operation: Operation) -> int:
    """The number of probes that a halted canary would begin anew with."""
    if operation.status != Status.HALTED or operation.is_part:
        return 0
    canary = kinds.shown(operation.kind).stored_options(operation.parameters).get("canary") or {}
    return min(int(canary.get("probes", 0)), operation.remaining)


def _stage(operation: Operation, place: int, current: int, result: str) -> dict[str, str]:
    is_over = operation.status in (Status.COMPLETED, Status.CANCELLED)
    if place < current or (place == current and operation.status == Status.COMPLETED):
        # a stage without a result was skipped by a person
        return {
            "state": "done",
            "words": result or (_("all moved") if place == Stage.ALL else _("passed over")),
        }
    if place > current or is_over:
        state = _("not reached") if is_over or operation.status == Status.HALTED else _("to come")
        return {"state": state, "words": state}
    if operation.status == Status.HALTED:
        return {"state": "halted", "words": _("halted here")}
    return {"state": "now", "words": "watching" if operation.watch_until else "moving"}


def _stage_results(operation: Operation) -> dict[int, str]:
    """The outcomes at the end of each stage, from the audit log."""
    entries = AuditEntry.objects.filter(operation_id=operation.pk, action="advance").order_by("id")[:8]
    return {
        int(entry.detail["stage"]) - 1: _("{succeeded:,} succeeded, {failed_again:,} failed again").format(
            succeeded=entry.detail["succeeded"], failed_again=entry.detail["failed_again"]
        )
        for entry in entries
    }


def _undo(operation: Operation) -> dict[str, Any]:
    """The possible undo, of so many, and its deadline, or the undo that happened."""
    by = operation.undone_by
    why_not = controls.why_not_undone(operation)
    until = operation.undo_until
    return {
        "possible": not why_not,
        "number": 0 if why_not else kinds.shown(operation.kind).count_takeable(operation),
        "why_not": why_not,
        "until": until,
        "is_held": bool(until and operation.released_at is None and until > timezone.now()),
        "by": by,
        "by_url": reverse("dlq:operation", args=[by.pk]) if by else "",
    }


def _live(operation: Operation) -> int:
    """The seconds between the page's polls; 0 if nothing can change by itself any more."""
    if operation.is_live:
        return 2
    if operation.under_way or operation.status in OPEN:
        return 5
    return 5 if operation.undone_by and operation.undone_by.status in OPEN else 0
