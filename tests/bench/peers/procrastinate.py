"""procrastinate: its own client and worker; finished jobs are deleted, as with all the others here."""

import asyncio
import contextlib
import time

import procrastinate

from tests.bench.timing import Counted, count_marks, count_steps, payloads, spaced


class Peer:
    def __init__(self, url: str) -> None:
        self.url = url
        self.producer = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=url))
        self.producer.open()
        self.defer = self.producer.task(name="bench", queue="bench")(_nothing)

    def send(self, seconds: float, warm: float, batch: int) -> Counted:
        def step() -> int:
            if batch == 1:
                self.defer.defer(payload=payloads(1)[0])
            else:
                self.defer.batch_defer(*[{"payload": text} for text in payloads(batch)])
            return batch

        return count_steps(step, seconds, warm)

    def drain(self, seconds: float, warm: float, batch: int) -> Counted:
        marks: list[float] = []

        async def handle(**_: object) -> None:
            marks.append(time.monotonic())

        asyncio.run(self._work(handle, batch, seconds + warm))
        return count_marks(marks, warm)

    def send_spaced(self, number: int) -> dict[int, float]:
        sent = {}
        for one in spaced(number):
            self.defer.defer(order_id=one)
            sent[one] = time.monotonic()
        return sent

    def wait_for(self, number: int, seconds: float) -> dict[int, float]:
        claimed: dict[int, float] = {}

        async def handle(order_id: int) -> None:
            claimed[order_id] = time.monotonic()

        asyncio.run(self._work(handle, 10, seconds, lambda: len(claimed) >= number))
        return claimed

    async def _work(self, handle, concurrency: int, seconds: float, enough=lambda: False) -> None:
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=self.url))
        app.task(name="bench", queue="bench")(handle)
        async with app.open_async():
            running = asyncio.create_task(
                app.run_worker_async(
                    queues=["bench"],
                    concurrency=concurrency,
                    delete_jobs="successful",
                    install_signal_handlers=False,
                )
            )
            until = time.monotonic() + seconds
            while time.monotonic() < until and not enough() and not running.done():
                await asyncio.sleep(0.05)
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


def _nothing(**_: object) -> None:
    """What the producer's task stands for."""
