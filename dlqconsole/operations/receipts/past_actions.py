"""The past operations on a failure group: the best hint at what to do with it now."""

from dataclasses import dataclass

from django.db.models import Q

from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.models import Operation, OperationGroup


@dataclass(frozen=True, slots=True)
class PastAction:
    """One operation. ``done`` counts this group's dead letters, or all where they were not counted apart.

    The outcomes of revived ones are those of the whole operation, of all groups.
    """

    operation: Operation
    done: int
    failed_again: int = 0
    succeeded: int = 0
    under_way: int = 0

    @property
    def success_percent(self) -> int | None:
        """The percentage that succeeded, of those with an outcome; rounded down, so that 100 means all."""
        with_outcome = self.failed_again + self.succeeded
        return self.succeeded * 100 // with_outcome if with_outcome else None

    @property
    def worked(self) -> bool:
        """Tell whether more succeeded than failed again: a discard or an edit alone heals nothing."""
        return self.succeeded > self.failed_again


def past_actions(group_id: int, limit: int = 10) -> list[PastAction]:
    """The operations whose scope named the group, or that had dead letters of it, the newest first.

    A person with a limited scope gets those that lie within it as a whole.
    """
    shares = dict(
        OperationGroup.objects.filter(group_id=group_id)
        .order_by("-operation_id")
        .values_list("operation_id", "done")[: limit * 5]
    )
    rows = visibility.whole().filter(Q(group_id=group_id) | Q(pk__in=list(shares)))
    operations = visibility.with_visible_numbers(rows.order_by("-pk")[:limit])
    return [_past(row, shares.get(row.pk, row.done)) for row in operations]


def best(group_id: int, most: int = 3) -> list[PastAction]:
    """The newest that worked; if none did, the newest of all."""
    rows = past_actions(group_id)
    return ([row for row in rows if row.worked] or rows)[:most]


def _past(operation: Operation, done: int) -> PastAction:
    if now := kinds.shown(operation.kind).move_outcomes(operation):
        return PastAction(operation, done, now.failed_again, now.succeeded, now.under_way)
    return PastAction(operation, done)
