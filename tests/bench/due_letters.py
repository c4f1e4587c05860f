"""Dead letters by the million, of which a tenth is due, with the source design's index beside ours."""

import psycopg

# the source design finds what is due by status and time
SOURCE_INDEX = "source_design_due"
SOURCE_SCAN = """SELECT id, event_type, payload, retry_count FROM dlq_events
    WHERE status = 'PENDING' AND retry_after <= now() ORDER BY retry_after LIMIT 50 FOR UPDATE SKIP LOCKED"""

TYPES = 12
KEPT = ("dlq_events_due", "dlq_events_in_flight")
INDEXES = """SELECT i.indexname, i.indexdef FROM pg_indexes i WHERE i.tablename = 'dlq_events'
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname)"""
# a tenth is due, a tenth is due within the next day, the rest is closed
ROWS = f"""INSERT INTO dlq_events (event_type, payload, error_reason, error_category, error_class, status,
        retry_count, retry_after, source, source_key)
    SELECT 'due.type_' || mod(i / 10, {TYPES}), jsonb_build_object('order_id', i, 'tier', 'basic'),
        'TimeoutError: no answer', (ARRAY['TRANSIENT', 'DEPENDENCY', 'UNKNOWN'])[1 + mod(i / 100, 3)],
        'TimeoutError', CASE WHEN mod(i, 10) < 2 THEN 'PENDING' ELSE 'SUCCEEDED' END, mod(i, 7),
        now() + CASE mod(i, 10) WHEN 1 THEN 1 ELSE -1 END * interval '1 day' * random(), 'bench', i
    FROM generate_series(1, %s) i"""


def fill(url: str, number: int) -> None:
    """So many rows. Triggers stay away, and indexes that no schedule reads: they are not what is measured."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute("ALTER TABLE dlq_events DROP CONSTRAINT dlq_events_source")
        indexes = connection.execute(INDEXES).fetchall()
        for name, _definition in indexes:
            connection.execute(f"DROP INDEX {name}")
        connection.execute(ROWS, (number,))
        for name, definition in indexes:
            if name in KEPT:
                connection.execute(definition)
        connection.execute(f"CREATE INDEX {SOURCE_INDEX} ON dlq_events (status, retry_after)")
        connection.execute("VACUUM (ANALYZE) dlq_events")
