"""Ours: the engine as a Python program uses it, and the full consumer."""

import math
import os
import random
import select
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import django

django.setup()

import orjson  # noqa: E402
from django.db import connection  # noqa: E402

from dlqconsole.consuming.consumer import Consumer  # noqa: E402
from dlqconsole.core import handling, messages  # noqa: E402
from dlqconsole.core.handling import StoredEvent  # noqa: E402
from dlqconsole.core.handling.in_process import handle_in_process  # noqa: E402
from dlqconsole.core.messages.queues import policy  # noqa: E402
from dlqconsole.core.transient_errors import retry_transient  # noqa: E402
from dlqconsole.engine.database.notifications import WakeUps  # noqa: E402
from dlqconsole.processing.isolation import HandlerProcesses  # noqa: E402
from tests.bench.timing import Counted, count_steps, payload, payloads, spaced  # noqa: E402

QUEUE = "bench"


class Peer:
    def __init__(self, url: str) -> None:
        self.name = f"bench-{time.monotonic_ns()}"
        connection.ensure_connection()

    def send(self, seconds: float, warm: float, batch: int, queue: str = QUEUE) -> Counted:
        """Send one by one, or many with one call."""

        def step() -> int:
            if batch == 1:
                messages.send(queue, *payloads(1))
            else:
                messages.send_many(queue, [messages.NewMessage(text) for text in payloads(batch)])
            return batch

        return count_steps(step, seconds, warm)

    def drain(self, seconds: float, warm: float, batch: int, queue: str = QUEUE) -> Counted:
        """Claim, parse, complete with the next claim: one transaction and one round trip for both."""
        reader = messages.QueueReader(queue, self.name)
        held: list[messages.MessageClaim] = []

        def step() -> int:
            nonlocal held
            lease = policy(queue).lease_seconds
            gone, held = messages.exchange(reader, batch, lease, done=held)
            for claim in held:
                orjson.loads(claim.payload)
            return len(gone) or len(held)

        counted = count_steps(lambda: retry_transient(step), seconds, warm)
        messages.complete(held)
        return counted

    def claim_until_told(self, pause: float, seconds: float, queue: str = QUEUE) -> list[float]:
        """Claim one now and then, completing the one before, until told otherwise; seconds each took."""
        reader, took = messages.QueueReader(queue, self.name), []
        held: list[messages.MessageClaim] = []
        until = time.monotonic() + seconds
        while len(took) < 3 or (time.monotonic() < until and not _is_told(pause)):
            begun = time.monotonic()
            _, held = messages.exchange(reader, 1, 60, done=held)
            took.append(time.monotonic() - begun)
        messages.complete(held)
        return took

    def stop(self) -> None:
        """What ends ``claim_until_told``."""

    def consume(
        self,
        seconds: float,
        warm: float,
        batch: int,
        queue: str = QUEUE,
        concurrency: int = 1,
        apart: bool = False,
    ) -> Counted:
        """The full consumer: leases kept by heartbeat, handlers, records in enriched_events."""
        with handling.isolated(concurrency, concurrency) if apart else nullcontext():
            self._consume(warm, queue, batch, concurrency)
            return self._consume(seconds, queue, batch, concurrency)

    def _consume(self, seconds: float, queue: str, batch: int, concurrency: int) -> Counted:
        consumer = Consumer([queue], batch=batch, concurrency=concurrency)
        alarm = threading.Timer(seconds, consumer.stop)
        alarm.start()
        begun = time.monotonic()
        counts = consumer.run(until_empty=True)
        alarm.cancel()
        done = counts[messages.ClaimResult.COMPLETED]
        return {"done": done, "begun": begun, "ended": time.monotonic()}

    def isolation(self, events: int, batch: int) -> float:
        """The microseconds of processor that an event costs more in a process of its own than here."""
        stored = [StoredEvent(payload(number), None, {}, QUEUE, str(number)) for number in range(batch)]
        rounds = max(events // batch, 1)
        begun = time.process_time()
        for _ in range(rounds):
            for event in stored:
                handle_in_process(event)
        here = time.process_time() - begun
        with handling.isolated():
            own = handling.processes()
            self._handle_apart(own, stored)
            begun, begun_there = time.process_time(), _cpu_seconds_of_children()
            for _ in range(rounds):
                self._handle_apart(own, stored)
            apart = time.process_time() - begun + _cpu_seconds_of_children() - begun_there
        return (apart - here) / (rounds * batch) * 1e6

    def _handle_apart(self, own: HandlerProcesses, events: list[StoredEvent]) -> None:
        handling.begin_all(own, list(enumerate(events)), math.inf)
        done = 0
        while done < len(events):
            for one in own.finished(1.0):
                handling.result_of(events[one.key], one)
                done += 1

    def send_spaced(self, number: int) -> dict[int, float]:
        """Send one now and then; when each was committed."""
        sent = {}
        for one in spaced(number):
            messages.send(QUEUE, payload(one))
            sent[one] = time.monotonic()
        return sent

    def wait_for(self, number: int, seconds: float) -> dict[int, float]:
        """Sleep as the consumer does until there is something; when each was claimed."""
        wakeups, reader = WakeUps([QUEUE], self.name, poll_seconds=10), messages.QueueReader(QUEUE, self.name)
        claimed: dict[int, float] = {}
        until = time.monotonic() + seconds
        while len(claimed) < number and time.monotonic() < until:
            found = reader.claim(10, 60)
            if not found:
                wakeups.announce()
                found = reader.claim(10, 60)
            if not found:
                wakeups.wait(1)
                continue
            now = time.monotonic()
            claimed |= {orjson.loads(claim.payload)["order_id"]: now for claim in found}
            messages.complete(found)
        wakeups.awake()
        wakeups.close()
        return claimed

    def follow(self, seconds: float, poll_seconds: float, queue: str = QUEUE) -> int:
        """Take whatever comes, and sleep whenever there is nothing."""
        wakeups, reader = WakeUps([queue], self.name, poll_seconds), messages.QueueReader(queue, self.name)
        until, taken = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            found = reader.claim(100, 60)
            if not found:
                wakeups.announce()
                found = reader.claim(100, 60)
            if not found:
                wakeups.wait(max(0.0, until - time.monotonic()))
                continue
            wakeups.awake()
            taken += len(messages.complete(found))
        wakeups.close()
        return taken

    def sleep(self, seconds: float, queue: str = QUEUE) -> int:
        """Be announced as asleep all the time: every sender has to wake us. Nothing is taken."""
        wakeups = WakeUps([queue], self.name, poll_seconds=4 * seconds)
        wakeups.announce()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            wakeups.wait(max(0.0, until - time.monotonic()))
        wakeups.awake()
        wakeups.close()
        return 0

    def race(self, rounds: int, queue: str) -> dict[str, Any]:
        """Send one at a time, each as the consumer is about to fall asleep; how many did not wake it."""
        here, stopping = threading.Event(), threading.Event()
        consumer = threading.Thread(target=self._answer, args=(queue, here, stopping))
        consumer.start()
        missed = 0
        connection.cursor().execute("SET synchronous_commit = off")
        for _ in range(rounds):
            here.clear()
            messages.send(queue, *payloads(1))
            missed += not here.wait(2)
            here.wait(30)
            time.sleep(random.uniform(0, 0.002))
        stopping.set()
        messages.send(queue, *payloads(1))  # the last one, which it wakes up for to see that it is over
        consumer.join()
        return {"rounds": rounds, "missed": missed}

    def _answer(self, queue: str, here: threading.Event, stopping: threading.Event) -> None:
        # the poll must never be what finds a message
        wakeups, reader = WakeUps([queue], self.name, poll_seconds=60), messages.QueueReader(queue, self.name)
        connection.cursor().execute("SET synchronous_commit = off")
        while not stopping.is_set():
            found = reader.claim(10, 60)
            if not found:
                wakeups.announce()
                found = reader.claim(10, 60)
            if not found:
                wakeups.wait(20)
                continue
            messages.complete(found)
            here.set()
        wakeups.close()
        connection.close()


def _cpu_seconds_of_children() -> float:
    """What the handlers' process has used: a child of our child's, in a session of its own."""
    ticks = 0
    for template in _children(os.getpid()):
        for child in _children(template):
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_told(seconds: float) -> bool:
    """Whether the next order comes within that time."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])
