"""What stands on each system's queue before a measurement, put there by SQL: the same rows for all."""

import psycopg

MESSAGE = "jsonb_build_object('order_id', i, 'customer', 'c' || mod(i, 1000), 'note', repeat('x', 150))"
NUMBERS = "FROM generate_series(1, %s) i"

TABLES = {
    "ours": "message_queue, enriched_events",
    "consumer": "message_queue, enriched_events",
    "pgmq": "pgmq.q_bench",
    "pgmq_autocommit": "pgmq.q_bench",
    "pgqueuer": "pgqueuer, pgqueuer_log",
    "procrastinate": "procrastinate_jobs, procrastinate_events, procrastinate_periodic_defers",
    "limit": "bare_queue, bare_log",
}
PGMQ = f"INSERT INTO pgmq.q_bench (vt, message) SELECT now(), {MESSAGE} {NUMBERS}"
OURS = f"INSERT INTO message_queue (queue, payload) SELECT 'bench', {MESSAGE} {NUMBERS}"
FILL = {
    "ours": OURS,
    "consumer": OURS,
    "pgmq": PGMQ,
    "pgmq_autocommit": PGMQ,
    "pgqueuer": f"""INSERT INTO pgqueuer (priority, status, entrypoint, payload, execute_after)
        SELECT 0, 'queued', 'bench', convert_to(({MESSAGE})::text, 'UTF8'), now() {NUMBERS}""",
    "procrastinate": f"""INSERT INTO procrastinate_jobs (queue_name, task_name, args)
        SELECT 'bench', 'bench', {MESSAGE} {NUMBERS}""",
    "limit": f"INSERT INTO bare_queue (queue, payload) SELECT 'bench', {MESSAGE} {NUMBERS}",
}
# In an hour, and more urgent than all that is due.
SCHEDULE = {
    "ours": f"""INSERT INTO message_queue (queue, payload, priority, next_retry_at)
        SELECT 'bench', {MESSAGE}, 10, now() + interval '1 hour' {NUMBERS}""",
    "pgmq": f"""INSERT INTO pgmq.q_bench (vt, message)
        SELECT now() + interval '1 hour', {MESSAGE} {NUMBERS}""",
}
# A page of messages that come, are claimed, and go: each step a commit.
CHURN = {
    "ours": (
        OURS,
        """UPDATE message_queue SET status = 'processing', owner = 'churn', lease_token = gen_random_uuid(),
            lease_until = now() + interval '1 hour', dequeued_time = now(), retry_count = retry_count + 1
        WHERE queue = 'bench' AND status = 'pending'""",
        "DELETE FROM message_queue WHERE queue = 'bench' AND status = 'processing'",
    ),
    "pgmq": (
        PGMQ,
        "UPDATE pgmq.q_bench SET vt = now() + interval '1 hour', read_ct = read_ct + 1, last_read_at = now()",
        "DELETE FROM pgmq.q_bench",
    ),
}
PAGE = 10_000


class Stock:
    """The keeper of one database's queues."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = psycopg.connect(url, autocommit=True)

    def clear(self, system: str) -> None:
        """Empty a system's tables as if new."""
        self._connection.execute(f"TRUNCATE {TABLES[system]} CASCADE")

    def fill(self, system: str, number: int) -> None:
        """Put messages there that are due, and let the planner know."""
        self._connection.execute(FILL[system], (number,))
        self.vacuum(system)

    def fill_queue(self, queue: str, number: int) -> None:
        """Put messages on a queue of ours by its name."""
        self._connection.execute(OURS.replace("'bench'", "%s"), (queue, number))
        self.vacuum("ours")

    def top_up(self, system: str, number: int) -> None:
        """Fill, beside what stands there for later, up to so many that are due."""
        due = {
            "ours": "SELECT count(*) FROM message_queue WHERE phase = 'live'",
            "pgmq": "SELECT count(*) FROM pgmq.q_bench WHERE vt <= now()",
        }
        there = self._connection.execute(due[system]).fetchone()[0]
        if there < number:
            self.fill(system, number - there)

    def schedule(self, system: str, number: int) -> None:
        """Put messages there that are not due yet."""
        self._connection.execute(SCHEDULE[system], (number,))
        self.vacuum(system)

    def churn(self, system: str, number: int) -> None:
        """Let so many messages come and go, by the same set-based statements for all."""
        while number > 0:
            come, claim, go = CHURN[system]
            self._connection.execute(come, (min(PAGE, number),))
            self._connection.execute(claim)
            self._connection.execute(go)
            number -= PAGE

    def vacuum(self, system: str) -> None:
        """What autovacuum would soon do, now: no measurement should begin in the middle of it."""
        self._connection.execute(f"VACUUM (ANALYZE) {TABLES[system]}")

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def hold_back(self) -> "psycopg.Connection":
        """A session in which a transaction began, and nobody ends it."""
        session = psycopg.connect(self._url)
        session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        session.execute("SELECT count(*) FROM pg_class")
        return session

    def close(self) -> None:
        """End the session."""
        self._connection.close()
