"""The client: each method calls a function of docs/queue.md, and needs its right."""

import os
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from .records import BatchTopicResult, Message, QueueMetrics, QueueRecord, TopicBinding

type When = int | datetime | None
type Conn = Connection[Any] | None
type Json = dict[str, Any] | None
type Batch = Sequence[dict[str, Any]] | None
type Vt = int | None

# messages with one such header are handled one at a time, in order
_GROUP = "group_key => headers ->> 'x-pgmq-group'"
_BATCH = "unnest(%s::jsonb[], %s::jsonb[]) batch (payload, headers)"
_LOOK = """
    SELECT p.id, p.retry_count, p.created_at, NULL, coalesce(p.lease_until, p.next_retry_at), p.payload,
        p.headers
    FROM unnest(%s::bigint[]) WITH ORDINALITY n (id, place), LATERAL queue_peek(%s, 1, n.id - 1) p
    WHERE p.id = n.id ORDER BY n.place
"""
_METRICS = """
    SELECT q.queue, length, newest_seconds::int, oldest_due_seconds::int, length + handled_this_week,
        counted_at, visible
    FROM {} q (queue), LATERAL queue_metrics(q.queue) m,
        LATERAL (SELECT visible + in_flight + scheduled + waiting + held) l (length)
"""


class PGMQueue:
    """A client. What it has read, no other client deletes, archives or puts off before the vt is over."""

    # The claims whose messages may still be settled; what was read longer ago is nobody's.
    remembered = 10_000

    def __init__(
        self,
        conn_string: str = "",
        *,
        vt: int = 30,
        pool_size: int = 10,
        pool: ConnectionPool | None = None,
        **parts: str,
    ) -> None:
        self.vt, self._owns_pool, self._tokens = vt, pool is None, OrderedDict[int, UUID]()
        self.pool = pool or ConnectionPool(
            _address(conn_string, parts), min_size=1, max_size=pool_size, open=True
        )

    def close(self) -> None:
        """Close the pool, unless it was given."""
        if self._owns_pool:
            self.pool.close()

    def create_queue(self, queue: str, unlogged: bool = False, conn: Conn = None) -> None:
        """Make a queue; nothing if it is there."""
        self._rows(conn, "SELECT queue_create(%s, %s)", queue, unlogged)

    def create_partitioned_queue(
        self, queue: str, partition_interval: Any = 0, retention_interval: Any = 0, conn: Conn = None
    ) -> None:
        """Make a queue: no queue here needs partitions."""
        self.create_queue(queue, conn=conn)

    def create_fifo_index(self, queue: str, conn: Conn = None) -> None:
        """Do nothing: groups have an index."""

    def drop_queue(self, queue: str, conn: Conn = None) -> bool:
        """Remove a queue and all its messages, also what somebody holds. What it archived stays."""
        return bool(self._rows(conn, "SELECT queue_drop(%s, 'drop_queue', force => true)", queue)[0][0])

    def purge(self, queue: str, conn: Conn = None) -> int:
        """Remove the messages that nobody holds; their number."""
        return int(self._rows(conn, "SELECT queue_purge(%s, 'purge')", queue)[0][0])

    def list_queues(self, conn: Conn = None) -> list[QueueRecord]:
        """Return the queues that somebody has created."""
        return [QueueRecord(*row) for row in self._rows(conn, "SELECT * FROM queue_list()")]

    def metrics(self, queue: str, conn: Conn = None) -> QueueMetrics:
        """Return the figures of a queue."""
        return QueueMetrics(*self._rows(conn, _METRICS.format("(SELECT %s::text)"), queue)[0])

    def metrics_all(self, conn: Conn = None) -> list[QueueMetrics]:
        """Return the figures of the queues that somebody has created."""
        return [QueueMetrics(*row) for row in self._rows(conn, _METRICS.format("queue_list()"))]

    def send(
        self,
        queue: str,
        message: Any,
        headers: Json = None,
        delay: When = None,
        tz: When = None,
        conn: Conn = None,
    ) -> int:
        """Send a message; its number. ``tz``: an older name of ``delay``."""
        return self.send_batch(queue, [message], [headers] if headers else None, tz or delay, conn)[0]

    def send_batch(
        self,
        queue: str,
        messages: Sequence[Any],
        headers: Batch = None,
        delay: When = None,
        conn: Conn = None,
    ) -> list[int]:
        """Send messages in their order; their numbers."""
        later = f"delay_seconds => {_seconds(delay)}"
        if headers:
            query = f"SELECT queue_send(%s, payload, headers, {later}, {_GROUP}) FROM {_BATCH}"  # noqa: S608
            return self._numbers(conn, query, queue, delay or 0, *_batch(messages, headers))
        query = f"SELECT queue_send_many(%s, %s, {later})"
        return self._numbers(conn, query, queue, Jsonb(list(messages)), delay or 0)

    def send_topic(
        self, routing_key: str, message: Any, headers: Json = None, delay: When = None, conn: Conn = None
    ) -> int:
        """Send a message to each queue that its routing key reaches; the number of queues."""
        return len(self.send_batch_topic(routing_key, [message], [headers] if headers else None, delay, conn))

    def send_batch_topic(
        self,
        routing_key: str,
        messages: list[Any],
        headers: Batch = None,
        delay: When = None,
        conn: Conn = None,
    ) -> list[BatchTopicResult]:
        """Send messages to each queue that their routing key reaches."""
        send = f"queue_send_topic(%s, payload, headers, {_seconds(delay)}, {_GROUP})"
        query = f"SELECT sent.* FROM {_BATCH}, LATERAL {send} sent"  # noqa: S608
        values = [*_batch(messages, headers or [{}] * len(messages)), routing_key, delay or 0]
        return [BatchTopicResult(*row) for row in self._rows(conn, query, *values)]

    def bind_topic(self, pattern: str, queue_name: str, conn: Conn = None) -> None:
        """Let a queue get what is sent to routing keys of a pattern."""
        self._rows(conn, "SELECT queue_bind(%s, %s)", pattern, queue_name)

    def unbind_topic(self, pattern: str, queue_name: str, conn: Conn = None) -> bool:
        """End that; False where it was not so."""
        return bool(self._rows(conn, "SELECT queue_unbind(%s, %s)", pattern, queue_name)[0][0])

    def list_topic_bindings(self, queue_name: str | None = None, conn: Conn = None) -> list[TopicBinding]:
        """Return the patterns and their queues, of one queue or all."""
        rows = self._rows(conn, "SELECT * FROM queue_topic_bindings()")
        return [TopicBinding(*row) for row in rows if queue_name in (None, row[1])]

    def test_routing(self, routing_key: str, conn: Conn = None) -> list[TopicBinding]:
        """Return the bindings by which a routing key reaches its queues."""
        rows = self._rows(conn, "SELECT * FROM queue_topic_bindings(%s)", routing_key)
        return [TopicBinding(*row) for row in rows]

    def read(
        self, queue: str, vt: Vt = None, qty: int = 1, conditional: Json = None, conn: Conn = None
    ) -> Message | list[Message] | None:
        """Read a message, or a list of up to ``qty``. Nobody else reads them for ``vt`` seconds."""
        return _one_or_all(self._read(conn, queue, vt, qty, conditional), qty)

    def read_batch(self, queue: str, vt: Vt = None, batch_size: int = 1, conn: Conn = None) -> list[Message]:
        """Read up to so many messages."""
        return self._read(conn, queue, vt, batch_size)

    def read_with_poll(
        self,
        queue: str,
        vt: Vt = None,
        qty: int = 1,
        max_poll_seconds: int = 5,
        poll_interval_ms: int = 100,
        conditional: Json = None,
        conn: Conn = None,
    ) -> list[Message]:
        """Read up to so many messages, and wait for the first; the interval is ours."""
        return self._read(conn, queue, vt, qty, conditional, max_poll_seconds)

    def read_grouped(self, queue: str, vt: Vt = None, qty: int = 1, conn: Conn = None) -> list[Message]:
        """Read up to so many messages, of each group the first: so does each read here."""
        return self._read(conn, queue, vt, qty)

    read_grouped_rr = read_grouped_head = read_grouped
    read_grouped_with_poll = read_grouped_rr_with_poll = read_grouped_head_with_poll = read_with_poll

    def pop(self, queue: str, qty: int = 1, conn: Conn = None) -> Message | list[Message] | None:
        """Take a message for good, or a list of up to ``qty``."""
        query = "SELECT id, retry_count, NULL, NULL, NULL, payload, headers FROM queue_pop(%s, %s)"
        return _one_or_all([Message(*row) for row in self._rows(conn, query, queue, qty)], qty)

    def delete(self, queue: str, msg_id: int, conn: Conn = None) -> bool:
        """Delete a message that this client has read, or that nobody holds; False for any other."""
        return bool(self.delete_batch(queue, [msg_id], conn))

    def delete_batch(self, queue: str, msg_ids: Sequence[int], conn: Conn = None) -> list[int]:
        """Delete messages in the same way; the numbers of those that went."""
        return self._settle(conn, msg_ids, "queue_complete(%s::bigint[], %s)", "queue_delete(%s::bigint[])")

    def archive(self, queue: str, msg_id: int, conn: Conn = None) -> bool:
        """Move a message to the archive, as ``delete`` does."""
        return bool(self.archive_batch(queue, [msg_id], conn))

    def archive_batch(self, queue: str, msg_ids: Sequence[int], conn: Conn = None) -> list[int]:
        """Move messages to the archive; the numbers of those that went."""
        return self._settle(
            conn, msg_ids, "queue_archive(%s::bigint[], %s)", "queue_delete(%s::bigint[], archive => true)"
        )

    def fail(
        self, queue: str, msg_id: int, reason: str, category: str = "UNKNOWN", conn: Conn = None
    ) -> str | None:
        """Say that a message failed: a 'retry' or a 'dead_letter', by its queue's policy."""
        values = [msg_id, self._tokens.get(msg_id), reason, category]
        rows = self._rows(conn, "SELECT outcome FROM queue_fail(%s, %s, %s, %s)", *values)
        return rows[0][0] if rows else None

    def set_vt(
        self, queue: str, msg_id: int | Sequence[int], vt: int | datetime, conn: Conn = None
    ) -> Message | list[Message] | None:
        """Say when messages are visible again. With 0, what was read was not begun: no attempt is counted."""
        numbers = [msg_id] if isinstance(msg_id, int) else list(msg_id)
        mine = (
            f"queue_extend(%s::bigint[], %s, {_seconds(vt)})" if vt else "queue_release(%s::bigint[], %s, %s)"
        )
        due = f"clock_timestamp() + make_interval(secs => {_seconds(vt)})"
        others = f"id FROM unnest(%s::bigint[]) id WHERE queue_set_due(id, {due})"
        changed = self._settle(conn, numbers, mine, others, vt)
        messages = [Message(*row) for row in self._rows(conn, _LOOK, changed, queue)]
        return _one_or_all(messages, 1 if isinstance(msg_id, int) else 2)

    def _read(
        self, conn: Conn, queue: str, vt: Vt, qty: int, conditional: Json = None, wait: int = 0
    ) -> list[Message]:
        condition = Jsonb(conditional) if conditional else None
        query = "SELECT id, token FROM queue_claim(%s, %s, %s, wait_seconds => %s, condition => %s)"
        claims = dict(self._rows(conn, query, queue, qty, vt or self.vt, wait, condition))
        for number in claims:
            self._tokens.pop(number, None)  # so that it is the newest
        self._tokens.update(claims)
        while len(self._tokens) > self.remembered:
            self._tokens.popitem(last=False)
        return [Message(*row) for row in self._rows(conn, _LOOK, list(claims), queue)] if claims else []

    def _settle(self, conn: Conn, numbers: Sequence[int], mine: str, others: str, *more: Any) -> list[int]:
        by_claim: dict[UUID | None, list[int]] = defaultdict(list)
        for number in numbers:
            by_claim[self._tokens.get(number)].append(number)
        settled: list[int] = []
        for token, ids in by_claim.items():
            query, values = (mine, [ids, token, *more]) if token else (others, [ids, *more])
            settled += self._numbers(conn, f"SELECT {query}", *values)
        return settled

    def _numbers(self, conn: Conn, query: str, *values: Any) -> list[int]:
        return [number for (number,) in self._rows(conn, query, *values)]

    def _rows(self, conn: Conn, query: str, *values: Any) -> list[tuple[Any, ...]]:
        session: AbstractContextManager[Connection[Any]] = (
            nullcontext(conn) if conn else self.pool.connection()
        )
        with session as connection:
            return connection.execute(query, values).fetchall()


def _address(conn_string: str, parts: dict[str, str]) -> str:
    names = {"username": "user", "database": "dbname"}  # the others are libpq's own
    whole = conn_string or ("" if parts else os.environ["DATABASE_URL"])
    return make_conninfo(whole, **{names.get(name, name): value for name, value in parts.items()})


def _seconds(delay: When) -> str:
    return "extract(epoch FROM %s - clock_timestamp())" if isinstance(delay, datetime) else "%s"


def _batch(messages: Sequence[Any], headers: Sequence[dict[str, Any]]) -> list[list[Jsonb]]:
    return [list(map(Jsonb, messages)), list(map(Jsonb, headers))]


def _one_or_all(messages: list[Message], qty: int) -> Message | list[Message] | None:
    return messages if qty > 1 else next(iter(messages), None)
