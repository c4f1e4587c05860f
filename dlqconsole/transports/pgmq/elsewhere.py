"""PGMQ in another database than the console's. The two do not commit together, so ours commits first."""

import contextvars
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import psycopg

from dlqconsole.core.handling import Identity
from dlqconsole.core.host import use
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import sentence
from dlqconsole.engine.queues.purging import StateCount
from dlqconsole.engine.queues.waiting_messages import MessagePage
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.browser import Keep
from dlqconsole.transports.dead_letters import keep_marked
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.pgmq.browser import PgmqBrowser
from dlqconsole.transports.pgmq.messages import as_message, put_away
from dlqconsole.transports.pgmq.source import PgmqSource, hold
from dlqconsole.transports.pgmq.tables import open_queue
from dlqconsole.transports.source import Delivery, QueueMetrics, dead_letter_of, lease_lost

CONNECT_SECONDS = 10
SESSION = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"
# the same for each copy of one revival, as on Kafka's topics
MARK = "dlq_revive_id"


class Elsewhere:
    """One connection a thread to the other database, opened when needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._local = threading.local()

    @contextmanager
    def there(self) -> Iterator[Callable[..., Any]]:
        """Run the block's statements over there. Yield what runs a function on our own database again.

        Raises TransportUnavailable.
        """
        here = contextvars.copy_context()
        try:
            with use(self._open()):
                yield here.run
        except psycopg.Error as error:
            self.close()
            raise TransportUnavailable(f"PGMQ's database does not answer: {sentence(error)}.") from error

    def close(self) -> None:
        """Close this thread's connection, if it has one."""
        connection, self._local.connection = getattr(self._local, "connection", None), None
        if connection is not None:
            connection.close()

    def _open(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] | None = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            connection = psycopg.connect(
                self._url, autocommit=True, connect_timeout=CONNECT_SECONDS, options=SESSION
            )
            self._local.connection = connection
        return connection


@cache
def elsewhere(url: str) -> Elsewhere:
    """Return the connections that all sources at one address share."""
    return Elsewhere(url)


class PgmqElsewhere(PgmqSource):
    """PGMQ's functions in another database. What is sent again carries the same ``dlq_revive_id``."""

    commits_with_us = False
    marks_repeats = True
    reports_exhausted = True

    def __init__(self, url: str) -> None:
        self._elsewhere = elsewhere(url)

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue. Return its id."""
        marked = {**(headers or {}), MARK: dedupe_key} if dedupe_key else headers
        with self._elsewhere.there():
            return super().send(queue, payload, marked, delay_seconds=delay_seconds)

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Read up to ``limit`` visible messages."""
        with self._elsewhere.there():
            return super().claim(queue, limit, owner, lease_seconds)

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Hide visible messages that were read too often, to bury them."""
        values = {"max_deliveries": max_deliveries, "limit": limit, "lease": lease_seconds}
        with self._elsewhere.there(), open_queue(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.claim_exhausted"), values)
        return [as_message(queue, row) for row in rows]

    def put_back(self, batch: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Put messages back as they were, for later."""
        with self._elsewhere.there():
            return super().put_back(batch, event_type, delay_seconds=delay_seconds)

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Commit the dead letter here, then archive the message there. Raises LeaseLost.

        Its row stays locked meanwhile. If we die in between, the next relay repeats it, and its dead letter
        is recognised as the same.
        """
        letter = dead_letter_of(message, identity, failure, status, f"claim {message.attempts}")
        with self._elsewhere.there() as here, open_queue(message.queue) as tables:
            ids = hold(tables, [message])
            if not ids:
                raise lease_lost(message)
            [sent] = fetch_column(tables.within("pgmq.sent"), {"ids": ids})
            mark = f"sent {sent}"
            letter_id: int = here(keep_marked, self.name_of(message.queue), letter, mark, mark, 0.0)
            put_away(message.queue, tables, ids)
        return letter_id

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that have not left the queue."""
        with self._elsewhere.there():
            return super().still_there(queue, ids)

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the queue's messages."""
        with self._elsewhere.there():
            return super().metrics(queue)

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self._elsewhere.close()

    def _on_held(self, query: str, batch: Sequence[Delivery], **values: float) -> set[str]:
        with self._elsewhere.there():
            return super()._on_held(query, batch, **values)


class PgmqBrowserElsewhere(PgmqBrowser):
    """The page of such a queue. What is changed there is committed just after our own tables say so."""

    def __init__(self, url: str) -> None:
        self._elsewhere = elsewhere(url)

    def counts(self, queue: str) -> Mapping[str, int | None]:
        """Return the number of messages of each list."""
        with self._elsewhere.there():
            return super().counts(queue)

    def page(self, queue: str, list_name: str, *, after: str = "") -> MessagePage:
        """Return some messages of a list, in its order."""
        with self._elsewhere.there():
            return super().page(queue, list_name, after=after)

    def message(self, queue: str, number: int) -> dict[str, Any] | None:
        """Return a message with the beginning of its payload; None when it is not on the queue."""
        with self._elsewhere.there():
            return super().message(queue, number)

    def whole_payload(self, queue: str, number: int) -> tuple[bytes, bool] | None:
        """Return the payload's bytes, and whether they are JSON; None when the message has left."""
        with self._elsewhere.there():
            return super().whole_payload(queue, number)

    def make_due(self, queue: str, number: int, keep: Keep) -> None:
        """Make a message visible that is not."""
        with self._elsewhere.there() as here:
            super().make_due(queue, number, partial(here, keep))

    def remove(self, queue: str, numbers: Sequence[int], keep: Keep, *, also_held: bool = False) -> None:
        """Delete messages."""
        with self._elsewhere.there() as here:
            super().remove(queue, numbers, partial(here, keep), also_held=also_held)

    def newest(self, queue: str) -> int:
        """Return the highest number on the queue; 0 where it is empty."""
        with self._elsewhere.there():
            return super().newest(queue)

    def standing(self, queue: str, up_to: int) -> Sequence[StateCount]:
        """Count the queue's messages up to a number, by state."""
        with self._elsewhere.there():
            return super().standing(queue, up_to)

    def numbers(self, queue: str, after: int, up_to: int) -> list[int]:
        """Return the numbers between two, without those that were read and are not visible."""
        with self._elsewhere.there():
            return super().numbers(queue, after, up_to)
