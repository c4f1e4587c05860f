"""Keeps the leases of what a consumer holds, while a handler takes its time."""

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import psycopg

from dlqconsole.engine.database import own_connection
from dlqconsole.engine.messages import Claim
from dlqconsole.engine.messages.holding import held as parameters
from dlqconsole.engine.sql import sql

log = logging.getLogger(__name__)

# Renewed when this share of the lease is over; not begun any more when this share of it is left.
RENEW_AFTER = 1 / 3
MARGIN = 1 / 6


@dataclass(slots=True)
class _Held:
    claim: Claim
    lease: float
    # by time.monotonic()
    until: float


class Heartbeat:
    """A thread that extends the leases of the claims it was given, each lease's third.

    ``take`` and ``let_go`` say what is held; ``holds`` says whether a claim may still be begun: its lease
    must last a while by this process's own clock, so that a process that was stopped for long notices.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        # the shortest lease seen so far: how often to look
        self._shortest = 60.0
        self._changed = threading.Event()
        self._stopping = False
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._thread: threading.Thread | None = None

    def take(self, claims: Iterable[Claim], lease_seconds: float, claimed_at: float) -> None:
        """Keep these; ``claimed_at`` is ``time.monotonic()`` of the moment before the claim."""
        with self._lock:
            for claim in claims:
                self._held[claim.id] = _Held(claim, lease_seconds, claimed_at + lease_seconds)
        if lease_seconds < self._shortest:
            self._shortest = lease_seconds
            self._changed.set()
        if self._thread is None and self._held:
            self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
            self._thread.start()

    def let_go(self, claims: Iterable[Claim]) -> None:
        """These are settled, or given back."""
        with self._lock:
            for claim in claims:
                self._held.pop(claim.id, None)

    def holds(self, claim: Claim) -> bool:
        """Whether the claim is ours for long enough to begin with it."""
        with self._lock:
            held = self._held.get(claim.id)
            return held is not None and held.until - held.lease * MARGIN > time.monotonic()

    def stop(self) -> None:
        """End the thread."""
        self._stopping = True
        self._changed.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stopping:
            self._changed.wait(self._shortest * RENEW_AFTER / 2)
            self._changed.clear()
            for lease, due in self._due().items():
                if not self._stopping:
                    self._renew(due, lease)
        if self._connection is not None:
            self._connection.close()

    def _due(self) -> dict[float, list[_Held]]:
        """What to renew now, by the length of the lease."""
        now = time.monotonic()
        due: dict[float, list[_Held]] = {}
        with self._lock:
            for held in self._held.values():
                if held.until < now + held.lease * (1 - RENEW_AFTER):
                    due.setdefault(held.lease, []).append(held)
        return due

    def _renew(self, due: list[_Held], lease: float) -> None:
        asked_at = time.monotonic()
        values = parameters([held.claim for held in due]) | {"lease": lease}
        try:
            if self._connection is None:
                self._connection = own_connection.connect()
            still = {row[0] for row in self._connection.execute(sql("messages.extend"), values)}
        except psycopg.Error as error:
            log.warning("the heartbeat did not reach the database: %s", str(error).splitlines()[0])
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return
        with self._lock:
            # one that was let go and claimed again meanwhile is another one by now
            for held in due:
                held.until = asked_at + lease if held.claim.id in still else 0.0
