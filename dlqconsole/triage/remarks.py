"""Remarks of people on the failure groups of some dead letters: whoever acts on these reads them first."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts.summaries import BUDGET, TooSlow, time_budget
from dlqconsole.engine.models import DeadLetter, FailureGroup

# the most groups with a remark that are looked at, and those that are shown
MOST = 100
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Remark:
    """The claim, note and ticket of a group; each is empty if there is none, or it is not for who asks."""

    group_id: int
    title: str
    claimed_by: str
    claimed_until: datetime | None
    note: str = ""
    ticket: str = ""


def remarks(letters: QuerySet[DeadLetter]) -> tuple[list[Remark], bool]:
    """Return the remarks on the groups of these dead letters, and whether these may not be all.

    Claims come first.
    """
    is_claimed = Q(claimed_until__isnull=False, claimed_until__gt=Now())
    rows = (
        FailureGroup.objects.filter(is_claimed | ~Q(note="") | ~Q(ticket=""))
        # a look into the index for each group: a join would read every dead letter
        .annotate(is_theirs=Exists(letters.filter(group_id=OuterRef("pk"))), is_claimed=is_claimed)
        .order_by("-is_claimed", "pk")
    )
    try:
        with time_budget(BUDGET):
            theirs = [row for row in rows[:MOST] if row.is_theirs]
    except TooSlow:
        return [], True
    remarks_shown = (_remark(row) for row in theirs[:SHOWN])
    return [each for each in remarks_shown if each], len(theirs) > SHOWN


def _remark(group: FailureGroup) -> Remark | None:
    """The remark; who sees a part of the group sees its claim alone, as on its page."""
    claimed = (group.claimed_by, group.claimed_until) if group.is_claimed else ("", None)
    if group_figures.visibility(group.pk)[1]:
        return Remark(group.pk, str(group), *claimed, note=group.note, ticket=group.ticket)
    return Remark(group.pk, str(group), *claimed) if group.is_claimed else None
