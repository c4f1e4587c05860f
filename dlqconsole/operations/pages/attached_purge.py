"""Pages of the purge of an attached queue: its own system removes the messages, page by page."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from dlqconsole.core.errors import EngineError
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.items import MESSAGES
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.pages.statements import paced_values, page_limits, statement
from dlqconsole.operations.pages.work import OperationWork, PageResult, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.transports import foreign_rows
from dlqconsole.transports.message_actions import browser_of

PAGE = 500
AWAY_SECONDS = 30.0
IS_BACK = stored("its dead letter is back where it was")
PURGED = stored("its message was purged from {queue} by {actor}")


class AttachedPurgePages:
    """Removes and records a page at a time. The record is committed no later than the removal.

    If this process dies in between, the record says that messages went which still stand there: they can be
    purged again. None goes without a word.
    """

    def __init__(self, work: OperationWork, queue: str) -> None:
        self.lease, self._queue = work.lease, queue
        self._changed = work.changed
        self._values = work.values()
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None

    def next(self, after: int) -> PageResult:
        """Do the next page. While the other system is away, the operation waits. Raises NotOurs."""
        self.waits = None
        size = min(PAGE, settings.DLQ_OPERATION_PAGE)
        limit = size if self.at_most is None else min(size, self.at_most)
        values: dict[str, Any] = {"id": self.lease.id, "after": after, "limit": limit}
        numbers = retry_transient(lambda: fetch_column(sql("purging_queue.remaining"), values))
        if not numbers:
            return PageResult(None, 0)
        settled = 0

        def keep(removed: Sequence[int], left: Mapping[int, str]) -> None:
            nonlocal settled
            settled = self._tell(values, removed, left)

        try:
            browser, there = browser_of(self._queue)
            retry_transient(lambda: browser.remove(there, numbers, keep))
        except NotOurs:
            raise
        except EngineError as problem:
            self.waits = Waits(str(problem), AWAY_SECONDS)
            return PageResult(None, 0)
        return PageResult(numbers[-1], settled)

    def _tell(self, values: dict[str, Any], removed: Sequence[int], left: Mapping[int, str]) -> int:
        """Record the outcomes, within the transaction that removes the messages. Return their number."""
        actor = Operation.objects.values_list("actor", flat=True).get(pk=self.lease.id)
        with transaction.atomic():
            page_limits()
            why = PURGED.format(queue=self._queue, actor=actor)
            letters = foreign_rows.take_back(self._queue, removed, why)
            outcomes = {
                "ids": [*removed, *left],
                "statuses": [str(ItemStatus.DONE)] * len(removed) + [str(ItemStatus.SKIPPED)] * len(left),
                "reasons": [_what_became(number in letters) for number in removed] + [*left.values()],
                "letters": [letters.get(number) for number in (*removed, *left)],
            }
            query = statement(sql("purging_queue.told"), self._changed, items=MESSAGES)
            rows = fetch_dicts(query, self._values | values | outcomes | paced_values(None))
            if not rows:
                raise NotOurs
        return int(rows[0]["settled"])


def _what_became(is_returned: bool) -> str:
    return IS_BACK if is_returned else ""
