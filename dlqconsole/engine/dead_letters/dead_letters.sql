-- name: claim_due
-- Only of the types that the caller has handlers for: its index finds the soonest of each, so a million that nobody
-- handles are not even passed over. Some more are looked at than are taken, for what somebody else has locked.
WITH soonest AS MATERIALIZED (
    SELECT e.id, e.retry_after
    FROM unnest(%(event_types)s::text[]) handled (event_type),
    LATERAL (
        SELECT d.id, d.retry_after FROM dlq_events d
        WHERE d.event_type = handled.event_type AND d.status = 'PENDING'
            AND d.error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND d.retry_after <= now()
            AND d.id <> ALL (%(but)s::bigint[])
        ORDER BY d.retry_after, d.id
        LIMIT 2 * %(limit)s
    ) e
    ORDER BY e.retry_after, e.id
    LIMIT 2 * %(limit)s
), due AS MATERIALIZED (
    SELECT id FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM soonest)) AND status = 'PENDING'
        AND error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND retry_after <= now()
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
    d.max_retries, d.lease_token, 'PENDING' AS status_before, d.operation_id AS operation_before

-- name: any_due
-- Whether the schedule would find anything of these types.
SELECT EXISTS (
    SELECT 1 FROM unnest(%(event_types)s::text[]) handled (event_type),
    LATERAL (
        SELECT 1 FROM dlq_events d
        WHERE d.event_type = handled.event_type AND d.status = 'PENDING'
            AND d.error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND d.retry_after <= now()
        LIMIT 1
    ) found
)

-- name: claim_these
WITH picked AS MATERIALIZED (
    SELECT id, status, operation_id FROM dlq_events
    WHERE id = ANY (%(ids)s::bigint[]) AND status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        AND payload_version = coalesce(%(payload_version)s::integer, payload_version)
    ORDER BY id
    FOR UPDATE
)
UPDATE dlq_events d
SET status = 'RETRYING', owner = %(owner)s, lease_token = gen_random_uuid(), operation_id = %(operation_id)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM picked
WHERE d.id = picked.id
RETURNING d.id, d.event_type, d.payload::text, d.payload_raw, d.headers, d.source, d.source_key, d.retry_count,
    d.max_retries, d.lease_token, picked.status AS status_before, picked.operation_id AS operation_before

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
    SET status = dead_letter_becomes(%(status)s, retry_count + 1, coalesce(max_retries, %(max_retries)s),
            %(fatal)s AND crash_count + 1 >= %(max_crashes)s),
        crash_count = crash_count + %(fatal)s::integer, retry_count = retry_count + 1, occurrences = occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => %(delay)s),
        error_reason = %(reason)s, error_category = %(category)s, error_stacktrace = %(stacktrace)s,
        lease_token = NULL, lease_until = NULL
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'RETRYING'
    RETURNING id, owner, status
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_category,
        error_reason, error_stacktrace)
    SELECT id, %(kind)s, coalesce(owner, ''), %(started_at)s, clock_timestamp(), 'failed', %(category)s,
        %(reason)s, %(stacktrace)s
    FROM failed
)
SELECT status FROM failed

-- name: give_back
-- What was claimed and not begun, or has no handler here, is as it was before: nothing happened to it.
UPDATE dlq_events d
SET status = held.status, operation_id = held.operation_id, owner = NULL, lease_token = NULL, lease_until = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(statuses)s::text[], %(operations)s::bigint[])
    held (id, token, status, operation_id)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id

-- name: exhaust
-- Rows that came in, or were edited, with no retries left: visible, never silently skipped. Only of the types that
-- the caller has handlers for: of the others nothing was tried.
UPDATE dlq_events SET status = 'EXHAUSTED'
WHERE id = ANY (ARRAY(
    SELECT id FROM dlq_events
    WHERE status = 'PENDING' AND error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') AND retry_after <= now()
        AND dead_letter_becomes(status, retry_count, coalesce(max_retries, %(max_retries)s)) = 'EXHAUSTED'
        AND event_type = ANY (%(event_types)s::text[])
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
    SET status = dead_letter_becomes('PENDING', d.retry_count + 1, coalesce(d.max_retries, %(max_retries)s),
            d.crash_count + 1 >= %(max_crashes)s),
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
