"""Faults at random, from a seed: consumers killed and stopped, sessions ended, the database crashed."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import psycopg

from tests.faults.world import World

DIED_BY_HAND, DIED_OF_POISON = -signal.SIGKILL, 9


class Monkey:
    """Keeps ``size`` consumers running and harms one every ``pace`` messages; ``faults`` counts it."""

    def __init__(self, world: World, seed: int, size: int, pace: int) -> None:
        self.world = world
        self.draw = random.Random(seed)
        self.pace = pace
        self.faults: Counter[str] = Counter()
        self.consumers = [
            world.consume("--batch", str(self.draw.choice([1, 5, 10, 20]))) for _ in range(size)
        ]
        self.failed: list[str] = []
        self.two_of_a_group = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def harm(self) -> None:
        """One fault, drawn by lot; then wait until work has gone on for a while."""
        action: Callable[[], None] = self.draw.choices(
            [self.kill, self.stall, self.end_sessions], weights=[3, 2, 3]
        )[0]
        action()
        until = self._completed() + self.draw.randint(1, 2 * self.pace)
        deadline = time.monotonic() + 5
        while self._completed() < until and time.monotonic() < deadline:
            self.tend()
            time.sleep(0.1)

    def kill(self) -> None:
        """kill -9 for one."""
        self.draw.choice(self.consumers).send_signal(signal.SIGKILL)
        self.faults["kill -9"] += 1

    def stall(self) -> None:
        """One stands still for longer than its leases, and then goes on as if nothing had been."""
        victim = self.draw.choice(self.consumers)
        if victim.poll() is None:
            victim.send_signal(signal.SIGSTOP)
            self.faults["stopped past its lease"] += 1
            threading.Timer(self.draw.uniform(2.2, 3.5), self._go_on, [victim]).start()

    def end_sessions(self) -> None:
        """pg_terminate_backend for some: consumers, listeners, heartbeats, handlers and producers."""
        number = self.draw.randint(1, 4)
        self.faults["session ended"] += self.world.terminate_backends(
            "pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND"
            f" application_name <> 'watcher' AND pid <> pg_backend_pid() ORDER BY random() LIMIT {number})"
        )

    def crash_database(self) -> float:
        """Stop PostgreSQL at once and start it again; seconds until something was completed."""
        self.world.server.crash()
        time.sleep(self.draw.uniform(0.2, 2.0))
        self.world.server.start()
        self.world.reconnect()
        self.faults["database crashed"] += 1
        begun, before = time.monotonic(), self._completed()
        # where all was done before, nothing is completed any more
        self.world.until(lambda: self.tend() or self._completed() > before or not self.world.waiting(), 30)
        return time.monotonic() - begun

    def tend(self) -> None:
        """Start another for each that died; note whoever died by itself."""
        for number, consumer in enumerate(self.consumers):
            if consumer.poll() is None:
                continue
            if consumer.returncode == DIED_OF_POISON:
                self.faults["handler ended its process"] += 1
            elif consumer.returncode != DIED_BY_HAND:
                self.failed.append(f"{consumer.returncode}: {self.world.said(consumer)[-3000:]}")
            self.consumers[number] = self.world.consume("--batch", "10")

    def rest(self) -> None:
        """No more harm, and no more watching."""
        self._over.set()
        self._watcher.join(5)

    def _completed(self) -> int:
        return self.world.count("SELECT count(*) FROM enriched_events")

    def _go_on(self, process) -> None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT) if process.poll() is None else None

    def _watch(self) -> None:
        """Two of a group under valid leases at one moment: there must never be any."""
        session = None
        while not self._over.wait(0.05):
            try:
                session = session or psycopg.connect(
                    self.world.server.url(self.world.database), autocommit=True, application_name="watcher"
                )
                rows = session.execute(
                    "SELECT 1 FROM message_queue WHERE group_key IS NOT NULL AND status = 'processing'"
                    " AND lease_until > now() GROUP BY queue, group_key HAVING count(*) > 1"
                ).fetchall()
                self.two_of_a_group += len(rows)
            except psycopg.Error:
                session = None
