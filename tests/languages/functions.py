"""Our queues by the SQL functions alone, as a transport: as any language that speaks to PostgreSQL."""

import threading
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import psycopg

from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.source import Delivery, Source, lease_lost
from dlqconsole.transports.target import QueueMetrics

CLAIM = """
    SELECT id, payload::text, payload_raw, headers, retry_count, token, max_retries, crash_count
    FROM queue_claim(%s, %s, %s, %s)
"""


class Functions(Source):
    """A receipt is the claim's token. Each thread has a session of its own, as a member of dlq_consumer."""

    prefix = ""
    counts_crashes = True

    def __init__(self, address: str) -> None:
        self._address = address
        self._own = threading.local()

    def send(self, queue, payload, headers=None, *, delay_seconds=0, dedupe_key=None):
        content = sendable(payload)
        values = [queue, content.json_text, sendable_headers(headers), sendable_delay(delay_seconds)]
        more = "dedupe_key => %s, payload_raw => %s"
        sent = self._ask(f"SELECT queue_send(%s, %s, %s, %s, {more})", *values, dedupe_key, content.raw)
        return str(sent[0][0])

    def claim(self, queue, limit, owner, lease_seconds):
        rows = self._ask(CLAIM, queue, limit, lease_seconds, owner)
        return [Delivery(str(row[0]), queue, *row[1:]) for row in rows]

    def extend(self, messages, lease_seconds):
        return self._settle("queue_extend", messages, lease_seconds)

    def complete(self, messages):
        return self._settle("queue_complete", messages)

    def release(self, messages, *, delay_seconds=0):
        return self._settle("queue_release", messages, delay_seconds)

    def put_back(self, messages, event_type, *, delay_seconds):
        return self._settle("queue_put_back", messages, event_type, delay_seconds)

    def dead_letter(self, message, identity, failure, status):
        values = [message.id, message.receipt, failure.reason, failure.category, failure.stacktrace]
        letters = self._ask("SELECT dead_letter_id FROM queue_give_up(%s, %s, %s, %s, %s)", *values)
        if not letters:
            raise lease_lost(message)
        return letters[0][0]

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        return set(ids) & {
            str(number) for (number,) in self._ask("SELECT id FROM queue_peek(%s, 1000)", queue)
        }

    def metrics(self, queue: str) -> QueueMetrics:
        figures = "SELECT visible, in_flight, scheduled, oldest_due_seconds FROM queue_metrics(%s)"
        return QueueMetrics(queue, *self._ask(figures, queue)[0])

    def close(self) -> None:
        self._session().close()
        del self._own.session

    def _settle(self, function: str, messages: Sequence[Delivery], *values: Any) -> set[str]:
        """Call it once for each claim: what was claimed together has one token."""
        ids: set[str] = set()
        places = ", ".join(["%s"] * (len(values) + 2))
        for token, claimed in groupby(messages, lambda message: message.receipt):
            numbers = [int(message.id) for message in claimed]
            ids |= {str(row[0]) for row in self._ask(f"SELECT {function}({places})", numbers, token, *values)}
        return ids

    def _ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._session().execute(statement, values).fetchall()
        except psycopg.IntegrityError as error:
            raise InvalidMessage(f"It cannot be sent: {error.diag.message_primary}.") from error

    def _session(self) -> psycopg.Connection:
        if not hasattr(self._own, "session"):
            self._own.session = psycopg.connect(self._address, autocommit=True)
        return self._own.session
