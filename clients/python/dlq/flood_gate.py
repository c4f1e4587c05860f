"""The flood gate: in an outage work waits where it is, and leaves no dead letter for each piece.

The console's database knows whether more than half of a type's first attempts fail. While all is well a
process asks it once a second for each type; while it does not answer, work goes on as if there were no gate.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from dataclasses import dataclass
from typing import Any

from .destinations import Away
from .errors import category_of, reason_of
from .postgresql import Database

log = logging.getLogger("dlq")

# seconds: for an answer; one that all is well is believed; a silent database is not asked; until the
# connection of a process that asks nothing is closed; between two log lines
WAIT, BELIEVED, PAUSE, IDLE, QUIET = 0.04, 1.0, 5.0, 10.0, 60.0
_MOST_TYPES = 1_000
_ASK = """SELECT ARRAY[CASE WHEN hold THEN extract(epoch FROM retry_in) ELSE 0 END, probe::integer]::float8[]
    FROM flood_gate(event_type => %(type)s, failed => %(failed)s, succeeded => %(succeeded)s,
        error_reason => %(reason)s, error_category => %(category)s, drain_rate => %(drain_rate)s,
        waited => %(waited)s)"""
_Answer = queue.SimpleQueue[Any]
_NOTHING = {"failed": 0, "succeeded": 0, "reason": "", "category": "UNKNOWN", "waited": False}


@dataclass
class _Type:
    """An event type: until when all is well, successes that nobody was told of, whether one tries for all."""

    well_until: float = 0.0
    succeeded: int = 0
    probes: bool = False


class FloodGate:
    """The gate of one process; any thread may ask. Seconds are how long to wait: 0.0 is to go on."""

    def __init__(self, dsn: str, drain_rate: float, parents: FloodGate | None = None) -> None:
        # not even collected: that would say goodbye in the parent's name
        self.pid, self._parents = os.getpid(), parents
        self._database, self._drain_rate = Database(dsn), drain_rate
        self._types: dict[str, _Type] = {}
        self._lock = threading.Lock()
        self._questions: queue.SimpleQueue[tuple[dict[str, Any], _Answer]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._asked_at: float | None = None
        self._away_until, self._said_at = 0.0, -QUIET

    def ask(self, type: str, *, waited: bool = False) -> float:
        """Return the seconds that work of the type has to wait before it runs."""
        known = self._known(type)
        if time.monotonic() < known.well_until:
            return 0.0
        self._tell_successes(type, known)
        seconds, probes = self._answer(type, waited=waited)
        known.probes |= probes
        known.well_until = 0.0 if seconds or probes else time.monotonic() + BELIEVED
        return seconds

    def failed(self, type: str, error: BaseException, *, waited: bool = False, decides: bool = True) -> float:
        """Tell of a failure; return the seconds until it is tried again: 0.0 is that it is a dead letter.

        ``decides`` is False of what is tried again anyway: then it counts only if it tried for the others.
        """
        known = self._known(type)
        if not (decides or known.probes):
            return 0.0
        with self._lock:
            succeeded, known.succeeded, known.probes = known.succeeded, 0, False
        seconds, _ = self._answer(
            type, failed=1, succeeded=succeeded, waited=waited,
            reason=reason_of(error), category=category_of(error) or "UNKNOWN",
        )  # fmt: skip
        if seconds:
            known.well_until = 0.0
        return seconds

    def succeeded(self, type: str, number: int = 1) -> None:
        """Count successes. They are told with the next question, of one that tried for the others at once."""
        known = self._known(type)
        with self._lock:
            known.succeeded += number
        if known.probes:
            known.probes = False
            self._tell_successes(type, known)

    def _known(self, type: str) -> _Type:
        if len(self._types) > _MOST_TYPES:
            self._types = {}
        return self._types.setdefault(type, _Type())

    def _tell_successes(self, type: str, known: _Type) -> None:
        with self._lock:
            succeeded, known.succeeded = known.succeeded, 0
        if succeeded:
            self._put(type, succeeded=succeeded)

    def _answer(self, type: str, **values: Any) -> tuple[float, bool]:
        """Ask the database, for WAIT at most: how long to wait, and whether this one tries for the others."""
        answer = self._put(type, **values)
        with contextlib.suppress(queue.Empty):
            if answer and (found := answer.get(timeout=WAIT)):
                return max(found[0], 0.0), bool(found[1])
        return 0.0, False

    def _put(self, type: str, **values: Any) -> _Answer | None:
        """Have the thread ask; None: the database is away, or slow."""
        now, asked_at = time.monotonic(), self._asked_at
        if now < self._away_until or (asked_at is not None and now - asked_at > WAIT):
            return None
        if not self._start():
            return None
        answer: _Answer = queue.SimpleQueue()
        self._questions.put(({**_NOTHING, "type": type, "drain_rate": self._drain_rate, **values}, answer))
        return answer

    def _start(self) -> bool:
        """Have the thread run; False where none can begin any more."""
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._answer_all, name="dlq-gate", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return False
                self._thread = thread
            return True

    def _answer_all(self) -> None:
        while True:
            try:
                values, answer = self._questions.get(timeout=IDLE)
            except queue.Empty:
                self._database.close()
                continue
            self._asked_at = time.monotonic()
            try:
                answer.put(self._database.ask(_ASK, values))
            except Exception as problem:
                self._rest(problem)
                answer.put(None)
            self._asked_at = None

    def _rest(self, problem: Exception) -> None:
        """Leave the database alone for a moment; who asks now goes on."""
        now = time.monotonic()
        self._away_until = now + PAUSE
        with contextlib.suppress(queue.Empty):
            while True:
                self._questions.get_nowait()[1].put(None)
        if now - self._said_at >= QUIET:
            self._said_at = now
            what = problem if isinstance(problem, Away) else type(problem).__name__
            log.warning("the flood gate does not answer, so nothing waits: %s", what)
