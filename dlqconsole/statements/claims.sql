-- name: begin
-- The handlers of these are about to run: from here on it is an attempt, and counts.
UPDATE dlq_events d SET begun_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => held.lease)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(leases)s::float8[]) held (id, token, lease)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING' AND d.begun_at IS NULL
RETURNING d.id, d.begun_at

-- name: extend
UPDATE dlq_events d SET lease_until = clock_timestamp() + make_interval(secs => held.lease)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(leases)s::float8[]) held (id, token, lease)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id

-- name: succeed
-- ``coalesce``: by their numbers, and not by the index of what is in flight, where thousands that were are dead entries.
WITH done AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(started)s::timestamptz[],
        %(occurred)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[])
        d (id, token, started_at, occurred_at, record, digest)
), healed AS (
    UPDATE dlq_events d SET status = 'SUCCEEDED', lease_token = NULL, lease_until = NULL
    FROM done
    WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
    RETURNING d.id, d.event_type, d.source, d.source_key, d.owner, d.group_id, done.started_at, done.occurred_at,
        done.record,
        -- not of what a person has made of it: it is to be known when it comes again as it came
        CASE WHEN d.payload_version = 0 THEN done.digest END AS digest
), told AS (
    SELECT attempts_add(array_agg(attempt(%(kind)s, 'succeeded', id, worker => owner, started_at => started_at)))
    FROM healed
), kept AS (
    SELECT records_keep(array_agg(
        event_record(event_type, source, source_key, occurred_at, record::jsonb, digest)))
    FROM healed
)
SELECT id, 'SUCCEEDED' AS status, group_id FROM healed, told, kept

-- name: fail_again
-- ``fatal``: the handler took its process with it. That is counted as a crash, and the third is the last; so is the
-- fifth that did not end in its time.
WITH done AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(started)s::timestamptz[], %(statuses)s::text[],
        %(most)s::integer[], %(delays)s::float8[], %(fatal)s::boolean[], %(reasons)s::text[],
        %(categories)s::text[], %(traces)s::text[])
        d (id, token, started_at, status, most, delay, fatal, reason, category, trace)
), failed AS (
    UPDATE dlq_events d
    SET status = dead_letter_becomes(done.status, d.retry_count + 1, coalesce(d.max_retries, done.most),
            done.fatal AND d.crash_count + 1 >= %(max_crashes)s
            OR dead_letter_times_out(d.id, NULL, done.reason, %(max_timeouts)s)),
        crash_count = d.crash_count + done.fatal::integer,
        retry_count = d.retry_count + 1, occurrences = d.occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => done.delay),
        error_reason = done.reason, error_category = done.category, error_stacktrace = done.trace,
        lease_token = NULL, lease_until = NULL
    FROM done
    WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
    RETURNING d.id, d.owner, d.status, d.group_id, done.started_at, done.reason, done.category, done.trace
), told AS (
    SELECT attempts_add(array_agg(attempt(%(kind)s, 'failed', id, worker => owner, started_at => started_at,
        category => category, reason => reason, stacktrace => trace)))
    FROM failed
)
SELECT id, status, group_id FROM failed, told

-- name: give_back
-- What was claimed and not begun, or has no handler here, is as it was before: nothing happened to it.
UPDATE dlq_events d
SET status = held.status, operation_id = held.operation_id, owner = NULL, lease_token = NULL, lease_until = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(statuses)s::text[], %(operations)s::bigint[])
    held (id, token, status, operation_id)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id
