-- Every claim carries a token; whoever completes, extends or gives back must show it. Zero rows means the
-- lease ran out and somebody else holds the message. now() is used to compare (the planner may use an index),
-- clock_timestamp() to write; both are the database's clock.

-- name: send
INSERT INTO message_queue (queue, payload, payload_raw, headers)
VALUES (%(queue)s, %(payload)s::jsonb, %(payload_raw)s, %(headers)s::jsonb)
RETURNING id

-- name: claim
WITH due AS MATERIALIZED (
    -- MATERIALIZED: with IN (SELECT … LIMIT … SKIP LOCKED) a nested loop may claim far more than the limit
    SELECT id, priority, crash_count FROM message_queue
    WHERE queue = %(queue)s AND status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM queues WHERE name = %(queue)s AND paused)
    ORDER BY priority DESC, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), first AS (
    SELECT id, crash_count > 0 AS suspect FROM due ORDER BY priority DESC, id LIMIT 1
), taken AS (
    -- What was in a consumer's hands when it died is claimed alone: one of them may have killed it, and the
    -- others must not be blamed with it a second time.
    SELECT due.id FROM due, first WHERE due.id = first.id OR (due.crash_count = 0 AND NOT first.suspect)
)
UPDATE message_queue m
SET status = 'processing', retry_count = m.retry_count + 1, owner = %(owner)s, lease_token = gen_random_uuid(),
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s), dequeued_time = clock_timestamp()
FROM taken
WHERE m.id = taken.id
RETURNING m.id, m.queue, m.payload::text, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.lease_token,
    m.dlq_event_id, m.priority

-- name: stage
UPDATE message_queue SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE status = 'scheduled' AND next_retry_at <= now()
    ORDER BY next_retry_at
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: extend
UPDATE message_queue m SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE m.id = held.id AND m.lease_token = held.token AND m.status = 'processing'
RETURNING m.id

-- name: complete
WITH gone AS (
    DELETE FROM message_queue
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'processing'
    RETURNING id, dlq_event_id, revive_seq, owner, dequeued_time
), healed AS (
    UPDATE dlq_events d SET status = 'SUCCEEDED'
    FROM gone g
    WHERE d.id = g.dlq_event_id AND d.revive_count = g.revive_seq AND d.status = 'REVIVED'
    RETURNING d.id, g.owner, g.dequeued_time
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome)
    SELECT id, 'revive', owner, dequeued_time, clock_timestamp(), 'succeeded' FROM healed
), enriched AS (
    INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)
    SELECT %(event_type)s, %(source)s, %(source_key)s, %(occurred_at)s, %(record)s::jsonb FROM gone
    ON CONFLICT (source, source_key) DO NOTHING
)
SELECT id FROM gone

-- name: retry_later
UPDATE message_queue
SET status = CASE WHEN %(delay)s > 0 THEN 'scheduled' ELSE 'pending' END,
    next_retry_at = clock_timestamp() + make_interval(secs => %(delay)s),
    last_error = %(reason)s, owner = NULL, lease_token = NULL, lease_until = NULL
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'processing'
RETURNING id

-- name: release
UPDATE message_queue m
SET status = 'pending', retry_count = m.retry_count - 1, owner = NULL, lease_token = NULL, lease_until = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE m.id = held.id AND m.lease_token = held.token AND m.status = 'processing'
RETURNING m.id

-- name: bury
WITH gone AS (
    -- the message and its dead letter change places in one statement
    DELETE FROM message_queue
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'processing'
    RETURNING id, queue, payload, payload_raw, headers, owner, dequeued_time, created_at, dlq_event_id, revive_seq,
        retry_count
), returned AS (
    -- a revived message that fails again: the same row returns
    UPDATE dlq_events d
    SET status = CASE
            WHEN %(status)s = 'PENDING' AND d.retry_count >= coalesce(d.max_retries, %(schedule_max_retries)s)
            THEN 'EXHAUSTED' ELSE %(status)s END,
        error_reason = %(reason)s, error_category = %(category)s, error_stacktrace = %(stacktrace)s,
        occurrences = d.occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => %(delay)s)
    FROM gone g
    WHERE d.id = g.dlq_event_id AND d.revive_count = g.revive_seq AND d.status = 'REVIVED'
    RETURNING d.id, g.owner, g.dequeued_time
), added AS (
    INSERT INTO dlq_events (event_type, payload, payload_raw, headers, error_reason, error_category,
        error_stacktrace, status, retry_count, retry_after, source, source_key, queue, original_message_id,
        first_failure_at, owner)
    SELECT left(%(event_type)s, 255), g.payload, g.payload_raw, g.headers, %(reason)s, %(category)s,
        %(stacktrace)s, %(status)s, 0, clock_timestamp() + make_interval(secs => %(delay)s),
        %(source)s, %(source_key)s, g.queue, g.id, coalesce(g.dequeued_time, clock_timestamp()), NULL
    FROM gone g
    WHERE NOT EXISTS (SELECT 1 FROM returned)
    ON CONFLICT (source, source_key) DO UPDATE
    -- a redelivered failure is one row: one occurrence more, and the newest error where it still waits
    SET occurrences = dlq_events.occurrences + 1, last_failure_at = clock_timestamp(),
        error_reason = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_reason ELSE dlq_events.error_reason END,
        error_category = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_category ELSE dlq_events.error_category END,
        error_stacktrace = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_stacktrace ELSE dlq_events.error_stacktrace END
    RETURNING id
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_reason,
        error_stacktrace)
    SELECT d.id, CASE WHEN g.dlq_event_id IS NULL THEN 'queue' ELSE 'revive' END, coalesce(g.owner, ''),
        coalesce(g.dequeued_time, clock_timestamp()), clock_timestamp(), 'failed', %(reason)s, %(stacktrace)s
    FROM (SELECT id FROM returned UNION ALL SELECT id FROM added) d, gone g
)
SELECT id FROM returned UNION ALL SELECT id FROM added

-- name: reclaim
-- Any consumer takes back what a dead one held. Oldest first, locked in order.
WITH stale AS MATERIALIZED (
    SELECT id FROM message_queue
    WHERE status = 'processing' AND lease_until < now() AND crash_count < %(max_crashes)s - 1
    ORDER BY id
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
)
UPDATE message_queue m
SET status = 'pending', crash_count = m.crash_count + 1, owner = NULL, lease_token = NULL, lease_until = NULL,
    last_error = 'the consumer ' || coalesce(m.owner, '?') || ' stopped while holding this message'
FROM stale WHERE m.id = stale.id
RETURNING m.id

-- name: claim_crashed
-- What has crashed its consumer once too often is claimed only to be quarantined.
WITH stale AS MATERIALIZED (
    SELECT id FROM message_queue
    WHERE status = 'processing' AND lease_until < now() AND crash_count >= %(max_crashes)s - 1
    ORDER BY id
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE message_queue m
SET crash_count = m.crash_count + 1, lease_token = gen_random_uuid(),
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM stale WHERE m.id = stale.id
RETURNING m.id, m.queue, m.payload::text, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.lease_token,
    m.dlq_event_id, m.priority
