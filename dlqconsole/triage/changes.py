"""Changes that people make to a failure group: describe, resolve, reopen, snooze.

Each is a compare-and-set on the group's version, with an audit row in the same transaction. Changes that the
database makes by itself (a group regresses, a snooze ends) leave the version alone: they contradict nobody.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.core.lifecycle.states import GroupState
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Text, WholeNumber, read_all

DESCRIPTION = (
    Text(
        name="owner",
        what=gettext_lazy("The owner"),
        label=gettext_lazy("Owner"),
        is_required=False,
        limit=100,
    ),
    Text(
        name="ticket",
        what=gettext_lazy("The ticket"),
        label=gettext_lazy("Ticket"),
        hint=gettext_lazy("An address, or any text"),
        is_required=False,
        limit=500,
    ),
    Text(
        name="note",
        what=gettext_lazy("The note"),
        label=gettext_lazy("Note"),
        hint=gettext_lazy("It stays, whatever becomes of the dead letters"),
        is_required=False,
        limit=10_000,
        lines=4,
    ),
)
_MOST = 1_000_000_000
SNOOZE = (
    WholeNumber(
        name="more",
        what=gettext_lazy("The number of failures"),
        label=gettext_lazy("Until so many more failures"),
        is_required=False,
        low=1,
        high=_MOST,
    ),
    WholeNumber(
        name="below_rate",
        what=gettext_lazy("The number an hour"),
        label=gettext_lazy("While no more than so many come in an hour"),
        is_required=False,
        low=1,
        high=_MOST,
    ),
)
_LONGEST = timedelta(days=366)
_TOO_LONG = gettext_lazy("A snooze lasts a year at most. Resolve the group, or choose an earlier time.")
_NO_SNOOZE = {"snoozed_until": None, "snoozed_to_occurrences": None, "snoozed_below_rate": None}


class InvalidGroup(EngineError):
    """A group cannot be changed so; the sentence says why and what to do."""


class UnknownGroup(EngineError):
    """There is no group of that number."""


class GroupConflict(EngineError):
    """Somebody changed the group since it was read. ``current`` is the group as it is now."""

    def __init__(self, current: FailureGroup) -> None:
        super().__init__(
            _("Somebody changed this group while you were writing. Nothing of yours was saved yet.")
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class GroupEditor:
    """The actor of a change, the version of the group that they saw, and their reason."""

    actor: str
    version: int
    reason: str = ""


def describe(group_id: int, editor: GroupEditor, *, owner: str, note: str, ticket: str) -> FailureGroup:
    """Set the owner, note and ticket of a group.

    Raises InvalidGroup, UnknownGroup and GroupConflict, as the other functions here do.
    """
    texts = _read(DESCRIPTION, owner=owner, note=note, ticket=ticket)
    return change(group_id, editor, "describe", texts)


def resolve(group_id: int, editor: GroupEditor) -> FailureGroup:
    """Mark a group as resolved. A new dead letter, or one more occurrence, makes it regress."""
    return change(group_id, editor, "resolve", {"state": GroupState.RESOLVED} | _NO_SNOOZE)


def reopen(group_id: int, editor: GroupEditor) -> FailureGroup:
    """Open a group again; this ends a snooze too."""
    return change(group_id, editor, "reopen", {"state": GroupState.OPEN} | _NO_SNOOZE)


def snooze(
    group_id: int,
    editor: GroupEditor,
    *,
    until: datetime | None = None,
    more: int | None = None,
    below_rate: int | None = None,
) -> FailureGroup:
    """Snooze a group until a moment, for ``more`` failures, or while at most ``below_rate`` come an hour.

    The first of these conditions ends the snooze by itself.
    """
    if until is None and more is None and below_rate is None:
        raise InvalidGroup(_("Say until when: a time, a number of failures, or a number an hour."))
    check_until(until, _LONGEST, _TOO_LONG)
    _read(SNOOZE, more=more, below_rate=below_rate)
    # who may change a group sees all of it; a snooze is about all of it
    with asking_as(EVERYTHING):
        group = group_figures.group(group_id)
    if group is None:
        raise UnknownGroup(_("There is no group {group_id}.").format(group_id=group_id))
    if below_rate is not None and group["hourly"][-1] > below_rate:
        raise InvalidGroup(
            _(
                "{value:,} came in this hour already, more than {below_rate:,}: it would not sleep"
                " at all. Choose a larger number."
            ).format(value=group["hourly"][-1], below_rate=below_rate)
        )
    values = {
        "state": GroupState.SNOOZED,
        "snoozed_until": until,
        "snoozed_to_occurrences": None if more is None else group["occurrences"] + more,
        "snoozed_below_rate": below_rate,
    }
    return change(group_id, editor, "snooze", values)


def clock() -> datetime:
    """The present moment, by the database's clock."""
    now: datetime = fetch_column(sql("groups.clock"), {})[0]
    return now


def change(group_id: int, editor: GroupEditor, action: str, values: dict[str, Any]) -> FailureGroup:
    """Write these columns and an audit row, if nobody changed the group since the editor read it."""
    with transaction.atomic():
        group = FailureGroup.objects.select_for_update().filter(pk=group_id).first()
        if group is None:
            raise UnknownGroup(_("There is no group {group_id}.").format(group_id=group_id))
        if group.version != editor.version:
            raise GroupConflict(group)
        changes = {
            name: [getattr(group, name), new] for name, new in values.items() if getattr(group, name) != new
        }
        if not changes:
            return group
        if "state" in values:
            values = values | {"state_changed_at": Now(), "state_changed_by": editor.actor}
        for name, value in values.items():
            setattr(group, name, value)
        group.version += 1
        group.save(update_fields=[*values, "version"])
        group.refresh_from_db()
        target, detail = f"group:{group_id}", {"changes": _json_values(changes)}
        audit.record(editor.actor, action, target, reason=editor.reason, detail=detail)
        return group


def _json_values(changes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {
        name: [value.isoformat() if isinstance(value, datetime) else value for value in pair]
        for name, pair in changes.items()
    }


def _read(fields: tuple[Field, ...], **values: Any) -> dict[str, Any]:
    try:
        return read_all(fields, values)
    except InvalidInput as problem:
        raise InvalidGroup(translated(problem)) from problem


def check_until(until: datetime | None, longest: timedelta, too_long: str) -> None:
    """Raise InvalidGroup for a time that has passed, or with ``too_long`` for one that is too far away."""
    if until is None:
        return
    now = clock()
    if until <= now:
        raise InvalidGroup(
            _("{until:%Y-%m-%d %H:%M} UTC has passed. Choose a time to come.").format(until=until)
        )
    if until > now + longest:
        raise InvalidGroup(too_long)
