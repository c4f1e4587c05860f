"""A run's row in the database: what it has done so far, and that it is alive."""

import time
from collections import Counter

from dlqconsole.engine.database.locks import HeldLock, lock_held
from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.retries.attempts import Attempted
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.sql import sql

HEARTBEAT_SECONDS = 2.0
COUNTS = ("claimed", "succeeded", "failed", "exhausted", "lost")


class Record:
    """The row of a run that is going on. Counts are written at each heartbeat and at the end.

    Each writing but the last shows the lock's token. ``refused``: somebody has taken the lock since. Raises
    LockHeld where that was so from the beginning.
    """

    def __init__(self, trigger: str, worker: str, lock: HeldLock) -> None:
        self.counts: Counter[str] = Counter()
        self.refused = False
        self.lock = lock.name
        values = {"trigger": trigger, "worker": worker, "lock": lock.name, "token": lock.token}
        begun = fetch_column(sql("runs.begin"), values)
        if not begun:
            raise lock_held(lock.name)
        self.id = int(begun[0])
        self._written = time.monotonic()

    def count(self, done: Attempted) -> None:
        """Add one attempt."""
        if done.unhandled:
            self.counts["claimed"] -= 1  # as if it had not been: it is as it was
        else:
            self._count_handled(done)
        self.beat()

    def _count_handled(self, done: Attempted) -> None:
        self.counts["failed" if done.status != DeadLetterStatus.SUCCEEDED else "succeeded"] += not done.lost
        self.counts["exhausted"] += done.status == DeadLetterStatus.EXHAUSTED

    def beat(self) -> None:
        """Write the counts, where the last writing is a while ago."""
        if time.monotonic() - self._written >= HEARTBEAT_SECONDS:
            self.refused = not self._write("runs.progress", lock=self.lock)

    def end(self, note: str, more_due: bool) -> RetryRun:
        """Write the end; the row as it stands then."""
        self._write("runs.end", note=note, more_due=more_due)
        return RetryRun.objects.get(pk=self.id)

    def _write(self, query: str, **more: object) -> bool:
        values = {"id": self.id, **{name: self.counts[name] for name in COUNTS}, **more}
        written = retry_transient(lambda: fetch_column(sql(query), values))
        self._written = time.monotonic()
        return bool(written)
