"""Failures as they arrive: by COPY and one by one, into our table and into the source design's."""

import json
import time

import psycopg

COLUMNS = "event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after"
TABLES = {"ours": "dlq_events", "source design": "bare_letters"}
TRACE = (
    'Traceback (most recent call last):\n  File "/srv/shop/consumer.py", line 41, in handle\n'
    '    charge(order)\n  File "/srv/shop/billing.py", line 12, in charge\n    raise error'
)
REASONS = (
    "TimeoutError: no answer from shard {} within 30 s",
    "connection refused: billing:{}",
    "HTTPError: 503 from /orders/{}",
    "ValueError: amount {} is out of range",
    "KeyError: 'customer_{}'",
)


def failure(number: int) -> tuple[object, ...]:
    """One of 60 groups, about 600 bytes."""
    customer = {"id": number % 5000, "tier": "basic"}
    payload = json.dumps({"order_id": number, "customer": customer, "note": "x" * 250})
    reason = REASONS[number % 5].format(number)
    return (f"order.type_{number % 12}", payload, reason, TRACE, "PENDING", 0, "2026-01-01 00:00+00")


class Peer:
    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True, prepare_threshold=0)
        self.number = 0

    def copy(self, whose: str, number: int) -> float:
        """One COPY; rows a second."""
        rows = self._failures(number)
        begun = time.monotonic()
        with self.connection.cursor().copy(f"COPY {TABLES[whose]} ({COLUMNS}) FROM STDIN") as writer:
            for row in rows:
                writer.write_row(row)
        return number / (time.monotonic() - begun)

    def single(self, whose: str, number: int) -> float:
        """An INSERT a transaction; rows a second."""
        statement = f"INSERT INTO {TABLES[whose]} ({COLUMNS}) VALUES (%s, %s::jsonb, %s, %s, %s, %s, %s)"
        rows = self._failures(number)
        begun = time.monotonic()
        for row in rows:
            self.connection.execute(statement, row)
        return number / (time.monotonic() - begun)

    def _failures(self, number: int) -> list[tuple[object, ...]]:
        self.number += number
        return [failure(one) for one in range(self.number - number, self.number)]
