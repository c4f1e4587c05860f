"""pgqueuer: its own client and worker, over asyncpg and uvloop as its documentation advises."""

import asyncio
import time
from datetime import timedelta

import asyncpg
import orjson
import uvloop
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.qm import QueueManager
from pgqueuer.queries import Queries

from tests.bench.timing import Counted, count_marks, payload, payloads, spaced


class Peer:
    def __init__(self, url: str) -> None:
        self.url = url

    def send(self, seconds: float, warm: float, batch: int) -> Counted:
        return uvloop.run(self._send(seconds, warm, batch))

    def drain(self, seconds: float, warm: float, batch: int, wait: float = 0.0) -> Counted:
        marks: list[float] = []

        async def handle(job: Job) -> None:
            orjson.loads(job.payload)
            if wait:
                await asyncio.sleep(wait)
            marks.append(time.monotonic())

        uvloop.run(self._work(handle, batch, seconds + warm))
        return count_marks(marks, warm)

    def send_spaced(self, number: int) -> dict[int, float]:
        return uvloop.run(self._send_spaced(number))

    def wait_for(self, number: int, seconds: float) -> dict[int, float]:
        claimed: dict[int, float] = {}

        async def handle(job: Job) -> None:
            claimed[orjson.loads(job.payload)["order_id"]] = time.monotonic()

        uvloop.run(self._work(handle, 10, seconds, lambda: len(claimed) >= number))
        return claimed

    async def _send(self, seconds: float, warm: float, batch: int) -> Counted:
        connection = await asyncpg.connect(self.url)
        queries = Queries(AsyncpgDriver(connection))
        marks = []
        until = time.monotonic() + seconds + warm
        while time.monotonic() < until:
            if batch == 1:
                await queries.enqueue("bench", payloads(1)[0].encode(), 0)
            else:
                many = [text.encode() for text in payloads(batch)]
                await queries.enqueue(["bench"] * batch, many, [0] * batch)
            marks.append(time.monotonic())
        await connection.close()
        counted = count_marks(marks, warm)
        return counted | {"done": counted["done"] * batch}

    async def _send_spaced(self, number: int) -> dict[int, float]:
        connection = await asyncpg.connect(self.url)
        queries = Queries(AsyncpgDriver(connection))
        sent = {}
        for one in spaced(number):
            await queries.enqueue("bench", payload(one).encode(), 0)
            sent[one] = time.monotonic()
        await connection.close()
        return sent

    async def _work(self, handle, batch: int, seconds: float, enough=lambda: False) -> None:
        connection = await asyncpg.connect(self.url)
        manager = QueueManager(Queries(AsyncpgDriver(connection)))
        manager.entrypoint("bench")(handle)
        running = asyncio.create_task(
            manager.run(batch_size=batch, dequeue_timeout=timedelta(seconds=max(0.5, seconds)))
        )
        until = time.monotonic() + seconds
        while time.monotonic() < until and not enough() and not running.done():
            await asyncio.sleep(0.05)
        manager.shutdown.set()
        await running
        await connection.close()
