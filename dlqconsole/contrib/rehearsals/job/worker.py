"""The work of a Spark worker on one range of a rehearsal: read, run handlers apart, keep, in bulk.

Nobody holds a dead letter for it. A worker that dies costs what it had not kept: Spark has its range looked
at again, and what was kept is no longer among it.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import batched
from typing import Any

import orjson
import psycopg
from psycopg.rows import dict_row

from dlqconsole.contrib.rehearsals.job.rehearser import Rehearser, only_reading
from dlqconsole.contrib.rehearsals.predictions import (
    BREAKER,
    NOT_REHEARSED,
    RehearsalPrediction,
    not_rehearsed,
)
from dlqconsole.contrib.rehearsals.sql import sql
from dlqconsole.core.dead_letters.transitions import stored_event
from dlqconsole.core.flow.breakers import Blocked, Gate
from dlqconsole.core.flow.keys import words
from dlqconsole.core.handling.events import read_event
from dlqconsole.core.host import use
from dlqconsole.pipeline.database import connect, in_words
from dlqconsole.pipeline.errors import PipelineProblem, RunIsOver
from dlqconsole.pipeline.running.items import ItemRange, settle
from dlqconsole.pipeline.sink.work import RunWork, make_ready
from dlqconsole.pipeline.sql import sql as shared
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.isolation import MOST
from dlqconsole.processing.outcomes import Failed


@dataclass(slots=True)
class LetterToRehearse:
    """A dead letter that nobody holds. ``version``: of its payload."""

    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    source_key: str
    version: int


# rows in memory at once: each may hold a large payload
FETCH_ROWS = 200
# predictions that are kept at once, and the longest wait of one
KEEP_ROWS, KEEP_SECONDS = 1_000, 1.0

type LetterPrediction = tuple[LetterToRehearse, RehearsalPrediction]


@dataclass(frozen=True, slots=True)
class RehearsalTask:
    """The task of a worker: the run it works for, and the operation."""

    work: RunWork
    operation: int


def rehearse_range(rehearsal: RehearsalTask, part: ItemRange) -> int:
    """Rehearse the items of a range that remain; return how many predictions are kept now."""
    make_ready(rehearsal.work)
    name = f"rehearse {rehearsal.work.run_id}"
    try:
        with closing(connect(rehearsal.work.database_url, name)) as connection:
            # the planner must not prefer reading a whole table to some index probes
            connection.execute("SET enable_seqscan = off")
            with use(connection), only_reading(rehearsal.work) as attempt:
                worker = _Worker(rehearsal, connection)
                return worker.work(part, Rehearser(rehearsal.work, attempt, worker.apply_rules))
    except psycopg.Error as error:
        raise PipelineProblem(in_words(error)) from error


class _Worker:
    def __init__(self, rehearsal: RehearsalTask, connection: psycopg.Connection[Any]) -> None:
        self._rehearsal, self._connection = rehearsal, connection
        self._kept_count = 0
        self._has_rules = bool(self._first(_query("rules")))

    def work(self, part: ItemRange, rehearser: Rehearser) -> int:
        """All of the range once, in the order of the ids."""
        work = self._rehearsal.work
        gate = Gate(rehearser.registry, work.breaker)
        results, until = list[LetterPrediction](), time.monotonic() + KEEP_SECONDS
        for letters in batched(self._letters(part), MOST):
            results += self._predict(letters, rehearser, gate)
            if len(results) >= KEEP_ROWS or time.monotonic() > until:
                if not self._keep(results):
                    return self._kept_count
                results, until = [], time.monotonic() + KEEP_SECONDS
        if self._keep(results):
            self._leave(part)
        return self._kept_count

    def apply_rules(self, event_type: str, failure: Failed) -> Failed:
        """Return the failure with the category that the rules of the database give it."""
        if not self._has_rules:
            return failure
        values = {"event_type": event_type, "category": failure.category}
        values |= {"reason": failure.reason, "stacktrace": failure.stacktrace}
        return replace(failure, ruled_category=str(self._first(_query("ruled"), values)))

    def _letters(self, part: ItemRange) -> Iterator[LetterToRehearse]:
        after = part.first - 1
        while True:
            values = {"operation": self._rehearsal.operation, "after": after, "last": part.last}
            with self._connection.cursor(row_factory=dict_row) as cursor:
                rows = cursor.execute(_query("next"), values | {"limit": FETCH_ROWS}).fetchall()
            yield from map(letter_of, rows)
            if len(rows) < FETCH_ROWS:
                return
            after = rows[-1]["id"]

    def _predict(
        self, letters: Sequence[LetterToRehearse], rehearser: Rehearser, gate: Gate
    ) -> list[LetterPrediction]:
        """Predict these, but for those whose handler nobody has here."""
        blocks = {letter.id: gate.blocked(letter.event_type) for letter in letters}
        by_breaker = [(letter, _blocked_prediction(why)) for letter in letters if (why := blocks[letter.id])]
        others = [letter for letter in letters if not blocks[letter.id]]
        events = [(letter, event) for letter in others if (event := self._event(letter, rehearser.registry))]
        predictions = rehearser.predict([(letter.event_type, event) for letter, event in events])
        return [*by_breaker, *((letter, each) for (letter, _), each in zip(events, predictions, strict=True))]

    def _event(self, letter: LetterToRehearse, registry: Registry) -> Event | Failed | None:
        try:
            event, _digest = read_event(stored_event(letter), self._rehearsal.work.limits)
        except (MalformedEvent, PayloadTooLarge) as error:
            return Failed.from_error(error)
        return event if event.type in registry else None

    def _keep(self, results: Sequence[LetterPrediction]) -> bool:
        """Keep predictions, settle their items and count, in one transaction; tell whether to go on.

        Raises RunIsOver when this run is over: then nothing is kept.
        """
        values = {"operation": self._rehearsal.operation, **_columns(results)}
        with self._connection.transaction():
            [row] = self._connection.execute(_query("keep"), values).fetchall()
            is_wanted, ids = bool(row[0]), set(row[1])
            ours = [(letter, prediction) for letter, prediction in results if letter.id in ids]
            if ours:
                items = [(letter.id, prediction.status, prediction.reason) for letter, prediction in ours]
                settle(self._connection, self._rehearsal.operation, items)
            self._count(ours)
        self._kept_count += len(ours)
        return is_wanted

    def _count(self, results: Sequence[LetterPrediction], rest: int = 0) -> None:
        counts: dict[str, int] = {}
        for _letter, prediction in results:
            counts[_COUNTED[prediction.status]] = counts.get(_COUNTED[prediction.status], 0) + 1
        counts |= {"left_to_the_console": rest} if rest else {}
        values = {"id": self._rehearsal.work.run_id, "done": len(results) + rest, "blank": 0}
        if self._first(shared("runs.add"), values | {"counts": orjson.dumps(counts).decode()}) is None:
            raise RunIsOver("this run was marked as ended while a worker still worked: nothing of it is kept")

    def _leave(self, part: ItemRange) -> None:
        """Count what remains of the range: why it does is for its operation to say."""
        values = {"operation": self._rehearsal.operation, "first": part.first, "last": part.last}
        if number := self._first(_query("left"), values):
            self._count([], number)

    def _first(self, query: bytes, values: Mapping[str, Any] | None = None) -> Any:
        row = self._connection.execute(query, values).fetchone()
        return None if row is None else row[0]


def _query(name: str) -> bytes:
    return sql(f"ranges.{name}").encode()


def _blocked_prediction(block: Blocked) -> RehearsalPrediction:
    return not_rehearsed(NOT_REHEARSED.format(why_sentence=BREAKER.format(key_sentence=words(block.key))))


_COUNTED = {"done": "would_succeed", "failed": "would_fail", "skipped": "not_rehearsed"}


def _columns(results: Sequence[LetterPrediction]) -> dict[str, Any]:
    return {
        "ids": [letter.id for letter, _ in results],
        "versions": [letter.version for letter, _ in results],
        "woulds": [prediction.would for _, prediction in results],
        "error_classes": [prediction.error_class for _, prediction in results],
        "categories": [prediction.category for _, prediction in results],
        "reasons": [prediction.reason for _, prediction in results],
    }


def letter_of(row: Mapping[str, Any]) -> LetterToRehearse:
    """Return the dead letter of a row of ``ranges.next``."""
    raw = row["payload_raw"]
    return LetterToRehearse(
        row["id"],
        row["event_type"],
        row["payload"],
        None if raw is None else bytes(raw),
        read_headers(row["headers"]),
        row["source"],
        row["source_key"],
        row["payload_version"],
    )
