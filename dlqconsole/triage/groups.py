"""What people do with a failure group: own it, write about it, resolve it, reopen it, snooze it.

Each is a compare-and-set on the group's version, with an audit row in the same transaction. What the database
does by itself (a group regresses, a snooze ends) leaves the version alone: it contradicts nobody.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from dlqconsole.engine import audit
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.errors import EngineError
from dlqconsole.engine.lifecycle.states import GroupState
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_bounds
from dlqconsole.processing.inputs.plain_text import check_text

LIMITS = {"owner": 100, "ticket": 500, "note": 10_000}
MOST = 1_000_000_000
_LONGEST = timedelta(days=366)
_NO_SNOOZE = {"snoozed_until": None, "snoozed_to_occurrences": None, "snoozed_below_rate": None}


class InvalidGroup(EngineError):
    """A group cannot be changed as asked; the sentence says why and what to do."""


class UnknownGroup(EngineError):
    """There is no group of that number."""


class GroupConflict(EngineError):
    """Somebody changed the group since it was looked at. ``current`` is what stands there now."""

    def __init__(self, current: FailureGroup) -> None:
        super().__init__(
            "Somebody changed this group while you were writing. Nothing of yours was saved yet."
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class Who:
    """A person, what they saw (the group's version), and why they act."""

    actor: str
    version: int
    reason: str = ""


def describe(group_id: int, who: Who, *, owner: str, note: str, ticket: str) -> FailureGroup:
    """Set who owns it, what is known about it, and where it is worked on.

    Raises InvalidGroup, UnknownGroup and GroupConflict, as the others here do.
    """
    texts = {"owner": owner.strip(), "note": note.strip(), "ticket": ticket.strip()}
    for name, text in texts.items():
        _check_text(name, text)
    return _change(group_id, who, "describe", texts)


def resolve(group_id: int, who: Who) -> FailureGroup:
    """Say that it is mended. A new dead letter, or one more occurrence, makes it regress."""
    return _change(group_id, who, "resolve", {"state": GroupState.RESOLVED} | _NO_SNOOZE)


def reopen(group_id: int, who: Who) -> FailureGroup:
    """Somebody should look at it again; ends a snooze too."""
    return _change(group_id, who, "reopen", {"state": GroupState.OPEN} | _NO_SNOOZE)


def snooze(
    group_id: int,
    who: Who,
    *,
    until: datetime | None = None,
    more: int | None = None,
    below_rate: int | None = None,
) -> FailureGroup:
    """Hear nothing of it until a moment, until it failed so many times more, or while less come in an hour.

    Whichever comes first ends it, by itself.
    """
    if until is None and more is None and below_rate is None:
        raise InvalidGroup("Say until when: a time, a number of failures, or a number an hour.")
    _check_until(until)
    _check_number(more, "The number of failures")
    _check_number(below_rate, "The number an hour")
    found = group_figures.group(group_id, EVERYTHING)
    if found is None:
        raise UnknownGroup(f"There is no group {group_id}.")
    if below_rate is not None and found["hourly"][-1] > below_rate:
        raise InvalidGroup(
            f"{found['hourly'][-1]:,} came in this hour already, more than {below_rate:,}: it would not sleep"
            " at all. Choose a larger number."
        )
    values = {
        "state": GroupState.SNOOZED,
        "snoozed_until": until,
        "snoozed_to_occurrences": None if more is None else found["occurrences"] + more,
        "snoozed_below_rate": below_rate,
    }
    return _change(group_id, who, "snooze", values)


def clock() -> datetime:
    """The moment it is, by the database's clock."""
    now: datetime = fetch_column(sql("groups.clock"), {})[0]
    return now


def _change(group_id: int, who: Who, action: str, values: dict[str, Any]) -> FailureGroup:
    with transaction.atomic():
        group = FailureGroup.objects.select_for_update().filter(pk=group_id).first()
        if group is None:
            raise UnknownGroup(f"There is no group {group_id}.")
        if group.version != who.version:
            raise GroupConflict(group)
        changes = {
            name: [getattr(group, name), new] for name, new in values.items() if getattr(group, name) != new
        }
        if not changes:
            return group
        if "state" in values:
            values = values | {"state_changed_at": Now(), "state_changed_by": who.actor}
        for name, value in values.items():
            setattr(group, name, value)
        group.version += 1
        group.save(update_fields=[*values, "version"])
        group.refresh_from_db()
        target, detail = f"group:{group_id}", {"changes": _stored(changes)}
        audit.record(who.actor, action, target, reason=who.reason, detail=detail)
        return group


def _stored(changes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {
        name: [value.isoformat() if isinstance(value, datetime) else value for value in pair]
        for name, pair in changes.items()
    }


def _check_text(name: str, text: str) -> None:
    try:
        check_text(text, f"The {name}", LIMITS[name])
    except InvalidInput as problem:
        raise InvalidGroup(str(problem)) from problem


def _check_until(until: datetime | None) -> None:
    if until is None:
        return
    now = clock()
    if until <= now:
        raise InvalidGroup(f"{until:%Y-%m-%d %H:%M} UTC has passed. Choose a time to come.")
    if until > now + _LONGEST:
        raise InvalidGroup("A snooze lasts a year at most. Resolve the group, or choose an earlier time.")


def _check_number(number: int | None, what: str) -> None:
    try:
        if number is not None:
            check_bounds(number, what, 1, MOST)
    except InvalidInput as problem:
        raise InvalidGroup(str(problem)) from problem
