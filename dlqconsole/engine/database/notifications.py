"""Wake-ups: LISTEN on one connection of its own, with polling underneath. Losing one costs latency only."""

import random
import select
import time
from collections.abc import Sequence
from typing import Any

import psycopg

from dlqconsole.engine.database import sessions
from dlqconsole.engine.sql import sql

CHANNEL = "message_queue"
# A producer that has not committed yet did not see that we sleep: look again soon.
UNCERTAIN_SECONDS = 0.1


class WakeUps:
    """Waits until there may be messages on one of ``queues``, or until the poll interval has passed.

    The order matters: ``announce``, look at the queues once more, then ``wait``. The look finds messages sent
    before the announcement; a producer that sends after it wakes us.
    """

    def __init__(self, queues: Sequence[str], consumer: str, poll_seconds: float = 2.0) -> None:
        self.queues = sorted(set(queues))
        self.consumer = consumer
        self.poll_seconds = poll_seconds
        self._announced = False
        self._seconds = 0.0
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    def announce(self) -> None:
        """Tell producers that we are about to sleep. Never raises: without the database we only poll."""
        self._seconds = self.poll_seconds * random.uniform(0.5, 1.0)  # noqa: S311
        if not self.queues:
            return
        try:
            listener = self._listen()
            self._drain(listener)
            values = {"queues": self.queues, "consumer": self.consumer, "seconds": self._seconds + 1}
            listener.execute(sql("wakeups.announce"), values)
            self._announced = True
            if listener.execute(sql("wakeups.nobody_sends"), values).fetchone() != (True,):
                self._seconds = UNCERTAIN_SECONDS * random.uniform(0.5, 1.0)  # noqa: S311
        except psycopg.Error:
            self.close()

    def wait(self, longest: float | None = None, also: Sequence[int] = ()) -> None:
        """Return when one of the queues was written to, or after ``longest`` or the poll interval.

        Also when one of the file numbers ``also`` can be read.
        """
        seconds = min(self._seconds, self._seconds if longest is None else longest)
        if not self.queues:  # nobody will wake us
            _wait_for(also, seconds)
            return
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                listener = self._listen()
                if also:
                    if self._was_called(listener, 0) or _wait_for([listener.fileno(), *also], remaining):
                        return
                elif self._was_called(listener, remaining):
                    return
            except psycopg.Error:
                # the database is away, or ended this session: poll until it is back
                self.close()
                time.sleep(min(1.0, remaining))
                return

    def awake(self) -> None:
        """Tell producers that nobody needs to be woken here, while there is enough to do."""
        if not self._announced:
            return
        self._announced = False
        try:
            self._listen().execute(sql("wakeups.awake"), {"queues": self.queues, "consumer": self.consumer})
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """End the session; the next call opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listen(self) -> "psycopg.Connection[tuple[Any, ...]]":
        if self._connection is None:
            self._connection = sessions.own_connection()
            self._connection.execute(f"LISTEN {CHANNEL}")
        return self._connection

    def _was_called(self, listener: "psycopg.Connection[tuple[Any, ...]]", seconds: float) -> bool:
        notifications = listener.notifies(timeout=seconds, stop_after=1)
        return any(notification.payload in self.queues for notification in notifications)

    def _drain(self, listener: "psycopg.Connection[tuple[Any, ...]]") -> None:
        """Forget notifications from while we were awake: the queues are looked at anyway."""
        for _ in listener.notifies(timeout=0):
            pass


def _wait_for(descriptors: Sequence[int], seconds: float) -> bool:
    """Wait for so long at most. Tell whether one of them can be read."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
