"""The source design's schedule: who has ShedLock's lock works alone, fifty in one transaction, row by row."""

import os
import time
from typing import Any

import psycopg

from tests.bench.handlers import wait
from tests.bench.timing import Counted

LOCK = """INSERT INTO shedlock
    VALUES ('bench', timezone('utc', now()) + interval '5 min', timezone('utc', now()), %(by)s)
    ON CONFLICT (name) DO UPDATE SET lock_until = excluded.lock_until, locked_at = excluded.locked_at,
        locked_by = excluded.locked_by
    WHERE shedlock.lock_until <= timezone('utc', now())"""
UNLOCK = "UPDATE shedlock SET lock_until = timezone('utc', now()) WHERE name = 'bench' AND locked_by = %(by)s"
LEFT = "SELECT EXISTS (SELECT FROM bare_letters WHERE status = 'PENDING')"
DUE = """SELECT id, payload FROM bare_letters WHERE status = 'PENDING' AND retry_after <= now()
    ORDER BY retry_after LIMIT 50 FOR UPDATE SKIP LOCKED"""
DONE = "UPDATE bare_letters SET status = 'SUCCEEDED', updated_at = now() WHERE id = %s"


class Peer:
    def __init__(self, url: str) -> None:
        self.lock, self.work_on = (psycopg.connect(url, autocommit=True) for _ in range(2))
        self.me = {"by": f"worker-{os.getpid()}"}

    def work(self, seconds: float) -> Counted:
        """Try for the lock every 20 ms until nothing is left; ``seconds``: what the handler takes."""
        begun, done = time.monotonic(), 0
        while self.work_on.execute(LEFT).fetchone()[0]:
            if self.lock.execute(LOCK, self.me).rowcount:
                done += self._drain(seconds)
                self.lock.execute(UNLOCK, self.me)
            else:
                time.sleep(0.02)
        return {"done": done, "begun": begun, "ended": time.monotonic()}

    def _drain(self, seconds: float) -> int:
        done = 0
        while batch := self._batch(seconds):
            done += batch
        return done

    def _batch(self, seconds: float) -> int:
        with self.work_on.transaction():
            due: list[tuple[int, Any]] = self.work_on.execute(DUE).fetchall()
            for letter, payload in due:
                wait(payload | {"seconds": seconds})
                self.work_on.execute(DONE, (letter,))
        return len(due)
