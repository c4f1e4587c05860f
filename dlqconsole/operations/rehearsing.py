"""Rehearse: each dead letter's handler runs, nothing of it is kept but what it would do."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Any

from django.conf import settings
from django.db import transaction

from dlqconsole.engine import handling, known_handlers
from dlqconsole.engine.breakers import Gate
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.dead_letters.transitions import stored_event
from dlqconsole.engine.groups.classification import ruled_category
from dlqconsole.engine.handling import HandlerResult, NotRehearsed, StoredEvent, Unhandled, Writes
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import selection, statement
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Page, Rooms, Waits, Work, left_to_others
from dlqconsole.processing import crash_points
from dlqconsole.processing.breakers.keys import words
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.isolation import bulk
from dlqconsole.processing.isolation.deaths import MOST_DEATHS
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.processing.rehearsals import (
    BREAKER,
    WRITE,
    InARow,
    RehearsalPrediction,
    not_rehearsed,
    prediction_of,
)

PAGE_ROWS = 500
# a page ends after so long, whatever its handlers take: so much is lost with a worker
PAGE_SECONDS = 1.0
# rows in memory at once: each may hold a large payload
FETCH_ROWS = 50
DEATHS = "handlers run in the workers themselves (DLQ_HANDLER_ISOLATION), of which {number:,} have stopped"


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter as its handler meets it; nobody holds it."""

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

    It counts no attempt, opens no breaker and slows nothing down. What a breaker stops is not run, and of an
    event type that fails again and again, because something does not answer, the rest is not run either.
    """

    def __init__(self, work: Work) -> None:
        handling.registry()  # a wrong DLQ_HANDLERS stops the operation, it is no event's failure
        self.held, self.is_over = work.held, work.is_over
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False
        self.rooms: Rooms | None = None
        # nobody holds a dead letter for a rehearsal: what a sweep leaves has its handler elsewhere
        self._left = set[str]()
        self._changed = work.changed
        self._gate = Gate()
        self._of_others = known_handlers.of_workers() - set(handling.registry().event_types)
        self._in_a_row = InARow(settings.DLQ_BREAKER_FAILURES)
        # to a process of their own several go together; here each by itself, for it may end this one
        self._together = bulk.MOST if handling.is_isolated() else 1
        # in processes of their own handlers end these
        self._deaths = 0 if handling.is_isolated() else _deaths(work.held.id)
        self._values = work.values()

    def next(self, after: int) -> Page:
        """Rehearse the next page, or the part of it that a second allows. Raises NotOurs."""
        page = Page(None, 0)
        if not after:
            self._left.clear()
        try:
            if ids := retry_transient(lambda: self._open(after)):
                seen, told = self._rehearse(ids)
                page = retry_transient(lambda: self._close(after, seen, told)) if seen else Page(after, 0)
        finally:
            # a slice that ends leaves them to the next one: starting them takes seconds on a busy machine
            if page.last is None:
                handling.end_rehearsals()
                self.waits = left_to_others(self._left) if self._left and not self.probes else None
        return page

    def _open(self, after: int) -> list[int]:
        values = self._values | {"after": after, "limit": min(PAGE_ROWS, self.at_most or PAGE_ROWS)}
        with transaction.atomic(durable=True):
            page_limits()
            rows = fetch_dicts(statement(sql("rehearsing.open"), self._changed, selection(self)), values)
        if not rows:
            raise NotOurs
        return list(rows[0]["ids"])

    def _rehearse(self, ids: list[int]) -> tuple[int, list[dict[str, Any]]]:
        """How many of the ids are accounted for, in order; and what is told of those that were read."""
        until, told = time.monotonic() + PAGE_SECONDS, list[dict[str, Any]]()
        for letters in batched(self._letters(ids), self._together):
            if self.is_over() or (told and time.monotonic() > until):
                return ids.index(letters[0].id), told
            told += self._look_at(letters)
        return len(ids), told

    def _letters(self, ids: list[int]) -> Iterator[Letter]:
        for first in range(0, len(ids), FETCH_ROWS):
            values = self._values | {"ids": ids[first : first + FETCH_ROWS]}
            for row in retry_transient(lambda values=values: fetch_dicts(sql("rehearsing.rows"), values)):  # type: ignore[misc]
                raw = row["payload_raw"]
                yield Letter(
                    **row
                    | {
                        "headers": read_headers(row["headers"]),
                        "payload_raw": None if raw is None else bytes(raw),
                    }
                )

    def _look_at(self, letters: Sequence[Letter]) -> list[dict[str, Any]]:
        """What is told of these; nothing of one of which another worker has the handler."""
        stopped = {letter.id: self._stopped(letter.event_type) for letter in letters}
        running = [stored_event(letter) for letter in letters if stopped[letter.id] is None]
        found = iter(self._run(running))
        told = []
        for letter in letters:
            why_not = stopped[letter.id]
            outcome = why_not or next(found).outcome
            told.append(self._tell(letter, why_not or self._left_out(letter.event_type) or outcome))
        return [each for each in told if each is not None]

    def _run(self, letters: list[StoredEvent]) -> list[HandlerResult]:
        return [handling.rehearse(letters[0])] if len(letters) == 1 else handling.rehearse_all(letters)

    def _tell(self, letter: Letter, outcome: Outcome | Unhandled) -> dict[str, Any] | None:
        is_ours = not isinstance(outcome, Unhandled) or isinstance(outcome, NotRehearsed)
        if not is_ours and outcome.event_type in self._of_others:  # type: ignore[union-attr]
            self._left.add(outcome.event_type)  # type: ignore[union-attr]
            return None
        if isinstance(outcome, Failed):
            outcome = replace(outcome, ruled_category=ruled_category(letter.event_type, outcome))
        if not isinstance(outcome, Unhandled):
            self._in_a_row.note(letter.event_type, outcome)
        return {"id": letter.id, "version": letter.payload_version, **_told(prediction(outcome))}

    def _stopped(self, event_type: str) -> NotRehearsed | None:
        """Why its handler must not run just now, if so."""
        if (blocked := self._gate.blocked(event_type)) is not None:
            return NotRehearsed(event_type, BREAKER.format(words=words(blocked.key)))
        if self._deaths >= MOST_DEATHS:
            return NotRehearsed(event_type, DEATHS.format(number=self._deaths))
        return self._left_out(event_type)

    def _left_out(self, event_type: str) -> NotRehearsed | None:
        why = self._in_a_row.why_not(event_type)
        return NotRehearsed(event_type, why) if why else None

    def _close(self, after: int, seen: int, told: list[dict[str, Any]]) -> Page:
        values = self._values | {"after": after, "limit": seen, "told": json.dumps(told)}
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            rows = fetch_dicts(statement(sql("rehearsing.close"), self._changed, selection(self)), values)
            crash_points.reach("operation.paging")
        if not rows:
            raise NotOurs
        return Page(rows[0]["last"], rows[0]["settled"])


def _deaths(operation_id: int) -> int:
    """How many workers have stopped while they had the operation."""
    return Operation.objects.values_list("adoptions", flat=True).get(pk=operation_id)


def prediction(outcome: Outcome | Unhandled) -> RehearsalPrediction:
    """An outcome as it is kept."""
    if isinstance(outcome, Writes):
        return RehearsalPrediction(WRITE, outcome.reason)
    return not_rehearsed(outcome.reason) if isinstance(outcome, Unhandled) else prediction_of(outcome)


def _told(found: RehearsalPrediction) -> dict[str, Any]:
    return {
        "status": found.status,
        "would": found.would,
        "reason": found.reason,
        "error_class": found.error_class,
        "category": found.category,
    }
