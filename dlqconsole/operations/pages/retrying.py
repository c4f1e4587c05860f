"""Retry: run each dead letter's handler here and now, one after the other."""

import time
from functools import partial

from django.db import Error

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.flow.outcomes import note_retry
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.core.handling import Unhandled
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.core.transient_errors import retry_transient, took_too_long
from dlqconsole.engine import breakers, known_handlers
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import ItemStatus
from dlqconsole.operations.pages.statements import (
    begun_by_group,
    paced_values,
    page_limits,
    selection,
    statement,
)
from dlqconsole.operations.pages.work import OperationWork, PageResult, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing.handlers import NO_HANDLER
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.processing.texts import one_line
from dlqconsole.retries.attempts import attempt, row_lease_seconds

PAGE_ROWS = 100
REASON_LIMIT = 500
ATTEMPT_KIND = "operation"
# the most pages in a row that are read although a breaker stops all their dead letters
MOST_STOPPED_PAGES = 50
LONGEST_WAIT, SHORTEST_WAIT = 60.0, 1.0
LEASE_LOST = stored("its lease ran out while the handler ran: the outcome was not recorded")
STOPPED = stored("Waits, and nothing of it counts as failed: {why_sentence}")


class RetryPages:
    """Pages of an operation that runs handlers.

    Dead letters are claimed one at a time, so that a handler that kills this process harms its own dead
    letter only, and a cancelled or stopped operation has nothing to give back.
    """

    page_rows = PAGE_ROWS

    def __init__(self, work: OperationWork) -> None:
        handling.registry()  # a wrong DLQ_HANDLERS stops the operation, it is no event's failure
        self.lease, self.owner, self.is_over = work.lease, work.owner, work.is_over
        self._changed = work.changed
        self._gate = Gate()
        self._stopped_pages = 0
        self._pace = Pace(self.lease.id)
        self._ours = True
        # the dead letters of this page whose outcomes this worker has counted
        self._settled_ids: set[int] = set()
        # event types that other workers have handlers for, and this one has not
        self._of_others: frozenset[str] = frozenset()
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None
        self._values = work.values()

    def next(self, after: int) -> PageResult:
        """Do the next page, or the part of it that the time allows. Raises NotOurs."""
        if not after:
            self.waits, self._stopped_pages = None, 0
        page, letters = retry_transient(lambda: self._open(after))
        if self._stopped_pages >= MOST_STOPPED_PAGES:
            return PageResult(None, page.settled)
        self._settled_ids.clear()
        try:
            return self._handle(page, letters)
        finally:
            self._gate.flush()
            if self._settled_ids:
                retry_transient(self._end)
            self._pace.flush(now=True)

    def _handle(self, page: PageResult, letters: list[tuple[int, int, str]]) -> PageResult:
        settled_count, last = page.settled, page.last
        for letter_id, version, event_type in letters:
            if self.is_over():
                return PageResult(letter_id - 1, settled_count, page.begun_by_group)
            if not self._is_stopped(event_type):
                settled_count += self._retry(letter_id, version)
        return PageResult(last, settled_count, page.begun_by_group)

    def _end(self) -> None:
        execute(core_sql("items.note"), {"id": self.lease.id, "settled": sorted(self._settled_ids)})

    def _is_stopped(self, event_type: str) -> bool:
        """Tell whether a breaker stops its handler: then it waits and does not count as failed."""
        if self._gate.why_not(event_type) is None:
            return False
        self._wait_for(event_type)
        return True

    def _wait_for(self, event_type: str) -> None:
        """Note the reason why the remaining items wait, and for how long."""
        breaker = self._gate.blocked(event_type)
        state = breakers.state_of(breaker.key) if breaker else None
        seconds = LONGEST_WAIT if breaker is None else breaker.next_probe_seconds
        why = breakers.describe(state) if state else stored("It has just closed.")
        self.waits = Waits(
            STOPPED.format(why_sentence=why),
            max(min(LONGEST_WAIT if seconds is None else seconds, LONGEST_WAIT), SHORTEST_WAIT),
        )

    def _open(self, after: int) -> tuple[PageResult, list[tuple[int, int, str]]]:
        """Open a page: return it, and the dead letters to handle: id, version of the payload, event type."""
        own = handling.registry().event_types
        self._of_others = known_handlers.of_workers() - set(own)
        values = self._values | {
            "after": after,
            "limit": min(self.page_rows, self.at_most or self.page_rows),
            "event_types": list(own),
            "of_others": sorted(self._of_others),
            "no_handler": NO_HANDLER,
            "stopped": self._gate.blocked_types(),
        }
        values |= paced_values(self.rooms)
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            rows = fetch_dicts(statement(sql("pages.open_retry"), self._changed, selection(self)), values)
        if not rows:
            raise NotOurs
        row = rows[0]
        if row["stopped"]:
            self._wait_for(row["stopped"][0])
        moves = row["ids"] or row["settled"]
        self._stopped_pages = 0 if moves else self._stopped_pages + bool(row["stopped"])
        letters = list(zip(row["ids"], row["versions"], row["event_types"], strict=True))
        return PageResult(row["last"], row["settled"], begun_by_group(row)), letters

    def _retry(self, letter_id: int, version: int) -> int:
        """Retry one dead letter; return the number of items settled.

        Raises NotOurs after its outcome is recorded.
        """
        claim = self._claim(letter_id, version)
        if claim is None:
            return 0  # another session was faster, or has it locked: the next sweep tells
        start, key = time.monotonic(), PaceKey("", claim.group_id)
        result = attempt(claim, ATTEMPT_KIND, partial(self._settle, letter_id))
        if isinstance(result.outcome, Unhandled):
            return self._leave(letter_id, result.outcome)
        seconds = time.monotonic() - start
        note_retry(self._gate, self._pace, claim.event_type, key, letter_id, result.outcome, seconds)
        self._pace.flush()
        if result.lost:
            retry_transient(lambda: self._settle_item(letter_id, ItemStatus.FAILED, LEASE_LOST))
        if not self._ours:
            raise NotOurs
        return 1

    def _leave(self, letter_id: int, outcome: Unhandled) -> int:
        """Skip a dead letter that was given back unhandled, unless another worker has the handler.

        Raises NotOurs.
        """
        if outcome.event_type in self._of_others:
            return 0
        retry_transient(lambda: self._settle_item(letter_id, ItemStatus.SKIPPED, outcome.reason))
        if not self._ours:
            raise NotOurs
        return 1

    def _claim(self, letter_id: int, version: int) -> Claim | None:
        def claim() -> list[Claim]:
            with transaction.atomic(durable=True):
                page_limits()
                seconds = row_lease_seconds()
                return dead_letters.claim_these([letter_id], self.owner, seconds, self.lease.id, version)

        try:
            claims = retry_transient(claim)
        except Error as error:
            if took_too_long(error):
                return None
            raise
        return claims[0] if claims else None

    def _settle(self, letter_id: int, status: str, outcome: Outcome) -> None:
        """Settle the item in the transaction that records the attempt."""
        if isinstance(outcome, Failed):
            self._settle_item(letter_id, ItemStatus.FAILED, one_line(outcome.reason, REASON_LIMIT))
        else:
            self._settle_item(letter_id, ItemStatus.DONE, "")

    def _settle_item(self, letter_id: int, status: ItemStatus, reason: str) -> None:
        values = self._values | {"ids": [letter_id], "statuses": [str(status)], "reasons": [reason]}
        [row] = fetch_dicts(core_sql("items.settle"), values)
        self._ours = row["ours"]
        if row["counted"]:
            self._settled_ids.add(letter_id)
