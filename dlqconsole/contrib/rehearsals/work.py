"""Rehearse: run each dead letter's handler, and store nothing but its predicted outcome."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Any

from django.conf import settings

from dlqconsole.contrib.rehearsals import running
from dlqconsole.contrib.rehearsals.attempt import NotRehearsed, Writes
from dlqconsole.contrib.rehearsals.predictions import (
    BREAKER,
    WRITE,
    InARow,
    RehearsalPrediction,
    not_rehearsed,
    prediction_of,
)
from dlqconsole.contrib.rehearsals.sql import sql
from dlqconsole.core import handling
from dlqconsole.core.dead_letters.transitions import stored_event
from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.flow.keys import words
from dlqconsole.core.handling import HandlerResult, StoredEvent, Unhandled
from dlqconsole.core.lifecycle.failures import ruled_category
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine import known_handlers
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.statements import page_limits, selection, statement
from dlqconsole.operations.pages.work import OperationWork, PageResult, Rooms, Waits, waits_for_others
from dlqconsole.processing import crash_points
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.isolation import MOST
from dlqconsole.processing.isolation.deaths import MOST_DEATHS
from dlqconsole.processing.outcomes import Failed, Outcome

PAGE_ROWS = 500
# a page ends after so long, however long its handlers take: a worker's end loses at most this
PAGE_SECONDS = 1.0
# rows in memory at once: each may hold a large payload
FETCH_ROWS = 50
DEATHS = "handlers run in the workers themselves (DLQ_HANDLER_ISOLATION), of which {number:,} have stopped"


@dataclass(frozen=True, slots=True)
class RehearsedLetter:
    """A dead letter as its handler gets it; it is not claimed."""

    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Any
    source: str
    source_key: str
    payload_version: int


class RehearsePages:
    """Pages of a rehearsal.

    It counts no attempt, opens no breaker and slows nothing down. Event types that a breaker stops do not
    run. If an event type fails again and again because a dependency does not answer, its rest does not run
    either.
    """

    def __init__(self, work: OperationWork) -> None:
        handling.registry()  # a wrong DLQ_HANDLERS stops the operation, it is no event's failure
        self.lease, self.is_over = work.lease, work.is_over
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None
        # event types whose handlers other workers have: a rehearsal claims nothing, so only these are left
        # over
        self._elsewhere = set[str]()
        self._changed = work.changed
        self._gate = Gate()
        self._handled_elsewhere = known_handlers.of_workers() - set(handling.registry().event_types)
        self._in_a_row = InARow(settings.DLQ_BREAKER_FAILURES)
        # isolated handlers get several at once; without isolation each runs alone, for it may end this
        # process
        self._together = MOST if handling.is_isolated() else 1
        # isolated handlers end only their own processes
        self._deaths = 0 if handling.is_isolated() else _deaths(work.lease.id)
        self._values = work.values()

    def next(self, after: int) -> PageResult:
        """Rehearse the next page, or the part of it that a second allows. Raises NotOurs."""
        page = PageResult(None, 0)
        if not after:
            self._elsewhere.clear()
        try:
            if ids := retry_transient(lambda: self._open(after)):
                number, predictions = self._rehearse(ids)
                page = PageResult(after, 0)
                if number:
                    page = retry_transient(lambda: self._close(after, number, predictions))
        finally:
            # at the end of a slice they stay for the next: starting them takes seconds on a busy machine
            if page.last is None:
                running.end_rehearsals()
                self.waits = (
                    waits_for_others(self._elsewhere) if self._elsewhere and not self.probes else None
                )
        return page

    def _open(self, after: int) -> list[int]:
        values = self._values | {"after": after, "limit": min(PAGE_ROWS, self.at_most or PAGE_ROWS)}
        with transaction.atomic(durable=True):
            page_limits()
            rows = fetch_dicts(statement(sql("work.open"), self._changed, selection(self)), values)
        if not rows:
            raise NotOurs
        return list(rows[0]["ids"])

    def _rehearse(self, ids: list[int]) -> tuple[int, list[dict[str, Any]]]:
        """Rehearse these ids in order; return the number of ids dealt with, and the predictions."""
        until, predictions = time.monotonic() + PAGE_SECONDS, list[dict[str, Any]]()
        for letters in batched(self._letters(ids), self._together):
            if self.is_over() or (predictions and time.monotonic() > until):
                return ids.index(letters[0].id), predictions
            predictions += self._predict(letters)
        return len(ids), predictions

    def _letters(self, ids: list[int]) -> Iterator[RehearsedLetter]:
        for first in range(0, len(ids), FETCH_ROWS):
            values = self._values | {"ids": ids[first : first + FETCH_ROWS]}
            for row in retry_transient(lambda values=values: fetch_dicts(sql("work.rows"), values)):  # type: ignore[misc]
                raw = row["payload_raw"]
                yield RehearsedLetter(
                    **row
                    | {
                        "headers": read_headers(row["headers"]),
                        "payload_raw": None if raw is None else bytes(raw),
                    }
                )

    def _predict(self, letters: Sequence[RehearsedLetter]) -> list[dict[str, Any]]:
        """Return the predictions for these, without those whose handlers another worker has."""
        reasons = {letter.id: self._reason_to_stop(letter.event_type) for letter in letters}
        events = [stored_event(letter) for letter in letters if reasons[letter.id] is None]
        outcomes = iter(self._run(events))
        predictions = []
        for letter in letters:
            why_not = reasons[letter.id]
            outcome = why_not or next(outcomes).outcome
            outcome = why_not or self._left_out(letter.event_type) or outcome
            predictions.append(self._prediction_row(letter, outcome))
        return [each for each in predictions if each is not None]

    def _run(self, letters: list[StoredEvent]) -> list[HandlerResult]:
        return [running.rehearse(letters[0])] if len(letters) == 1 else running.rehearse_all(letters)

    def _prediction_row(self, letter: RehearsedLetter, outcome: Outcome | Unhandled) -> dict[str, Any] | None:
        is_ours = not isinstance(outcome, Unhandled) or isinstance(outcome, NotRehearsed)
        if not is_ours and outcome.event_type in self._handled_elsewhere:  # type: ignore[union-attr]
            self._elsewhere.add(outcome.event_type)  # type: ignore[union-attr]
            return None
        if isinstance(outcome, Failed):
            outcome = replace(outcome, ruled_category=ruled_category(letter.event_type, outcome))
        if not isinstance(outcome, Unhandled):
            self._in_a_row.note(letter.event_type, outcome)
        return {"id": letter.id, "version": letter.payload_version, **_columns(prediction(outcome))}

    def _reason_to_stop(self, event_type: str) -> NotRehearsed | None:
        """The reason why its handler must not run now, or None."""
        if (breaker := self._gate.blocked(event_type)) is not None:
            return NotRehearsed(event_type, BREAKER.format(key_sentence=words(breaker.key)))
        if self._deaths >= MOST_DEATHS:
            return NotRehearsed(event_type, DEATHS.format(number=self._deaths))
        return self._left_out(event_type)

    def _left_out(self, event_type: str) -> NotRehearsed | None:
        why = self._in_a_row.why_not(event_type)
        return NotRehearsed(event_type, why) if why else None

    def _close(self, after: int, read_count: int, predictions: list[dict[str, Any]]) -> PageResult:
        values = self._values | {"after": after, "limit": read_count, "told": json.dumps(predictions)}
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            rows = fetch_dicts(statement(sql("work.close"), self._changed, selection(self)), values)
            crash_points.reach("operation.paging")
        if not rows:
            raise NotOurs
        return PageResult(rows[0]["last"], rows[0]["settled"])


def _deaths(operation_id: int) -> int:
    """Count the workers that have stopped while they had the operation."""
    return Operation.objects.values_list("adoptions", flat=True).get(pk=operation_id)


def prediction(outcome: Outcome | Unhandled) -> RehearsalPrediction:
    """The prediction for an outcome."""
    if isinstance(outcome, Writes):
        return RehearsalPrediction(WRITE, outcome.reason)
    return not_rehearsed(outcome.reason) if isinstance(outcome, Unhandled) else prediction_of(outcome)


def _columns(row: RehearsalPrediction) -> dict[str, Any]:
    return {
        "status": row.status,
        "would": row.would,
        "reason": row.reason,
        "error_class": row.error_class,
        "category": row.category,
    }
