"""The thread that keeps a consumer's leases while a handler takes its time."""

import logging
import math
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import Error

from dlqconsole.core.errors import EngineError
from dlqconsole.core.transient_errors import sentence
from dlqconsole.hosting.database import connection
from dlqconsole.transports.source import Delivery, Source

log = logging.getLogger(__name__)

# Renewed when this share of the lease is over; not begun any more when this share of it is left.
RENEW_AFTER = 1 / 3
MARGIN = 1 / 6


@dataclass(slots=True)
class _Lease:
    source: Source
    seconds: float
    # by time.monotonic(); 0 once the lease is known to be lost
    until: float


class LeaseHeartbeat:
    """A thread that extends the leases of the messages it was given, each lease's third.

    ``take`` and ``let_go`` say what is held; ``holds`` says whether a message may still be begun: its lease
    must last a while by this process's own clock, so that a process that was stopped for long notices.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # held while leases are being extended
        self._beating = threading.Lock()
        self._leases: dict[Delivery, _Lease] = {}
        # the shortest lease seen so far: how often to look
        self._shortest = 60.0
        self._changed = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def take(
        self, source: Source, messages: Sequence[Delivery], lease_seconds: float, claimed_at: float
    ) -> None:
        """Keep the leases of these. ``claimed_at``: ``time.monotonic()`` of the moment before the claim."""
        if not source.leases_per_message:
            lease_seconds = math.inf
        with self._lock:
            for message in messages:
                self._leases[message] = _Lease(source, lease_seconds, claimed_at + lease_seconds)
        if lease_seconds < self._shortest:
            self._shortest = lease_seconds
            self._changed.set()
        if self._thread is None and self._leases:
            self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
            self._thread.start()

    def let_go(self, messages: Iterable[Delivery]) -> None:
        """Stop extending these. A beat that is under way ends first: it would undo what becomes of them."""
        with self._beating, self._lock:
            for message in messages:
                self._leases.pop(message, None)

    def holds(self, message: Delivery) -> bool:
        """Tell whether the message is ours for long enough to begin with it."""
        return self.may_begin_until(message) > time.monotonic()

    def may_begin_until(self, message: Delivery) -> float:
        """Return until when (time.monotonic()) the message may be begun, as far as we know; 0: not at all."""
        lease = self._leases.get(message)  # one look at one entry needs no lock
        if lease is None or lease.until == math.inf:
            return 0.0 if lease is None else math.inf
        return lease.until - lease.seconds * MARGIN

    def has_lost(self, message: Delivery) -> bool:
        """Tell whether its source has said that the lease is somebody else's."""
        lease = self._leases.get(message)
        return lease is not None and lease.until == 0.0

    def stop(self) -> None:
        """End the thread."""
        self._stopping = True
        self._changed.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        sources: set[Source] = set()
        while not self._stopping:
            self._changed.wait(self._shortest * RENEW_AFTER / 2)
            self._changed.clear()
            for (source, _queue, seconds), due in self._due().items():
                sources.add(source)
                if not self._stopping:
                    with self._beating:
                        self._renew(source, due, seconds)
        for source in sources:
            source.close()
        connection.close()

    def _due(self) -> dict[tuple[Source, str, float], list[Delivery]]:
        """Return the messages to renew now, by source, queue and length of the lease."""
        now = time.monotonic()
        due: dict[tuple[Source, str, float], list[Delivery]] = {}
        with self._lock:
            for message, lease in self._leases.items():
                if 0.0 < lease.until < now + lease.seconds * (1 - RENEW_AFTER):
                    due.setdefault((lease.source, message.queue, lease.seconds), []).append(message)
        return due

    def _renew(self, source: Source, due: Sequence[Delivery], seconds: float) -> None:
        asked_at = time.monotonic()
        with self._lock:
            # some may have been let go since they were found due
            due = [message for message in due if message in self._leases]
        if not due:
            return
        try:
            still = source.extend(due, seconds)
        except (EngineError, Error) as error:
            # the next look tries again, and there are some before the lease is over
            log.warning("leases were not extended: %s", sentence(error))
            connection.close()
            return
        with self._lock:
            for message in due:
                if (lease := self._leases.get(message)) is not None:
                    lease.until = asked_at + seconds if message.id in still else 0.0
