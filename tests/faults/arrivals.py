"""Programs that keep failing while operators work: plain INSERTs, noted when they were confirmed."""

import threading
import time

import psycopg

from tests.faults.letters import QUEUES, REASON
from tests.faults.world import World

INSERT = """
    INSERT INTO dlq_events (event_type, payload, error_reason, error_category, retry_after)
    VALUES (%s, '{"do": "succeed", "place": 0}', %s, 'DEPENDENCY', '2099-01-01') RETURNING id
"""
PACE_SECONDS = 0.2


class Arrivals:
    """One new failure that matches the filter after the other; ``ids`` with the moment each was confirmed."""

    def __init__(self, world: World) -> None:
        self.ids: list[tuple[float, int]] = []
        self._url = world.server.url(world.database)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._fail, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def after(self, moment: float) -> list[int]:
        """Those that began to be written after this moment."""
        return [letter_id for begun, letter_id in self.ids if begun > moment]

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(10)

    def _fail(self) -> None:
        with psycopg.connect(self._url, autocommit=True, application_name="failing program") as session:
            number = 0
            while not self._over.wait(PACE_SECONDS):
                begun, number = time.monotonic(), number + 1
                values = [QUEUES[number % len(QUEUES)], f"Down: {REASON} (late)"]
                self.ids.append((begun, session.execute(INSERT, values).fetchone()[0]))
