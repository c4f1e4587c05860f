"""A system of queues in this process's memory: all that a new one has to write, forty lines of methods."""

import threading
import time
from typing import Any, ClassVar
from uuid import uuid4

import orjson
import pytest

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.transports.sending import sendable, sendable_delay, sendable_headers
from dlqconsole.transports.source import Delivery, Source
from dlqconsole.transports.system import System
from dlqconsole.transports.target import QueueMetrics


class FortySource(Source):
    """It commits by itself, and remembers each dedupe key for ever. Its ids are no numbers."""

    prefix = "forty"
    deduplicates = True
    reports_exhausted = True
    rows: ClassVar[dict[str, dict[str, Any]]] = {}
    keys: ClassVar[dict[tuple[str, str], str]] = {}
    alone = threading.RLock()

    def send(self, queue, payload, headers=None, *, delay_seconds=0, dedupe_key=None):
        if not queue:
            raise UnknownQueue("A queue has a name.")
        values = {"payload": sendable(payload).json_text, "headers": orjson.loads(sendable_headers(headers))}
        due = time.monotonic() + sendable_delay(delay_seconds)
        number = uuid4().hex
        with self.alone:
            if self.keys.setdefault((queue, dedupe_key or number), number) == number:
                self.rows[number] = values | {"queue": queue, "due": due, "attempts": 0, "receipt": None}
            return self.keys[queue, dedupe_key or number]

    def claim(self, queue, limit, owner, lease_seconds, more_than=0):
        with self.alone:
            found = [n for n, row in self._of(queue).items() if self._is_due(row)]
            found = [n for n in found if self.rows[n]["attempts"] >= more_than][:limit]
            return [self._claimed(number, lease_seconds) for number in found]

    def claim_exhausted(self, queue, max_deliveries, limit, owner, lease_seconds):
        return self.claim(queue, limit, owner, lease_seconds, more_than=max_deliveries + 1)

    def extend(self, messages, lease_seconds):
        return self._change(messages, lambda row: row.update(due=time.monotonic() + lease_seconds))

    def complete(self, messages):
        return self._change(messages, lambda row: self.rows.pop(row["id"]))

    def release(self, messages, *, delay_seconds=0):
        due = time.monotonic() + sendable_delay(delay_seconds)
        return self._change(messages, lambda row: row.update(due=due, receipt=None))

    def still_there(self, queue, ids):
        return self._of(queue).keys() & set(ids)

    def metrics(self, queue):
        rows = list(self._of(queue).values())
        ages = [time.monotonic() - row["due"] for row in rows if self._is_due(row)]
        held = sum(row["receipt"] is not None and not self._is_due(row) for row in rows)
        return QueueMetrics(queue, len(ages), held, len(rows) - len(ages) - held, max(ages, default=None))

    def _of(self, queue):
        return {number: row for number, row in self.rows.items() if row["queue"] == queue}

    def _is_due(self, row):
        return row["due"] <= time.monotonic()

    def _claimed(self, number, lease_seconds):
        row, receipt = self.rows[number], uuid4()
        attempts = row["attempts"] + 1
        row.update(id=number, attempts=attempts, receipt=receipt, due=time.monotonic() + lease_seconds)
        return Delivery(number, row["queue"], row["payload"], None, row["headers"], attempts, receipt)

    def _change(self, messages, change):
        with self.alone:
            held = [m.id for m in messages if self.rows.get(m.id, {}).get("receipt") == m.receipt]
            return {number for number in held if change(self.rows[number]) or True}


SYSTEM = System("forty", "Forty lines", FortySource)


@pytest.fixture
def empty_memory() -> None:
    """Nothing on its queues: they are the process's, and keep what another test left there."""
    FortySource.rows.clear()
    FortySource.keys.clear()
