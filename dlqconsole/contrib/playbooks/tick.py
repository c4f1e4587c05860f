"""The tick: note the events of each playbook's trigger, and act on them. Any number of workers may run it.

Each note about a playbook is a compare-and-set on the row's turn: of two workers that saw the same, one goes
on. The event, the operation and the history entry are each committed with the turn, or not at all: a worker
may die anywhere, and the next one goes on from the stored state.
"""

import logging
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db.models import F

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import NextSelection, budget, choose, clock
from dlqconsole.contrib.playbooks.deciding import reason_to_stop, reason_to_wait
from dlqconsole.contrib.playbooks.dry_run import NOTHING_WAITS, TOO_SLOW
from dlqconsole.contrib.playbooks.models import Outcome, Playbook, PlaybookEntry
from dlqconsole.contrib.playbooks.principal import Principal, principal
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import asking_as
from dlqconsole.engine.counts.summaries import Count, TooSlow
from dlqconsole.engine.models import FailureGroup
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.people.actors import acting_for
from dlqconsole.processing import crash_points

log = logging.getLogger(__name__)
# where a fault test may end the process
CRASH_POINTS = (
    "playbook.noticed",  # that it happened is committed, nothing was asked for
    "playbook.decided",  # its turn is taken, no operation asked for, not committed
    "playbook.asked",  # the operation is there, not committed
)


def tick() -> None:
    """Look at each playbook that is on. An error in one harms no other."""
    ids = Playbook.objects.filter(enabled=True, look="").order_by("pk").values_list("pk", flat=True)
    for playbook_id in list(ids):
        try:
            look_at(playbook_id)
        except Exception:
            log.exception("playbook %s could not be looked at; it is tried again", playbook_id)


def look_at(playbook_id: int) -> None:
    """Note the events of one playbook's trigger, and act on them."""
    row = _read(playbook_id)
    if row is None:
        return
    person = principal(row.acts_for)
    try:
        with asking_as(person.access):
            if why := reason_to_stop(row, person):
                _stop(row, why)
            elif (row := _note_event(row)) and row.due_at:
                _act(row, person)
    except (OperationRefused, InvalidFilter) as refusal:
        # a part of its rule does not exist any more, or may not be requested
        if (now := _read(playbook_id)) is not None:
            _stop(now, str(refusal))


def _read(playbook_id: int) -> Playbook | None:
    rows = Playbook.objects.select_related("operation", "operation__undone_by")
    return rows.filter(pk=playbook_id, enabled=True, look="").first()


def _take(row: Playbook, **changes: Any) -> bool:
    """Take the row's next turn with these changes; False where another worker was quicker."""
    mine = Playbook.objects.filter(pk=row.pk, turn=row.turn, version=row.version, enabled=True, look="")
    return bool(mine.update(turn=F("turn") + 1, **changes))


def _note_event(row: Playbook) -> Playbook | None:
    """Store what the trigger noticed; return the row. An event while another is due is the same event."""
    notice = triggers.get(row.trigger).notice(row, clock())
    changes = dict(notice.memory)
    if notice.why and row.due_at is None:
        changes |= {"due_at": clock(), "due_why": notice.why, "edge": row.edge + 1, "part": 0, "held": ""}
    if not changes:
        return row
    if not _take(row, **changes):
        return None
    crash_points.reach("playbook.noticed")
    return _read(row.pk)


def _act(row: Playbook, person: Principal) -> None:
    """Request an operation for a due playbook, or note once why not."""
    spent = budget(row)
    if why := reason_to_wait(row, spent):
        _hold(row, why)
        return
    try:
        selection = choose(row, spent.remaining)
    except TooSlow:
        _hold(row, str(TOO_SLOW))
        return
    if not (selection.preview.eligible or selection.preview.is_least):
        _pass(row, _nothing(selection))
        return
    _ask(row, person, selection)


def _nothing(choice: NextSelection) -> str:
    reasons = [f"{each.count:,} {each.status or 'of them'}: {each.why}" for each in choice.preview.ineligible]
    return " ".join([str(NOTHING_WAITS), *(f"{reason}." for reason in reasons)])


def _ask(row: Playbook, person: Principal, selection: NextSelection) -> None:
    """Request one operation for one part of one event, in one transaction."""
    actor, part = acting_for(row.machine, person.actor), row.part + 1
    rest = {} if selection.is_cut else {"due_at": None}
    with transaction.atomic():
        if not _take(row, part=part, held="", **rest):
            return
        crash_points.reach("playbook.decided")
        operation = request_operation(_request(row, part, selection), actor=actor)
        crash_points.reach("playbook.asked")
        Playbook.objects.filter(pk=row.pk).update(operation=operation)
        _enter(row, Outcome.ASKED, row.due_why, part=part, operation=operation, owner=_owner(row))
        detail = {"why": row.due_why, "expected": selection.preview.eligible}
        audit.record(actor, "act", f"playbook:{row.pk}", operation_id=operation.pk, detail=detail)


def _request(row: Playbook, part: int, selection: NextSelection) -> OperationRequest:
    preview = selection.preview
    return OperationRequest(
        row.kind,
        selection.scope,
        f"{row.name}: {row.due_why}",
        row.options,
        Count(preview.total, preview.is_least),
        key=_key(row, part),
        acts_on=preview.eligible,
    )


def _key(row: Playbook, part: int) -> UUID:
    """The idempotency key: the same part of the same event is the same operation, at each request."""
    return uuid5(NAMESPACE_URL, f"playbook:{row.pk}:{row.created_at.isoformat()}:{row.edge}:{part}")


def _hold(row: Playbook, why: str) -> None:
    """Note that a due playbook waits: once, until there is another reason."""
    if row.held == why:
        return
    with transaction.atomic():
        if _take(row, held=why):
            _enter(row, Outcome.HELD, why, part=row.part)


def _pass(row: Playbook, why: str) -> None:
    """Note that there is nothing to do this time: once, however often it repeats."""
    last = row.entries.order_by("-pk").first()
    with transaction.atomic():
        if _take(row, due_at=None, held="") and (last is None or last.why != why):
            _enter(row, Outcome.HELD, why, part=row.part)


def _stop(row: Playbook, why: str) -> None:
    """Stop a playbook until a person has looked at it."""
    with transaction.atomic():
        if _take(row, look=why, held=""):
            _enter(row, Outcome.STOPPED, why, part=row.part)
            actor = acting_for(row.machine, row.acts_for)
            audit.record(actor, "stop", f"playbook:{row.pk}", detail={"why": why})
            log.warning("playbook %s needs a look: %s", row.pk, why)


def _enter(
    row: Playbook,
    outcome: Outcome,
    why: str,
    *,
    part: int,
    operation: Operation | None = None,
    owner: str = "",
) -> None:
    PlaybookEntry.objects.create(
        playbook=row, outcome=outcome, why=why, edge=row.edge, part=part, operation=operation, told=owner
    )


def _owner(row: Playbook) -> str:
    """The owner of the group at this moment, for a playbook that tells the owner."""
    if not row.tells_owner or row.group_id is None:
        return ""
    return FailureGroup.objects.filter(pk=row.group_id).values_list("owner", flat=True).first() or ""
