"""Keeps the leases of what a consumer holds, while a handler takes its time."""

import logging
import threading
import time
from collections.abc import Iterable
from typing import Any

import psycopg

from dlqconsole.engine import own_connection
from dlqconsole.engine.messages import Claim
from dlqconsole.engine.messages.holding import held
from dlqconsole.engine.sql import sql

log = logging.getLogger(__name__)

# Renewed when this share of the lease is over; not begun any more when this share of it is left.
RENEW_AFTER = 1 / 3
MARGIN = 1 / 6


class Heartbeat:
    """A thread that extends the leases of the claims it was given, each lease's third.

    ``take`` and ``let_go`` say what is held; ``holds`` says whether a claim may still be begun: its lease
    must last a while by this process's own clock, so that a process that was stopped for long notices.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._claims: dict[int, Claim] = {}
        self._until: dict[int, float] = {}
        self._lease = 60.0
        self._changed = threading.Event()
        self._stopping = False
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._thread: threading.Thread | None = None

    def take(self, claims: Iterable[Claim], lease_seconds: float, claimed_at: float) -> None:
        """Keep these; ``claimed_at`` is ``time.monotonic()`` of the moment before the claim."""
        with self._lock:
            for claim in claims:
                self._claims[claim.id] = claim
                self._until[claim.id] = claimed_at + lease_seconds
            self._lease = lease_seconds
        if self._thread is None and self._claims:
            self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
            self._thread.start()

    def let_go(self, claims: Iterable[Claim]) -> None:
        """These are settled, or given back."""
        with self._lock:
            for claim in claims:
                self._claims.pop(claim.id, None)
                self._until.pop(claim.id, None)

    def holds(self, claim: Claim) -> bool:
        """Whether the claim is ours for long enough to begin with it."""
        with self._lock:
            return self._until.get(claim.id, 0.0) - self._lease * MARGIN > time.monotonic()

    def stop(self) -> None:
        """End the thread."""
        self._stopping = True
        self._changed.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stopping:
            self._changed.wait(self._lease * RENEW_AFTER / 2)
            due = self._due()
            if due and not self._stopping:
                self._renew(due)
        if self._connection is not None:
            self._connection.close()

    def _due(self) -> list[Claim]:
        soon = time.monotonic() + self._lease * (1 - RENEW_AFTER)
        with self._lock:
            return [claim for number, claim in self._claims.items() if self._until[number] < soon]

    def _renew(self, claims: list[Claim]) -> None:
        asked_at, lease = time.monotonic(), self._lease
        try:
            if self._connection is None:
                self._connection = own_connection.connect()
            rows = self._connection.execute(sql("messages.extend"), held(claims) | {"lease": lease})
            still = {row[0] for row in rows}
        except psycopg.Error as error:
            log.warning("the heartbeat did not reach the database: %s", str(error).splitlines()[0])
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return
        with self._lock:
            for claim in claims:
                if claim.id in self._claims:
                    self._until[claim.id] = asked_at + lease if claim.id in still else 0.0
