"""Write a batch of events to both tables in one transaction, each event exactly once.

An event is known by (source, source_key). What is known already, in either table, is left alone: to
ingest a file once more changes nothing. Bytes that no version of a dead letter holds are another
event, though they come under its source and id, and name that dead letter.
A batch is written by plain COPY. When somebody else writes the same event at the same time,
the database says so (a unique key, or the look across both tables just before the commit), and
the batch is done again, looking first.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import orjson
import psycopg
from psycopg import errors

from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.outcomes import Failed, Succeeded

from .breakers import Gate, not_tried
from .database import connect, first_line, in_words
from .errors import PipelineProblem, RunIsOver
from .hands import Attempt
from .sql import sql
from .transform import Item, dead_letter_row, enriched_row, handle, poison
from .work import Work

RETRY_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)

# somebody else wrote the same event, or stood in the way: look again
_RACES = (errors.UniqueViolation, errors.DeadlockDetected, errors.SerializationFailure)
# one row is at fault, not the database: too large, not storable, against a rule
_OF_A_ROW = (
    psycopg.DataError,
    psycopg.IntegrityError,
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    UnicodeEncodeError,
)

type Tally = Counter[tuple[str, str]]


class _Crossed(Exception):
    """An event of this batch has just come into the other table."""


class Sink:
    """Stores batches on one connection. ``attempt`` runs the handler of events that nobody knows yet.

    ``again``: a worker of this run has died over what comes, and may have stored and counted part of it.
    """

    def __init__(self, work: Work, attempt: Attempt, *, trusting: bool = False, again: bool = False) -> None:
        self._work = work
        self._attempt = attempt
        self._again = again
        self._connection = self._connect()
        # the last batch held nothing known: the next is written without looking first
        self.trusting = trusting
        self._gate = Gate(lambda: self._connection, load_handlers(work.handlers), work.breaker)

    def close(self) -> None:
        self._connection.close()

    def store(self, items: Sequence[Item], blank: int = 0) -> Tally:
        """Commit a batch and its counts; how many events of each type ended how."""
        first, others = _first_of_each(items)
        tally = self._store(first, blank)
        return tally + self.store(others) if others else tally

    def _store(self, items: Sequence[Item], blank: int) -> Tally:
        for pause in (*RETRY_PAUSES, None):
            try:
                return self._store_once(items, blank)
            except (*_RACES, _Crossed) as error:
                problem: Exception = error
            except _OF_A_ROW as error:
                return self._bisect(items, blank, error)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                problem = error
                self._reconnect(error)
            except psycopg.Error as error:
                raise PipelineProblem(in_words(error)) from error
            self.trusting = False
            if pause is not None:
                time.sleep(pause)
        raise PipelineProblem(_last_word(problem)) from problem

    def _store_once(self, items: Sequence[Item], blank: int) -> Tally:
        once = _once(items)
        new = once if self.trusting else self._unknown(once)
        stored = self._stored_before(items) if self._again else {}
        for item in new:
            if item.outcome is None and item.event is not None:
                self._handle(item)
        self._gate.flush()
        with self._connection.transaction():
            self._write(new)
            self._count(new, len(items) - len(stored), 0 if stored else blank)
        self.trusting = len(new) == len(items)
        return _tally(items, new, stored)

    def _handle(self, item: Item) -> None:
        """Run the item's handler, unless a breaker is open: then the schedule tries it when that is over."""
        blocked = self._gate.blocked(item.event_type, first=True)
        if blocked is not None and not self._gate.may_probe(item.event_type):
            item.outcome = not_tried(blocked)
            return
        handle(item, self._attempt)
        if item.outcome is not None:
            self._gate.note(item.event_type, item.outcome, first=True)

    def _write(self, items: Sequence[Item]) -> None:
        enriched = [(item, item.outcome) for item in items if isinstance(item.outcome, Succeeded)]
        dead = [(item, item.outcome) for item in items if isinstance(item.outcome, Failed)]
        with self._connection.cursor() as cursor:
            if enriched:
                with cursor.copy(sql("sink.copy_enriched")) as copy:
                    for item, success in enriched:
                        copy.write_row(enriched_row(item, success))
            if dead:
                now = _now(cursor)
                with cursor.copy(sql("sink.copy_dead_letters")) as copy:
                    for item, failure in dead:
                        copy.write_row(dead_letter_row(item, failure, now, self._work.backoff_base))
            if items:
                self._check_across(cursor, [item for item, _ in enriched], [item for item, _ in dead])

    def _check_across(self, cursor: psycopg.Cursor, enriched: list[Item], dead: list[Item]) -> None:
        cursor.execute(sql("sink.commit_gate"))
        values = {
            "enriched_sources": [item.source for item in enriched],
            "enriched_keys": [item.key for item in enriched],
            "dead_sources": [item.source for item in dead],
            "dead_keys": [item.key for item in dead],
        }
        row = cursor.execute(sql("sink.crossed"), values).fetchone()
        if row and row[0]:
            raise _Crossed("another process wrote one of these events to the other table")

    def _count(self, new: Sequence[Item], read: int, blank: int) -> None:
        enriched = sum(isinstance(item.outcome, Succeeded) for item in new)
        counts = {
            "read": read,
            "enriched": enriched,
            "dead_lettered": len(new) - enriched,
            "unchanged": read - len(new),
            "blank": blank,
        }
        values = {
            "id": self._work.run_id,
            "done": read,
            "blank": blank,
            "counts": orjson.dumps(counts).decode(),
        }
        if self._connection.execute(sql("runs.add"), values).fetchone() is None:
            raise RunIsOver("this run was marked as ended while a worker still wrote: its batch is undone")

    def _unknown(self, items: list[Item]) -> list[Item]:
        """The items that neither table knows. Other bytes than a dead letter's are another event."""
        known = self._known(items)
        moved = self._with_other_bytes([items[index] for index, is_dead in known.items() if is_dead])
        unknown = [item for index, item in enumerate(items) if index not in known]
        if not moved:
            return unknown
        known_again = self._known(moved)
        return unknown + [item for index, item in enumerate(moved) if index not in known_again]

    def _stored_before(self, items: Sequence[Item]) -> dict[int, str]:
        """What a worker of this run had stored before it died, by its place in the list, and how it ended."""
        values = {
            "id": self._work.run_id,
            "sources": [item.source for item in items],
            "keys": [item.key for item in items],
        }
        return dict(self._connection.execute(sql("sink.stored_before"), values).fetchall())

    def _known(self, items: Sequence[Item]) -> dict[int, bool]:
        """Which are known, by index, and whether as dead letters."""
        values = {"sources": [item.source for item in items], "keys": [item.key for item in items]}
        return {index: bool(dead) for index, dead in self._connection.execute(sql("sink.known"), values)}

    def _with_other_bytes(self, items: list[Item]) -> list[Item]:
        """Those that are another event than the dead letter they are known as; under keys of their own."""
        if not items:
            return []
        values = {
            "sources": [item.source for item in items],
            "keys": [item.key for item in items],
            "payloads": [item.payload for item in items],
            "raws": [item.raw for item in items],
            "digests": [item.digest for item in items],
        }
        moved = []
        for index, key, same_id_as in self._connection.execute(sql("sink.other_bytes"), values):
            items[index].key, items[index].same_id_as = key, same_id_as
            moved.append(items[index])
        return moved

    def _bisect(self, items: Sequence[Item], blank: int, error: Exception) -> Tally:
        """Find the row that the database refuses, and let it harm only itself."""
        if len(items) > 1:
            half = len(items) // 2
            return self._store(items[:half], blank) + self._store(items[half:], 0)
        if not items or (items[0].payload is None and items[0].raw is items[0].line.content):
            sentence = f"the database refuses even the dead letter: {first_line(error)}"
            raise PipelineProblem(sentence) from error
        poison(items[0], error)
        return self._store(items, blank)

    def _connect(self) -> psycopg.Connection:
        connection = connect(self._work.database_url, f"ingest {self._work.run_id}")
        # the planner must not prefer reading a whole table to a few thousand index probes
        connection.execute("SET enable_seqscan = off")
        return connection

    def _reconnect(self, error: Exception) -> None:
        if not self._connection.closed:
            raise PipelineProblem(_last_word(error)) from error
        try:
            self._connection = self._connect()
        except PipelineProblem:
            return  # still away: the next attempt says so


