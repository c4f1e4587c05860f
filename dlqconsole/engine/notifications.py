"""Wake-ups: LISTEN on one connection of its own, with polling underneath. Losing one costs latency only."""

import random
import time

import psycopg
from django.db import connection

CHANNEL = "message_queue"


class WakeUps:
    """Waits until there may be messages on one of ``queues``, or until the poll interval has passed."""

    def __init__(self, queues: frozenset[str], poll_seconds: float = 2.0) -> None:
        self.queues = queues
        self.poll_seconds = poll_seconds
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None

    def wait(self) -> None:
        """Return when one of the queues was written to, or after a jittered interval; never raises."""
        deadline = time.monotonic() + self.poll_seconds * random.uniform(0.5, 1.0)  # noqa: S311
        try:
            listener = self._listen()
            while (left := deadline - time.monotonic()) > 0:
                for notification in listener.notifies(timeout=left, stop_after=1):
                    if notification.payload in self.queues:
                        return
        except psycopg.Error:
            # the database is away, or ended this session: poll until it is back
            self.close()
            time.sleep(max(0.0, min(1.0, deadline - time.monotonic())))

    def close(self) -> None:
        """End the session; the next wait opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _listen(self) -> "psycopg.Connection[tuple[object, ...]]":
        if self._connection is None:
            # autocommit: inside a transaction a listener hears nothing until it commits
            parameters = connection.get_connection_params()
            for name in ("cursor_factory", "context", "prepare_threshold"):
                parameters.pop(name, None)
            self._connection = psycopg.connect(**parameters, autocommit=True)
            self._connection.execute(f"LISTEN {CHANNEL}")
        return self._connection
