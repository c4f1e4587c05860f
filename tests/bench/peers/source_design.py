"""The source design's table: four indexes, counts by GROUP BY, no triggers."""

import time

import psycopg

FILL = """INSERT INTO bare_letters (event_type, payload, error_reason, error_stacktrace, status, retry_count,
        retry_after, created_at)
    SELECT event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after, created_at
    FROM dlq_events ORDER BY id"""
# the same questions as the console's tabs, a type's tabs, and the overview's histogram
FIGURES = {
    "status": "SELECT status, count(*) FROM bare_letters GROUP BY 1",
    "type": "SELECT status, count(*) FROM bare_letters WHERE event_type = 'order.type_1' GROUP BY 1",
    "hours": """SELECT date_trunc('hour', created_at), count(*) FROM bare_letters
        WHERE created_at > date_trunc('hour', now()) - interval '23 hours' GROUP BY 1""",
}
NEEDLES = {
    "text": """SELECT * FROM bare_letters WHERE error_reason ILIKE '%shard {needle} within%'
        ORDER BY created_at DESC LIMIT 50""",
    "value": """SELECT * FROM bare_letters WHERE payload #>> '{{order_id}}' = '{needle}'
        ORDER BY created_at DESC LIMIT 50""",
}


class Peer:
    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)

    def fill(self) -> None:
        """The same dead letters, and statistics."""
        indexes = self.connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes"
            " WHERE tablename = 'bare_letters' AND indexdef NOT LIKE '%UNIQUE%'"
        ).fetchall()
        for name, _definition in indexes:
            self.connection.execute(f"DROP INDEX {name}")
        self.connection.execute("SET maintenance_work_mem = '256MB'")
        self.connection.execute(FILL)
        for _name, definition in indexes:
            self.connection.execute(definition)
        self.connection.execute("VACUUM (ANALYZE) bare_letters")

    def figures(self, number: int) -> dict[str, list[float]]:
        """What they cost, in milliseconds."""
        return {name: [self._timed(query) for _ in range(number)] for name, query in FIGURES.items()}

    def needle(self, what: str, needle: int, number: int) -> list[float]:
        """Find the newest dead letters with a text or a value in the payload; milliseconds each took."""
        return [self._timed(NEEDLES[what].format(needle=needle)) for _ in range(number)]

    def _timed(self, query: str) -> float:
        begun = time.perf_counter()
        self.connection.execute(query).fetchall()
        return (time.perf_counter() - begun) * 1000
