"""PGMQ in another database than the console's: a service of libpq. Each commits by itself, ours first."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.dead_letters import keep_marked
from dlqconsole.transports.pgmq.browser import PgmqBrowser
from dlqconsole.transports.pgmq.messages import as_message, put_away
from dlqconsole.transports.pgmq.source import OFTEN, PgmqSource, hold
from dlqconsole.transports.pgmq.tables import Tables, open_queue, read_again
from dlqconsole.transports.services import close, use_service
from dlqconsole.transports.source import Delivery, dead_letter_of, lease_lost
from dlqconsole.transports.target import DeadLetterQueue

PREFIX = "pgmq-service"
# the same for each copy of one revival, as on Kafka's topics
MARK = "dlq_revive_id"


@contextmanager
def open_elsewhere(queue: str) -> Iterator[Tables]:
    """Open one transaction on ``service.queue``. Statements of the block run over there. Yield its tables.

    Raises UnknownQueue and TransportUnavailable.
    """
    service, _dot, name = queue.partition(".")
    if not (service and name):
        raise UnknownQueue(f"Write {PREFIX}:<service>.<queue>: the service names the other database.")
    with use_service(service, "PGMQ"), open_queue(name) as tables:
        yield tables


class PgmqElsewhere(PgmqSource):
    """PGMQ's functions in another database. What is sent again carries the same ``dlq_revive_id``."""

    prefix = PREFIX
    commits_with_us = False
    marks_repeats = True
    reports_exhausted = True

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
        return super().send(queue, payload, marked, delay_seconds=delay_seconds)

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Hide visible messages that were read too often, to bury them."""
        values = {"max_deliveries": max_deliveries, "limit": limit, "lease": lease_seconds}
        with self._open(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.claim_exhausted"), values)
        return [as_message(queue, row) for row in rows]

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Commit the dead letter here, then archive the message there. Raises LeaseLost.

        Its row stays locked meanwhile. If we die in between, the next relay repeats it, and its dead letter
        is recognised as the same.
        """
        here, name = copy_context(), self.name_of(message.queue)
        letter = dead_letter_of(message, identity, failure, status, f"claim {message.attempts}")
        with self._open(message.queue) as tables:
            ids = hold(tables, [message])
            if not ids:
                raise lease_lost(message)
            [sent] = fetch_column(tables.within("pgmq.sent"), {"ids": ids})
            mark = f"sent {sent}"
            letter_id = here.run(keep_marked, name, letter, mark, mark, 0.0)
            put_away(tables, ids)
        return letter_id

    def dead_letter_queues(self, attached: Sequence[str]) -> list[DeadLetterQueue]:
        """Return the queues whose messages fail again and again, of the databases of the attached ones."""
        queues = []
        for service in sorted({queue.partition(".")[0] for queue in attached}):
            with use_service(service, "PGMQ"):
                counts = read_again(OFTEN)
            names = ((f"{service}.{name}", count) for name, count in counts.items())
            queues += [DeadLetterQueue(name, (name,), count) for name, count in names]
        return queues

    def close(self) -> None:
        """Close this thread's connections; the next call opens others."""
        close()

    def _open(self, queue: str) -> AbstractContextManager[Tables]:
        return open_elsewhere(queue)


class PgmqBrowserElsewhere(PgmqBrowser):
    """The page of such a queue. What is changed there is committed just after our own tables say so."""

    prefix = PREFIX

    def _open(self, queue: str) -> AbstractContextManager[Tables]:
        return open_elsewhere(queue)
