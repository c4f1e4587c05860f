"""The tick: what happened, and what is to be done about it. Any number of workers may run it at once.

What it notes of a playbook is a compare-and-set on the row's turn: of two workers that saw the same one goes
on. That it happened, the operation, and the entry that says so are each committed with the turn, or not at
all: a worker may die anywhere, and the next one goes on from what is there.
"""

import logging
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction
from django.db.models import F

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import budget, clock
from dlqconsole.contrib.playbooks.deciding import held_by, stopped_by
from dlqconsole.contrib.playbooks.dry_run import NOTHING_WAITS, TOO_SLOW
from dlqconsole.contrib.playbooks.models import Outcome, Playbook, PlaybookEntry
from dlqconsole.contrib.playbooks.principal import Principal, principal
from dlqconsole.contrib.playbooks.waiting import Chosen, choose
from dlqconsole.engine import audit
from dlqconsole.engine.counts.summaries import Count, TooSlow
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import FailureGroup
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.service import request_operation
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
    """Look at each playbook that is on. One that cannot be looked at harms no other."""
    ids = Playbook.objects.filter(enabled=True, look="").order_by("pk").values_list("pk", flat=True)
    for playbook_id in list(ids):
        try:
            look_at(playbook_id)
        except Exception:
            log.exception("playbook %s could not be looked at; it is tried again", playbook_id)


def look_at(playbook_id: int) -> None:
    """Note what happened to one of them, and act on it."""
    row = _read(playbook_id)
    if row is None:
        return
    person = principal(row.acts_for)
    try:
        if why := stopped_by(row, person):
            _stop(row, why)
        elif (row := _noticed(row, person)) and row.due_at:
            _act(row, person)
    except (OperationRefused, InvalidFilter) as refusal:
        # what it was made of is not there any more, or may not be asked for
        if (now := _read(playbook_id)) is not None:
            _stop(now, str(refusal))


def _read(playbook_id: int) -> Playbook | None:
    rows = Playbook.objects.select_related("operation", "operation__undone_by")
    return rows.filter(pk=playbook_id, enabled=True, look="").first()


def _take(row: Playbook, **changes: Any) -> bool:
    """The row's next turn, with what changes; False where somebody else was quicker."""
    mine = Playbook.objects.filter(pk=row.pk, turn=row.turn, version=row.version, enabled=True, look="")
    return bool(mine.update(turn=F("turn") + 1, **changes))


def _noticed(row: Playbook, person: Principal) -> Playbook | None:
    """The row with what its trigger noticed; what happens while one is not worked off is the same."""
    found = triggers.get(row.trigger).notice(row, person.reach, clock())
    changes = dict(found.memory)
    if found.why and row.due_at is None:
        changes |= {"due_at": clock(), "due_why": found.why, "edge": row.edge + 1, "part": 0, "held": ""}
    if not changes:
        return row
    if not _take(row, **changes):
        return None
    crash_points.reach("playbook.noticed")
    return _read(row.pk)


def _act(row: Playbook, person: Principal) -> None:
    """It is due: ask for an operation, or say once why not."""
    spent = budget(row)
    if why := held_by(row, spent):
        _hold(row, why)
        return
    try:
        chosen = choose(row, person.reach, spent.left)
    except TooSlow:
        _hold(row, TOO_SLOW)
        return
    if not (chosen.preview.eligible or chosen.preview.is_least):
        _pass(row, _nothing(chosen))
        return
    _ask(row, person, chosen)


def _nothing(chosen: Chosen) -> str:
    reasons = [f"{each.count:,} {each.status or 'of them'}: {each.why}" for each in chosen.preview.ineligible]
    return " ".join([NOTHING_WAITS, *(f"{reason}." for reason in reasons)])


def _ask(row: Playbook, person: Principal, chosen: Chosen) -> None:
    """One operation for one part of one edge, in one transaction."""
    actor, part = acting_for(row.machine, person.actor), row.part + 1
    rest = {} if chosen.is_cut else {"due_at": None}
    with transaction.atomic():
        if not _take(row, part=part, held="", **rest):
            return
        crash_points.reach("playbook.decided")
        made = request_operation(_request(row, part, person, chosen), actor=actor)
        crash_points.reach("playbook.asked")
        Playbook.objects.filter(pk=row.pk).update(operation=made)
        _enter(row, Outcome.ASKED, row.due_why, part=part, operation=made, told=_owner(row))
        detail = {"why": row.due_why, "expected": chosen.preview.eligible}
        audit.record(actor, "act", f"playbook:{row.pk}", operation_id=made.pk, detail=detail)


def _request(row: Playbook, part: int, person: Principal, chosen: Chosen) -> OperationRequest:
    found = chosen.preview
    return OperationRequest(
        row.kind,
        chosen.scope,
        f"{row.name}: {row.due_why}",
        row.options,
        Count(found.total, found.is_least),
        key=_key(row, part),
        acts_on=found.eligible,
        reach=person.reach,
    )


def _key(row: Playbook, part: int) -> UUID:
    """The same part of the same edge is the same operation, whoever asks for it and how often."""
    return uuid5(NAMESPACE_URL, f"playbook:{row.pk}:{row.created_at.isoformat()}:{row.edge}:{part}")


def _hold(row: Playbook, why: str) -> None:
    """It is due and waits. That is told once, until there is another reason."""
    if row.held == why:
        return
    with transaction.atomic():
        if _take(row, held=why):
            _enter(row, Outcome.HELD, why, part=row.part)


def _pass(row: Playbook, why: str) -> None:
    """There is nothing to do this time. Told once, however often it is so."""
    last = row.entries.order_by("-pk").first()
    with transaction.atomic():
        if _take(row, due_at=None, held="") and (last is None or last.why != why):
            _enter(row, Outcome.HELD, why, part=row.part)


def _stop(row: Playbook, why: str) -> None:
    """Nothing more until a person has looked."""
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
    told: str = "",
) -> None:
    PlaybookEntry.objects.create(
        playbook=row, outcome=outcome, why=why, edge=row.edge, part=part, operation=operation, told=told
    )


def _owner(row: Playbook) -> str:
    """Who owns the group at this moment, where they are to be told."""
    if not row.tells_owner or row.group_id is None:
        return ""
    return FailureGroup.objects.filter(pk=row.group_id).values_list("owner", flat=True).first() or ""
