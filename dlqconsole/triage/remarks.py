"""Remarks of people on the failure groups of some dead letters: whoever acts on these reads them first."""

from dataclasses import dataclass

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts.summaries import BUDGET, TooSlow, time_budget
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.triage.claims import GroupClaim, claims

# the most groups with a remark that are looked at, and those that are shown
MOST = 50
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Remark:
    """The claim, note and ticket of a group; each is empty if there is none, or it is not for who asks."""

    group_id: int
    title: str
    claim: GroupClaim | None
    note: str
    ticket: str


def remarks(letters: QuerySet[DeadLetter], *, are_few: bool = False) -> tuple[list[Remark], bool]:
    """Return the remarks on the groups of these dead letters, and whether these may not be all.

    Claims come first. ``are_few``: so few that each is read, to find its group.
    """
    is_claimed = Q(claimed_until__gt=Now())
    rows = FailureGroup.objects.filter(is_claimed | ~Q(note="") | ~Q(ticket=""))
    rows = rows.order_by(F("claimed_until").desc(nulls_last=True), "pk")
    try:
        with time_budget(BUDGET):
            if are_few:
                rows = rows.filter(pk__in=_group_ids(letters).distinct())
            noted = list(rows[: MOST + 1])
            theirs = noted if are_few else _theirs(letters, noted)
    except TooSlow:
        return [], True
    there = claims([group.pk for group in theirs])
    theirs.sort(key=lambda group: group.pk not in there)
    remarks = (_remark(group, there.get(group.pk)) for group in theirs[:SHOWN])
    return [each for each in remarks if each], len(theirs) > SHOWN or len(noted) > MOST


def _theirs(letters: QuerySet[DeadLetter], noted: list[FailureGroup]) -> list[FailureGroup]:
    """The groups in which one of them is: a look into the index for each, as a join would read them all."""
    if not noted:
        return []
    first, *others = (_group_ids(letters.filter(group_id=group.pk))[:1] for group in noted)
    there = set(first.union(*others, all=True) if others else first)
    return [group for group in noted if group.pk in there]


def _group_ids(letters: QuerySet[DeadLetter]) -> "QuerySet[DeadLetter, int]":
    return letters.order_by().values_list("group_id", flat=True)


def _remark(group: FailureGroup, claim: GroupClaim | None) -> Remark | None:
    """The remark; who sees a part of the group sees its claim alone, as on its page."""
    is_whole = group_figures.visibility(group.pk)[1]
    if not (is_whole or claim):
        return None
    note, ticket = (group.note, group.ticket) if is_whole else ("", "")
    return Remark(group.pk, group_figures.titles([group.pk]).get(group.pk, ""), claim, note, ticket)
