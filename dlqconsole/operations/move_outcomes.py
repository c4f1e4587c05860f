"""The outcomes of the items that an operation moved: stayed away, came back, or under way."""

from dataclasses import dataclass

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.counts import rollups
from dlqconsole.operations import handed_over
from dlqconsole.operations.models import Operation
from dlqconsole.operations.sql import sql


@dataclass(frozen=True, slots=True)
class MoveOutcomes:
    """The outcomes of the items that are done; the four numbers add up to them."""

    came_back: int
    stayed_away: int
    under_way: int = 0
    pulled_back: int = 0

    @property
    def decided(self) -> int:
        return self.stayed_away + self.came_back

    @property
    def moved(self) -> int:
        return self.decided + self.under_way


def of_revived_items(operation_id: int) -> MoveOutcomes:
    """The outcomes of revived dead letters by now, looked up one by one."""
    row = fetch_dicts(sql("canary.became"), {"id": operation_id})[0]
    return MoveOutcomes(row["came_back"], row["stayed"], row["under_way"])


def of_revival(operation: Operation) -> MoveOutcomes:
    """The same, from the counts of the triggers."""
    stayed_away, came_back = rollups.revival_outcome(operation.pk)
    pulled_back = handed_over.count_pulled_back(operation.pk)
    under_way = max(operation.done - stayed_away - came_back - pulled_back, 0)
    return MoveOutcomes(came_back, stayed_away, under_way, pulled_back)
