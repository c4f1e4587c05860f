"""What people do with playbooks: make, change, switch, let go on, delete.

Each is a compare-and-set on the version that they saw, with its audit row in the same transaction. Whoever
changes one, or lets it go on, answers for what it does from then on: so that is always a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import clock
from dlqconsole.contrib.playbooks.definition import checked
from dlqconsole.contrib.playbooks.errors import PlaybookRefused, UnknownPlaybook
from dlqconsole.contrib.playbooks.facts import described
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine import audit
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.models import OPEN
from dlqconsole.people.actors import account_of

MOST = 200
NOBODY = (
    "Whoever makes, changes or starts a playbook answers for what it does: sign in to the console, or give a"
    " personal token of your own by --token-file or DLQ_TOKEN."
)
_MEANING = ("filter", "trigger", "trigger_options", "kind")


@dataclass(frozen=True, slots=True)
class Who:
    """Who acts, why, and what they see. ``is_proven``: signed in, or by a token that they made themselves."""

    actor: str
    reason: str
    reach: Reach
    is_proven: bool = True


def add(given: Mapping[str, Any], who: Who) -> Playbook:
    """Keep a new playbook, switched on. Raises PlaybookRefused."""
    _require_person(who)
    columns = checked(given, who.reach)
    if Playbook.objects.count() >= MOST:
        raise PlaybookRefused.saying(f"There are {MOST} playbooks already: delete one that nobody needs.")
    start = triggers.get(columns["trigger"]).start(columns["trigger_options"], clock())
    with transaction.atomic():
        row = Playbook.objects.create(**columns, **start, acts_for=who.actor, created_by=who.actor)
        audit.record(who.actor, "create", _target(row), reason=who.reason, detail=described(row))
    return row


def change(playbook_id: int, version: int, given: Mapping[str, Any], who: Who) -> Playbook:
    """Change one as it was seen. Raises PlaybookRefused and UnknownPlaybook, as the others here do.

    What was due for what it was before is dropped.
    """
    _require_person(who)
    columns = checked(given, who.reach)
    with transaction.atomic():
        row = _held(playbook_id, version)
        before = described(row)
        if any(columns[name] != getattr(row, name) for name in _MEANING):
            columns |= {"due_at": None, "due_why": "", "held": "", **_start(row, columns)}
        return _keep(row, columns | {"acts_for": who.actor}, "change", who, before)


def switch(playbook_id: int, version: int, enabled: bool, who: Who) -> Playbook:
    """Let it act by itself, or no longer. What happened while it was off is not made up for."""
    if enabled:
        _require_person(who)
    with transaction.atomic():
        row = _held(playbook_id, version)
        if row.enabled == enabled:
            return row
        changes = {"enabled": enabled, "due_at": None, "due_why": "", "held": ""}
        if enabled:
            changes |= {"acts_for": who.actor, **_start(row)}
        return _keep(row, changes, "enable" if enabled else "disable", who)


def go_on(playbook_id: int, version: int, who: Who) -> Playbook:
    """A person has looked: it may act again, for them. What was due is gone on with."""
    _require_person(who)
    with transaction.atomic():
        row = _held(playbook_id, version)
        if not row.look:
            raise PlaybookRefused.saying("Nobody has to look at it: it goes on by itself.")
        if row.operation is not None and row.operation.status in OPEN:
            raise PlaybookRefused.saying(
                f"Operation {row.operation_id} is still {row.operation.status}: resume or cancel it first."
            )
        changes = {"look": "", "held": "", "operation": None, "acts_for": who.actor, **_start(row)}
        return _keep(row, changes, "resume", who)


def delete(playbook_id: int, version: int, who: Who) -> None:
    """Remove it and its history. Its operations stay, with their receipts."""
    with transaction.atomic():
        row = _held(playbook_id, version)
        if row.enabled:
            raise PlaybookRefused.saying("Switch it off first: then it asks for nothing more.")
        target, detail = _target(row), described(row)
        row.delete()
        audit.record(who.actor, "delete", target, reason=who.reason, detail=detail)


def get(playbook_id: int) -> Playbook:
    """Raises UnknownPlaybook."""
    row = Playbook.objects.select_related("operation").filter(pk=playbook_id).first()
    if row is None:
        raise UnknownPlaybook(f"There is no playbook {playbook_id}.")
    return row


def _require_person(who: Who) -> None:
    if account_of(who.actor) is None or not who.is_proven:
        raise PlaybookRefused.saying(NOBODY)


def _start(row: Playbook, columns: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What its trigger remembers when it begins anew."""
    name = columns["trigger"] if columns else row.trigger
    options = columns["trigger_options"] if columns else row.trigger_options
    return triggers.get(name).start(options, clock())


def _held(playbook_id: int, version: int) -> Playbook:
    """The row, locked, as it was seen."""
    row = Playbook.objects.select_for_update().filter(pk=playbook_id).first()
    if row is None:
        raise UnknownPlaybook(f"There is no playbook {playbook_id}.")
    if row.version != version:
        raise PlaybookRefused.saying(
            "Somebody changed this playbook since you opened it. Nothing of yours was saved: open it again."
        )
    return row


def _keep(
    row: Playbook,
    changes: Mapping[str, Any],
    action: str,
    who: Who,
    before: Mapping[str, str] | None = None,
) -> Playbook:
    for name, value in changes.items():
        setattr(row, name, value)
    row.version += 1
    row.turn += 1
    row.updated_at = Now()
    row.save(update_fields=[*changes, "version", "turn", "updated_at"])
    row.refresh_from_db()
    after = described(row)
    changed = {name: [old, after[name]] for name, old in (before or {}).items() if old != after[name]}
    detail = {"changes": changed} if before is not None else {}
    audit.record(who.actor, action, _target(row), reason=who.reason, detail=detail)
    return row


def _target(row: Playbook) -> str:
    return f"playbook:{row.pk}"
