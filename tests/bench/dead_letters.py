"""Dead letters by the million, in a database of their own that measurements are copied from."""

import psycopg

from dlqconsole.engine.sql import sql
from tests.bench.server import Server

DATABASE = "letters"

# 12 types with 5 reasons each are 60 groups; what varies within a group are numbers. About 600 bytes a row.
TYPES, REASONS = 12, 5
GROUPS = TYPES * REASONS
PAYLOAD = """jsonb_build_object('order_id', i,
    'customer', jsonb_build_object('id', mod(i, 5000), 'tier', 'basic'),
    'lines', jsonb_build_array(jsonb_build_object('sku', 'A-' || mod(i, 700), 'amount', mod(i, 9) + 1),
        jsonb_build_object('sku', 'B-' || mod(i, 300), 'amount', 1)), 'note', repeat('x', 120))"""
REASON = """(ARRAY['TimeoutError: no answer from shard ' || i || ' within 30 s',
    'connection refused: billing:' || i, 'HTTPError: 503 from /orders/' || i,
    'ValueError: amount ' || i || ' is out of range', 'KeyError: ''customer_' || i || ''''])[1 + mod(i, 5)]"""
CATEGORY = "(ARRAY['TRANSIENT', 'DEPENDENCY', 'UNKNOWN', 'BUSINESS', 'PERMANENT'])[1 + mod(i, 5)]"
TRACE = """E'Traceback (most recent call last):\\n  File "/srv/shop/consumer.py", line 41, in handle\\n'
    || E'    charge(order)\\n  File "/srv/shop/billing.py", line ' || mod(i, 60) || E', in charge\\n'
    || '    raise error'"""
# one of each group is made as a producer would make it
FIRST = f"""INSERT INTO dlq_events (event_type, payload, headers, error_reason, error_stacktrace,
        error_category, status, source, source_key, created_at)
    SELECT 'order.type_' || mod(i, {TYPES}), {PAYLOAD}, '{{"trace": "00-4bf92f35"}}', {REASON}, {TRACE},
        {CATEGORY}, 'PENDING', 'bench', 'first/' || i, now() - interval '7 days'
    FROM generate_series(0, {GROUPS - 1}) i"""
# the others are of the same groups: to find that out a million times is not what is measured
REST = f"""INSERT INTO dlq_events (event_type, payload, headers, error_reason, error_stacktrace,
        error_category, error_class, fingerprint_id, fingerprint_version, group_id, status, retry_count,
        source, source_key, created_at)
    SELECT g.event_type, {PAYLOAD}, g.headers, {REASON}, {TRACE}, g.error_category, g.error_class,
        g.fingerprint_id, g.fingerprint_version, g.group_id,
        CASE WHEN mod(i, 10) < 7 THEN 'PENDING' ELSE 'EXHAUSTED' END,
        mod(i, 10), 'bench', 'letters/' || i, now() - interval '7 days' * (1 - i / %(number)s::float8)
    FROM generate_series({GROUPS}, %(number)s - 1) i
    JOIN (SELECT *, split_part(source_key, '/', 2)::integer AS number FROM dlq_events
        WHERE source = 'bench') g
        ON g.number = mod(i, {GROUPS})
    ORDER BY i"""
INDEXES = """SELECT i.indexname, i.indexdef FROM pg_indexes i WHERE i.tablename = 'dlq_events'
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname)"""


def stocked(server: Server, number: int) -> str:
    """The database with so many dead letters, made when it is first asked for; its name."""
    if not server.has(DATABASE):
        _stock(server.database(DATABASE), number)
    return DATABASE


def _stock(url: str, number: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        indexes = connection.execute(INDEXES).fetchall()
        for name, _definition in indexes:
            connection.execute(f"DROP INDEX {name}")
        connection.execute("SET maintenance_work_mem = '256MB'; SET work_mem = '64MB'")
        load(connection, number)
        for _name, definition in indexes:
            connection.execute(definition)
        connection.execute("VACUUM (ANALYZE)")


def load(connection: psycopg.Connection, number: int) -> None:
    """Put so many dead letters there, of a week up to now, and count them."""
    connection.execute(FIRST)
    connection.execute("ALTER TABLE dlq_events DISABLE TRIGGER dlq_events_complete")
    connection.execute(REST, {"number": number})
    connection.execute("ALTER TABLE dlq_events ENABLE TRIGGER dlq_events_complete")
    connection.execute(sql("rollups.fold"), {"limit": number})
    connection.execute("ANALYZE dlq_events")
