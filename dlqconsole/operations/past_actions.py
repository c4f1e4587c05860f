"""What past operations did to a failure group: the best hint at what to do with it now."""

from dataclasses import dataclass

from django.db.models import Q

from dlqconsole.engine.reach import Reach
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.models import Operation, OperationGroup


@dataclass(frozen=True, slots=True)
class PastAction:
    """One operation. ``done`` counts this group's dead letters, or all where they were not told apart.

    What became of the revived is told of the whole operation, whatever their group.
    """

    operation: Operation
    done: int
    came_back: int = 0
    stayed_away: int = 0
    under_way: int = 0

    @property
    def stayed_percent(self) -> int | None:
        """Of those that were heard of, how many stayed away; rounded down, so that 100 means all."""
        heard = self.came_back + self.stayed_away
        return self.stayed_away * 100 // heard if heard else None


def past_actions(group_id: int, reach: Reach, limit: int = 10) -> list[PastAction]:
    """The operations whose scope named the group, or that held dead letters of it, newest first.

    Who is limited is told of those that lie within their reach as a whole.
    """
    shares = dict(
        OperationGroup.objects.filter(group_id=group_id)
        .order_by("-operation_id")
        .values_list("operation_id", "done")[: limit * 5]
    )
    rows = visibility.whole(reach).filter(Q(group_id=group_id) | Q(pk__in=list(shares)))
    found = visibility.told(rows.order_by("-pk")[:limit], reach)
    return [_past(row, shares.get(row.pk, row.done)) for row in found]


def _past(operation: Operation, done: int) -> PastAction:
    if fate := kinds.shown(operation.kind).fate(operation):
        return PastAction(operation, done, fate.came_back, fate.stayed_away, fate.under_way)
    return PastAction(operation, done)
