-- What in the database slows every queue down. Other users' sessions are only visible to members of pg_monitor.

-- name: look
WITH ours AS (
    SELECT c.oid, c.relname FROM pg_class c
    WHERE c.relnamespace = to_regnamespace('{schema}')
        AND c.relname IN ('message_queue', 'message_queue_unlogged', 'queues', 'dlq_events', 'dlq_attempts',
            'enriched_events', 'operations', 'operation_items', 'audit_log')
), sessions AS MATERIALIZED (
    SELECT * FROM pg_stat_activity WHERE pid <> pg_backend_pid()
), waits AS (
    -- who waits for a row waits for its holder's transaction, and has its own lock on the table already
    SELECT w.pid, w.waitstart FROM pg_locks w
    WHERE NOT w.granted AND w.pid IN (
        SELECT l.pid FROM pg_locks l JOIN ours ON ours.oid = l.relation
        WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
), oldest AS (
    SELECT pid, application_name, state, clock_timestamp() - xact_start AS age FROM sessions
    WHERE datname = current_database() AND xact_start IS NOT NULL AND backend_type = 'client backend'
    ORDER BY xact_start LIMIT 1
), horizons AS (
    SELECT age(backend_xmin) AS transactions, 'the session of pid ' || pid AS holder FROM sessions
    WHERE backend_xmin IS NOT NULL AND backend_type IN ('client backend', 'walsender')
    UNION ALL
    SELECT greatest(age(xmin), age(catalog_xmin)), 'the replication slot ' || slot_name FROM pg_replication_slots
    WHERE xmin IS NOT NULL OR catalog_xmin IS NOT NULL
    UNION ALL
    SELECT age(transaction), 'the prepared transaction ' || gid FROM pg_prepared_xacts
), horizon AS (
    SELECT transactions, holder FROM horizons ORDER BY transactions DESC LIMIT 1
)
SELECT (SELECT count(DISTINCT pid) FROM waits) AS lock_waits,
    (SELECT extract(epoch FROM clock_timestamp() - min(waitstart))::float8 FROM waits) AS longest_lock_wait_seconds,
    (SELECT extract(epoch FROM age)::float8 FROM oldest) AS oldest_transaction_seconds,
    (SELECT pid FROM oldest) AS oldest_transaction_pid,
    (SELECT application_name FROM oldest) AS oldest_transaction_application,
    (SELECT state FROM oldest) AS oldest_transaction_state,
    coalesce((SELECT transactions FROM horizon), 0) AS oldest_xmin_transactions,
    (SELECT holder FROM horizon) AS oldest_xmin_holder,
    pg_notification_queue_usage() AS notification_queue_usage,
    (SELECT count(*) + 1 FROM sessions WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::integer AS max_connections

-- name: tables
SELECT relname AS name, n_live_tup AS live_rows, n_dead_tup AS dead_rows, last_autovacuum,
    greatest(last_autovacuum, last_vacuum) AS last_vacuum
FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND relname IN ('message_queue', 'message_queue_unlogged', 'dlq_events')
ORDER BY relname
