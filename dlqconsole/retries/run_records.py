"""The records of a run: one row for the run of the fleet, and one for each worker in it.

The holder of the lock begins the run and ends it; the other workers join the open run. If the holder is gone,
one of the others takes the lock, and with it these rows.
"""

import json
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.errors import LockHeld
from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.core.owners import owner_name
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.database.locks import HeldLock, lock_held
from dlqconsole.hosting.database import transaction
from dlqconsole.retries.models import EndReason, RetryRun
from dlqconsole.retries.next_run import LOCK, LOCK_AT_MOST_SECONDS, SILENT_SECONDS
from dlqconsole.retries.sql import sql

HEARTBEAT_SECONDS = 2.0
# the rows of runs are deleted after so long
KEPT_DAYS = 90
COUNTS = ("claimed", "succeeded", "revived", "failed", "exhausted", "lost")


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The open run, with its seconds so far. ``late``: the seconds that it began after its time."""

    id: int
    seconds: float
    late: float


@dataclass(slots=True)
class Ending:
    """The ending of a worker's part. ``resume_after``: seconds until the next run; None: at its turn."""

    ended_for: EndReason
    note: str = ""
    resume_after: float | None = None


def open_run() -> OpenRun | None:
    """The run that is open now; None: there is none."""
    for row in fetch_dicts(sql("runs.open"), {"silence": SILENT_SECONDS}):
        return OpenRun(row["id"], row["seconds"], row["late_seconds"])
    return None


def mark_dead_workers() -> None:
    """Mark killed workers as gone, in the rows of finished runs."""
    fetch_column(sql("runs.bury"), {"silence": SILENT_SECONDS})


class RunRecord:
    """One worker's part in a run. ``lock``: this worker's; None: another worker keeps the run."""

    def __init__(self, run: OpenRun, lock: HeldLock | None, owner: str) -> None:
        self.run, self.owner, self._lock = run, owner, lock
        self._stack = ExitStack()
        self.counts: Counter[str] = Counter()
        self.failures: Counter[int] = Counter()
        self.is_open = self._is_ours = True
        self.others = 0
        self._noted_at = time.monotonic()
        fetch_column(sql("runs.join"), {"id": run.id, "worker": owner})

    @property
    def keeps(self) -> bool:
        """Tell whether this worker keeps the run, and so ends it."""
        return self._lock is not None

    @property
    def has_lost_lock(self) -> bool:
        """Tell whether this worker kept the run, and another does now."""
        return self._lock is not None and not (self._lock.is_held and self._is_ours)

    @property
    def done(self) -> int:
        """The number of finished attempts."""
        return self.counts["succeeded"] + self.counts["failed"]

    def beat(self) -> bool:
        """Write the counts, if the last writing is a while ago; tell whether it did."""
        if time.monotonic() - self._noted_at < HEARTBEAT_SECONDS:
            return False
        if self._note() and self.is_open and not self.keeps:
            self._adopt()
        return True

    def end(self, ending: Ending) -> RetryRun:
        """End this worker's part, and the run if it keeps it; return the run's row.

        A worker that has to stop leaves the run to those that still work in it.
        """
        is_free = self._note(ending.ended_for)
        if is_free and self.is_open and not self.keeps and not self.others:
            self._adopt()
        goes_on = self.others and ending.ended_for in (
            EndReason.STOPPED,
            EndReason.ERROR,
            EndReason.HELD_BACK,
        )
        if self.keeps and not goes_on:
            values = {
                "id": self.run.id,
                "worker": self.owner,
                "ended_for": str(ending.ended_for),
                "note": ending.note,
                "more_due": ending.resume_after is not None,
                "resume_after": ending.resume_after,
            }
            retry_transient(lambda: fetch_column(sql("runs.end"), values))
        self._stack.close()
        return RetryRun.objects.get(pk=self.run.id)

    def _note(self, left_for: str = "") -> bool:
        """Write the counts; tell whether the lock is free."""
        self._noted_at = time.monotonic()
        values = {
            "id": self.run.id,
            "worker": self.owner,
            "lock": LOCK,
            "silence": SILENT_SECONDS,
            "left_for": str(left_for),
            "failures": json.dumps({str(group): number for group, number in self.failures.most_common(100)}),
            **{name: self.counts[name] for name in COUNTS},
        }
        row = retry_transient(lambda: self._write(values))
        self.others, self.is_open, self._is_ours = row["others"], row["is_open"], row["is_ours"]
        return bool(row["is_free"])

    @staticmethod
    def _write(values: dict[str, object]) -> dict[str, Any]:
        with transaction.atomic():
            fetch_column(sql("runs.note"), values)
            return fetch_dicts(sql("runs.sum"), values)[0]

    def _adopt(self) -> None:
        """Become the keeper of a run without one, unless another worker is faster."""
        try:
            lock = self._stack.enter_context(HeldLock(LOCK, at_most=LOCK_AT_MOST_SECONDS))
        except LockHeld:
            return
        values = {"id": self.run.id, "worker": self.owner, "lock": LOCK, "token": lock.token}
        if fetch_column(sql("runs.adopt"), values):
            self._lock, self._is_ours = lock, True
        else:
            self._stack.close()


def begin(trigger: str, lock: HeldLock, late: float = 0.0, missed: int = 0) -> RunRecord:
    """Begin a run, and delete the oldest. Raises LockHeld if another worker has taken the lock by now."""
    execute(sql("runs.forget"), {"days": KEPT_DAYS})
    owner = owner_name()
    values = {
        "trigger": trigger,
        "worker": owner,
        "lock": LOCK,
        "token": lock.token,
        "late": late,
        "missed": missed,
    }
    ids = fetch_column(sql("runs.begin"), values)
    if not ids:
        raise lock_held(LOCK)
    return RunRecord(OpenRun(int(ids[0]), 0.0, late), lock, owner)


def join(run: OpenRun) -> RunRecord:
    """Take part in the open run."""
    return RunRecord(run, None, owner_name())
