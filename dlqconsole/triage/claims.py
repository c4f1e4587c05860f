"""Claims: who works on a failure group now, and until when. A claim hinders nobody, and ends by itself."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models.functions import Now

from dlqconsole.engine.models import FailureGroup
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.times import Until
from dlqconsole.triage.changes import GroupEditor, change, check_until, clock

UNTIL = Until(
    name="until",
    what=_("The end"),
    label=_("You work on it for"),
    hint=_("30m, 2h, or a time in UTC; 24h at most"),
    proposal="2h",
    is_required=False,
)
_LONGEST = timedelta(hours=24)
_TOO_LONG = _("A claim lasts 24 hours at most. Whose the group is for longer, say as its owner.")


@dataclass(frozen=True, slots=True)
class GroupClaim:
    """A claim that has not ended. ``actor``: who works on the group."""

    group_id: int
    actor: str
    until: datetime


def claim(group_id: int, editor: GroupEditor, end: datetime | timedelta) -> FailureGroup:
    """Say that the editor works on a group, also in the place of somebody who says so now.

    Raises InvalidGroup, UnknownGroup and GroupConflict.
    """
    until = clock() + end if isinstance(end, timedelta) else end
    check_until(until, _LONGEST, _TOO_LONG)
    return change(group_id, editor, "claim", {"claimed_by": editor.actor, "claimed_until": until})


def release(group_id: int, editor: GroupEditor) -> FailureGroup:
    """Say that nobody works on a group any more. Raises UnknownGroup and GroupConflict."""
    return change(group_id, editor, "release", {"claimed_by": "", "claimed_until": None})


def claims(group_ids: Collection[int]) -> dict[int, GroupClaim]:
    """Return the claims on these groups, by the database's clock."""
    rows = FailureGroup.objects.filter(pk__in=group_ids, claimed_until__gt=Now())
    return {
        group_id: GroupClaim(group_id, actor, until)
        for group_id, actor, until in rows.values_list("pk", "claimed_by", "claimed_until")
        if until
    }
