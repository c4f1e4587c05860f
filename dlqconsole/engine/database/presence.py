"""A process's word that it runs, said every few seconds by a thread. The database may be away.

On a connection of its own: a beat in a worker is a fork of it, and must use nothing that it shares.
"""

import atexit
import logging
import threading
from collections.abc import Mapping
from typing import Any, LiteralString

import psycopg

from dlqconsole.engine.database import sessions

log = logging.getLogger(__name__)

SAY_EVERY_SECONDS = 5.0


class PresenceThread(threading.Thread):
    """Says by one statement that ``who`` runs, and by another, at the end, that it runs no more."""

    def __init__(
        self,
        who: str,
        say: LiteralString,
        withdraw: LiteralString,
        values: Mapping[str, Any],
        every: float = SAY_EVERY_SECONDS,
    ) -> None:
        super().__init__(name=f"presence of the {who}", daemon=True)
        self._who, self._say, self._withdraw = who, say, withdraw
        self._values, self._every = values, every
        self._ended = threading.Event()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    def start(self) -> None:
        """Begin; the end of the process ends it."""
        atexit.register(self.stop)
        super().start()

    def run(self) -> None:
        while not self._ended.is_set():
            self._tell(self._say)
            self._ended.wait(self._every)
        self._tell(self._withdraw)
        if self._connection:
            self._connection.close()

    def stop(self) -> None:
        """Say that it runs no more."""
        self._ended.set()
        self.join(self._every)
        atexit.unregister(self.stop)

    def _tell(self, statement: LiteralString) -> None:
        try:
            if self._connection is None or self._connection.closed:
                self._connection = sessions.own_connection(connect_timeout=5)
            self._connection.execute(statement, self._values)
        except psycopg.Error as error:
            log.warning("nobody is told about this %s, the database is away: %s", self._who, error)
