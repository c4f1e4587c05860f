"""Write a batch of events to both tables in one transaction, each event exactly once.

An event is known by (source, source_key). What is known already, in either table, is left alone: to
ingest a file once more changes nothing. Bytes that no version of a dead letter holds are another
event, though they come under its source and id, and name that dead letter.
A batch is written by plain COPY. When somebody else writes the same event at the same time,
the database says so (a unique key, or the look across both tables just before the commit), and
the batch is done again, looking first.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

import psycopg
from psycopg import errors

from dlqconsole.core import successes
from dlqconsole.core.flow.breakers import Gate, blocked_outcome
from dlqconsole.core.handling.events import Identity
from dlqconsole.core.host import use
from dlqconsole.core.successes import Keeper, Success
from dlqconsole.pipeline.database import connect, first_line, in_words
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.outcomes import Outcome, Succeeded

from . import batches
from .batches import Tally
from .executors import Attempt
from .items import Item, handle, poison
from .work import RunWork
from .writing import OtherTableWrite, count, write

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


class Sink:
    """Stores batches on one connection. ``attempt`` runs the handler of events that nobody knows yet.

    ``again``: a worker of this run has died over what comes, and may have stored and counted part of it.
    """

    def __init__(
        self, work: RunWork, attempt: Attempt, *, trusting: bool = False, again: bool = False
    ) -> None:
        self._work = work
        self._attempt = attempt
        self._again = again
        self._connection = self._connect()
        # the last batch held nothing known: the next is written without looking first
        self.trusting = trusting
        self._gate = Gate(load_handlers(work.handlers), work.breaker)

    def close(self) -> None:
        self._connection.close()

    def end(self, then: Callable[[psycopg.Connection], None] | None) -> None:
        """All is stored. What is told of it now may get lost with the connection, and costs time only."""
        if then is not None and not self._connection.closed:
            with suppress(psycopg.OperationalError, psycopg.InterfaceError):
                then(self._connection)

    def store(self, items: Sequence[Item], blank: int = 0) -> Tally:
        """Commit a batch and its counts; return how many events of each type ended how."""
        first, others = batches.first_of_each(items)
        tally = self._store(first, blank)
        return tally + self.store(others) if others else tally

    def _store(self, items: Sequence[Item], blank: int) -> Tally:
        for pause in (*RETRY_PAUSES, None):
            try:
                with use(self._connection):
                    return self._store_once(items, blank)
            except (*_RACES, OtherTableWrite) as error:
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
        once = batches.once(items)
        new = once if self.trusting else batches.new_items(self._connection, once)
        endings = batches.stored_before(self._connection, self._work.run_id, items) if self._again else {}
        for item in new:
            if item.outcome is None and item.event is not None:
                self._handle(item)
        self._gate.flush()
        with self._connection.transaction():
            write(self._connection, new, self._work.backoff_base)
            keep(self._work.success_keepers, new)
            read = len(items) - len(endings)
            count(self._connection, self._work.run_id, new, read, 0 if endings else blank)
        self.trusting = len(new) == len(items)
        return batches.tally(items, new, endings)

    def _handle(self, item: Item) -> None:
        """Run the item's handler, unless a breaker is open: then the schedule tries it when that is over."""
        if block := self._gate.why_not(item.event_type, first=True):
            item.outcome = blocked_outcome(block)
            return
        handle(item, self._attempt)
        if item.outcome is not None:
            self._gate.note(item.event_type, item.outcome, first=True)

    def _bisect(self, items: Sequence[Item], blank: int, error: Exception) -> Tally:
        """Find the row that the database refuses, and let it harm only itself."""
        if len(items) > 1:
            half = len(items) // 2
            return self._store(items[:half], blank) + self._store(items[half:], 0)
        if not items or (items[0].payload is None and items[0].raw is items[0].line.value):
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


def _last_word(error: Exception) -> str:
    if isinstance(error, psycopg.Error):
        return in_words(error)
    return f"other processes keep writing the same events: {error}"


class HandledEvent(Protocol):
    """An event whose handler ran: from an origin, or a dead letter."""

    @property
    def event_type(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def payload(self) -> str | None: ...
    @property
    def raw(self) -> bytes | None: ...
    @property
    def outcome(self) -> Outcome | None: ...


def keep(keepers: Sequence[Keeper], items: Iterable[HandledEvent]) -> None:
    """Run the keepers' statements for the successes among these, on the connection that is lent."""
    if keepers:
        some = [
            Success(Identity(item.event_type, item.source, item.key), item.payload, item.raw, False)
            for item in items
            if isinstance(item.outcome, Succeeded)
        ]
        successes.keep(some, keepers)