def _first_of_each(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """What brings the bytes of its event's first line; the rest may be other events, and comes after it."""
    contents: dict[tuple[str, str], bytes] = {}
    first: list[Item] = []
    others: list[Item] = []
    for item in items:
        same = contents.setdefault((item.source, item.key), item.line.content) == item.line.content
        (first if same else others).append(item)
    return first, others


def _once(items: Sequence[Item]) -> list[Item]:
    """An event that stands twice in the batch is one event."""
    return list({(item.source, item.key): item for item in reversed(items)}.values())[::-1]


def _tally(items: Sequence[Item], new: Sequence[Item], stored: Mapping[int, str]) -> Tally:
    tally: Tally = Counter((item.event_type, _ending(item)) for item in new)
    fresh = set(map(id, new))
    tally.update(
        (item.event_type, stored.get(place, "unchanged"))
        for place, item in enumerate(items)
        if id(item) not in fresh
    )
    return tally


def _ending(item: Item) -> str:
    return item.outcome.error_class if isinstance(item.outcome, Failed) else "enriched"


def _now(cursor: psycopg.Cursor) -> datetime:
    row = cursor.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None  # noqa: S101
    return row[0]  # type: ignore[no-any-return]


def _last_word(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return in_words(error)
    return f"other processes keep writing the same events: {error}"
