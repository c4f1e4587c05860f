-- name: claim_due
WITH due AS MATERIALIZED (
    SELECT id FROM dlq_events
    WHERE status = 'PENDING' AND error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND retry_after <= now()
    ORDER BY retry_after, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
UPDATE dlq_events d
SET status = 'RETRYING', owner = %(owner)s, lease_token = gen_random_uuid(),
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM due
WHERE d.id = due.id
RETURNING d.id, d.event_type, d.payload::text, d.payload_raw, d.headers, d.source, d.source_key, d.retry_count,
    d.max_retries, d.lease_token

-- name: claim_these
WITH picked AS MATERIALIZED (
    SELECT id FROM dlq_events
    WHERE id = ANY (%(ids)s::bigint[]) AND status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
    ORDER BY id
    FOR UPDATE
)
UPDATE dlq_events d
SET status = 'RETRYING', owner = %(owner)s, lease_token = gen_random_uuid(), operation_id = %(operation_id)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM picked
WHERE d.id = picked.id
RETURNING d.id, d.event_type, d.payload::text, d.payload_raw, d.headers, d.source, d.source_key, d.retry_count,
    d.max_retries, d.lease_token

-- name: extend
UPDATE dlq_events d SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id

-- name: succeed
WITH healed AS (
    UPDATE dlq_events SET status = 'SUCCEEDED', lease_token = NULL, lease_until = NULL
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'RETRYING'
    RETURNING id, event_type, source, source_key, owner
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome)
    SELECT id, %(kind)s, coalesce(owner, ''), %(started_at)s, clock_timestamp(), 'succeeded' FROM healed
), enriched AS (
    INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)
    SELECT event_type, source, source_key, %(occurred_at)s, %(record)s::jsonb FROM healed
    ON CONFLICT (source, source_key) DO NOTHING
)
SELECT 'SUCCEEDED' AS status FROM healed

-- name: fail_again
WITH failed AS (
    UPDATE dlq_events
    SET status = CASE
            WHEN %(status)s = 'PENDING' AND retry_count + 1 >= coalesce(max_retries, %(max_retries)s)
            THEN 'EXHAUSTED' ELSE %(status)s END,
        retry_count = retry_count + 1, occurrences = occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => %(delay)s),
        error_reason = %(reason)s, error_category = %(category)s, error_stacktrace = %(stacktrace)s,
        lease_token = NULL, lease_until = NULL
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'RETRYING'
    RETURNING id, owner, status
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_reason,
        error_stacktrace)
    SELECT id, %(kind)s, coalesce(owner, ''), %(started_at)s, clock_timestamp(), 'failed', %(reason)s,
        %(stacktrace)s
    FROM failed
)
SELECT status FROM failed

-- name: give_back
-- What the schedule claimed but did not begin goes back to PENDING, where claim_due took it from.
UPDATE dlq_events d SET status = 'PENDING', lease_token = NULL, lease_until = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id

-- name: exhaust
-- Rows that came in, or were edited, with no retries left: visible, never silently skipped.
UPDATE dlq_events SET status = 'EXHAUSTED'
WHERE id = ANY (ARRAY(
    SELECT id FROM dlq_events
    WHERE status = 'PENDING' AND error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND retry_after <= now()
        AND retry_count >= coalesce(max_retries, %(max_retries)s)
    ORDER BY retry_after, id
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: reclaim
-- A worker died while it held these: the crash counts as a failed attempt.
WITH stale AS MATERIALIZED (
    SELECT id FROM dlq_events
    WHERE status = 'RETRYING' AND lease_until < now()
    ORDER BY id
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
), freed AS (
    UPDATE dlq_events d
    SET status = CASE
            WHEN d.crash_count + 1 >= %(max_crashes)s THEN 'QUARANTINED'
            WHEN d.retry_count + 1 >= coalesce(d.max_retries, %(max_retries)s) THEN 'EXHAUSTED'
            ELSE 'PENDING' END,
        crash_count = d.crash_count + 1, retry_count = d.retry_count + 1,
        retry_after = clock_timestamp() + make_interval(secs => %(delay)s), lease_token = NULL, lease_until = NULL
    FROM stale WHERE d.id = stale.id
    RETURNING d.id, d.owner, d.status
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, outcome, error_reason)
    SELECT id, 'crash', coalesce(owner, ''), 'failed', 'the worker stopped while it held this dead letter'
    FROM freed
)
SELECT id, status FROM freed
