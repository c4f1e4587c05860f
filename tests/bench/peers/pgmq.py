"""PGMQ: its own functions over psycopg 3, each call a transaction, as its own client makes them."""

import time

import orjson
import psycopg
from psycopg.types.json import set_json_loads

from tests.bench.timing import Counted, count_steps, payload, payloads, spaced


class Peer:
    autocommit = False

    def __init__(self, url: str) -> None:
        # prepared, and with the JSON parser that our side has
        self.connection = psycopg.connect(url, autocommit=self.autocommit, prepare_threshold=0)
        set_json_loads(orjson.loads, self.connection)
        self.cursor = self.connection.cursor()

    def send(self, seconds: float, warm: float, batch: int) -> Counted:
        def step() -> int:
            if batch == 1:
                self._rows("SELECT pgmq.send('bench', %s::jsonb)", *payloads(1))
            else:
                self._rows("SELECT * FROM pgmq.send_batch('bench', %s::jsonb[])", payloads(batch))
            return batch

        return count_steps(step, seconds, warm)

    def drain(self, seconds: float, warm: float, batch: int) -> Counted:
        def step() -> int:
            found = self._rows("SELECT * FROM pgmq.read('bench', 60, %s)", batch)
            if found:
                self._delete([row[0] for row in found])
            return len(found)

        return count_steps(step, seconds, warm)

    def send_spaced(self, number: int) -> dict[int, float]:
        sent = {}
        for one in spaced(number):
            self._rows("SELECT pgmq.send('bench', %s::jsonb)", payload(one))
            sent[one] = time.monotonic()
        return sent

    def wait_for(self, number: int, seconds: float) -> dict[int, float]:
        """Its long poll, with its own interval."""
        claimed: dict[int, float] = {}
        until = time.monotonic() + seconds
        while len(claimed) < number and time.monotonic() < until:
            found = self._rows("SELECT * FROM pgmq.read_with_poll('bench', 60, %s, 2)", 10)
            now = time.monotonic()
            claimed |= {row[5]["order_id"]: now for row in found}
            if found:
                self._delete([row[0] for row in found])
        return claimed

    def _delete(self, ids: list[int]) -> None:
        if len(ids) == 1:
            self._rows("SELECT pgmq.delete('bench', %s::bigint)", ids[0])
        else:
            self._rows("SELECT pgmq.delete('bench', %s::bigint[])", ids)

    def _rows(self, statement: str, value: object) -> list[tuple]:
        rows = self.cursor.execute(statement, (value,)).fetchall()
        if not self.autocommit:
            self.connection.commit()
        return rows
