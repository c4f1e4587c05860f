"""The lease queue on MySQL 8.0 or MariaDB 10.6: one table, whose DDL is in mysql_tables.sql.

A claim is a short transaction that gives the rows an owner, a random token and a lease; whoever extends,
completes, gives back or buries shows the token. A lease that ran out is anybody's to claim: no master.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.conf import settings

from dlqconsole.configuration.addresses import MysqlAddress
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.mysql import messages
from dlqconsole.transports.mysql.browser import MysqlBrowser
from dlqconsole.transports.mysql.connection import Cursor, MysqlConnections
from dlqconsole.transports.mysql.messages import check_queue, incoming, microseconds, outgoing
from dlqconsole.transports.mysql.rows import (
    Pick,
    column,
    hold,
    one,
    pick,
    pick_exhausted,
    put,
    sent_under,
    take,
)
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.source import Delivery, Source
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import QueueMetrics

# Counting stops here: a number that large says what there is to say, and costs the queue nothing.
COUNT_CAP = 10_000
OWNER_LIMIT = 255


class MysqlSource(Source):
    """Queues of one MySQL database. A queue is a name: it is there once a message was sent to it."""

    prefix = "mysql"
    deduplicates = True
    reports_exhausted = True

    def __init__(self, url: str) -> None:
        self.connections = connections(url)

    def browser(self) -> MysqlBrowser:
        """Return the page of its queues."""
        return MysqlBrowser(self.connections)

    def create_tables(self) -> None:
        """Make the two tables unless they are there; needs CREATE. Or run mysql_tables.sql by hand."""
        self.connections.run(lambda cursor: cursor.execute(sql("mysql_tables.messages")))
        self.connections.run(lambda cursor: cursor.execute(sql("mysql_tables.keys")))

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        self.connections.close()

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue, its payload to the byte as given. Return its id.

        With a ``dedupe_key`` it may be repeated when nobody knows whether it was sent: nothing is sent the
        second time, and the first message's id comes back, even when that message was completed since.
        """
        values = outgoing(queue, payload, headers, delay_seconds, dedupe_key)
        message_id = self.connections.run(lambda cursor: put(cursor, values))
        if message_id is None:  # somebody else sent it between our look and our insert
            message_id = self.connections.run(lambda cursor: sent_under(cursor, values))
        if message_id is None:
            raise TransportUnavailable(f"The key {dedupe_key!r} was forgotten while it was used: send again.")
        return str(message_id)

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        """Claim up to ``limit`` visible messages in the order of their ids, dead consumers' included."""
        return self._claim(pick, queue, limit, owner, lease_seconds)

    def claim_exhausted(
        self, queue: str, max_deliveries: int, limit: int, owner: str, lease_seconds: float
    ) -> list[Delivery]:
        """Claim visible messages that were claimed more than ``max_deliveries`` times, to bury them.

        Looks at the 1,000 oldest visible ones: what comes back again and again is the oldest.
        """
        return self._claim(pick_exhausted, queue, limit, owner, lease_seconds, most=max_deliveries)

    def extend(self, messages: Sequence[Delivery], lease_seconds: float) -> set[str]:
        """Lengthen the leases that are still held. Return their messages' ids."""
        return self._change_held("mysql.extend", messages, {"lease": microseconds(lease_seconds)})

    def complete(self, messages: Sequence[Delivery]) -> set[str]:
        """Remove messages that are still held. Return their ids."""
        return self._change_held("mysql.remove", messages, {})

    def release(self, messages: Sequence[Delivery], *, delay_seconds: float = 0) -> set[str]:
        """Make held messages claimable again after ``delay_seconds``; their attempts stay counted."""
        return self._change_held(
            "mysql.release", messages, {"delay": microseconds(sendable_delay(delay_seconds))}
        )

    def put_back(self, messages: Sequence[Delivery], event_type: str, *, delay_seconds: float) -> set[str]:
        """Make held messages claimable again after ``delay_seconds``, the claim not counted."""
        return self._change_held(
            "mysql.put_back", messages, {"delay": microseconds(sendable_delay(delay_seconds))}
        )

    def dead_letter(
        self, message: Delivery, identity: Identity, failure: Failed, status: DeadLetterStatus
    ) -> int:
        """Keep the message in ``dlq_events``, then remove it from its queue. Raises LeaseLost.

        The row stays locked in MySQL while PostgreSQL commits, so that nobody takes it over in between. If we
        die in between, the next consumer repeats it, and its dead letter is recognised as the same.
        """
        with self.connections.transaction() as cursor:
            letter_id = messages.keep_locked(cursor, message, identity, failure, status)
            cursor.execute(sql("mysql.remove"), {"ids": [int(message.id)]})
        return letter_id

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the queue's messages. Counts stop at COUNT_CAP; of leased or delayed ones, only that many
        are looked at, those that come due first.
        """
        values = {"queue": check_queue(queue), "cap": COUNT_CAP}

        def count(cursor: Cursor) -> list[dict[str, Any]]:
            return [one(cursor, f"mysql.{part}", values) for part in ("ready", "come_due", "later")]

        ready, due, later = self.connections.run(count)
        ages = [float(part["oldest"]) for part in (ready, due) if part["oldest"] is not None]
        in_flight, visible = int(later["held"]), ready["messages"] + due["messages"]
        more: tuple[str, ...] = ("visible",) if visible >= COUNT_CAP else ()
        more += ("in_flight", "scheduled") if later["messages"] >= COUNT_CAP else ()
        return QueueMetrics(
            name=queue,
            visible=min(visible, COUNT_CAP),
            in_flight=in_flight,
            scheduled=later["messages"] - in_flight,
            oldest_due_seconds=max(0.0, *ages) if ages else None,
            at_least=more,
        )

    def queue_names(self) -> list[str]:
        """Return the queues that have messages now."""
        return self.connections.run(lambda cursor: column(cursor, "mysql.queues", {}, "queue"))

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return those of ``ids`` that have not left their queue."""
        values = {"queue": queue, "ids": sorted(map(int, ids))}
        if not values["ids"]:
            return set()
        there = self.connections.run(lambda cursor: column(cursor, "mysql.still_there", values, "id"))
        return set(map(str, there))

    def forget_keys(self, older_than_seconds: float) -> int:
        """Forget up to 10,000 dedupe keys of that age. Return their number. A later repeat is sent again."""
        values = {"age": microseconds(older_than_seconds)}
        return self.connections.run(lambda cursor: cursor.execute(sql("mysql.forget_keys"), values))

    def _claim(
        self, pick_rows: Pick, queue: str, limit: int, owner: str, lease_seconds: float, **more: int
    ) -> list[Delivery]:
        check_queue(queue)
        if limit < 1:
            return []
        values = {
            "queue": queue,
            "limit": limit,
            "owner": owner[:OWNER_LIMIT],
            "token": secrets.token_hex(16),
            "lease": microseconds(lease_seconds),
            **more,
        }
        rows = self.connections.run(lambda cursor: take(cursor, pick_rows, values))
        return [incoming(row, queue, str(values["token"])) for row in rows]

    def _change_held(self, name: str, messages: Sequence[Delivery], values: Mapping[str, Any]) -> set[str]:
        """Run a statement on the rows that the tokens still hold. Return their ids."""

        def change(cursor: Cursor) -> list[int]:
            ids = hold(cursor, messages)
            if ids:
                cursor.execute(sql(name), {**values, "ids": ids})
            return ids

        return set(map(str, self.connections.run(change))) if messages else set()


@cache
def connections(url: str) -> MysqlConnections:
    """Return the connections that all sources at one address share."""
    return MysqlConnections(MysqlAddress.from_url(url))


def from_settings() -> MysqlSource:
    """Return the source at DLQ_MYSQL_URL. Raises TransportUnavailable when that is not set."""
    if not settings.DLQ_MYSQL_URL:
        raise TransportUnavailable("No MySQL is configured: set DLQ_MYSQL_URL to use MySQL queues.")
    return MysqlSource(settings.DLQ_MYSQL_URL)
