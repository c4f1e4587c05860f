-- pgqueuer's tables. It has no functions in the database: ``retry`` is its own statement, word for word (a test compares).

-- name: failed
-- A job that failed again since stands in the log again, and is taken from there.
SELECT p.id AS log_id, p.created AS failed_at, j.id, j.entrypoint AS event_type, NULL::text AS payload, j.payload AS raw,
    j.attempts + 1 AS attempts, p.traceback::text AS error,
    coalesce(pg_column_size(j.payload), 0) + coalesce(pg_column_size(p.traceback), 0) AS size,
    (CASE WHEN jsonb_typeof(j.headers) = 'object' THEN j.headers ELSE '{}' END
        || jsonb_strip_nulls(jsonb_build_object('pgqueuer-entrypoint', j.entrypoint, 'pgqueuer-job', j.id,
        'pgqueuer-attempts', j.attempts + 1, 'pgqueuer-priority', j.priority, 'pgqueuer-dedupe-key', j.dedupe_key,
        'pgqueuer-created', j.created)))::text AS headers
FROM page p JOIN {jobs} j ON j.id = p.job_id
WHERE p.status = 'failed' AND j.status = 'failed' AND j.entrypoint = %(queue)s
    AND NOT EXISTS (
        SELECT FROM {log} again WHERE again.job_id = p.job_id AND again.id > p.id AND again.status = 'failed'
    )

-- name: succeeded
-- After they had failed.
SELECT p.job_id FROM page p
WHERE p.status = 'successful' AND p.entrypoint = %(queue)s AND p.id <= (SELECT read_to FROM reach) AND EXISTS (
    SELECT FROM {log} before WHERE before.job_id = p.job_id AND before.status = 'failed'
)

-- name: states
-- What is done leaves the table, and only the log says how.
SELECT asked.id, coalesce(j.status, last.status)::text AS state
FROM unnest(%(ids)s::bigint[]) asked (id) LEFT JOIN {jobs} j ON j.id = asked.id
LEFT JOIN LATERAL (
    SELECT l.status FROM {log} l WHERE j.id IS NULL AND l.job_id = asked.id ORDER BY l.created DESC, l.id DESC LIMIT 1
) last ON true
WHERE j.id IS NOT NULL OR last.status IN ('successful', 'exception', 'canceled', 'deleted')

-- name: lock
SELECT id, NULL::text AS payload, payload AS raw FROM {jobs}
WHERE id = ANY (%(ids)s::bigint[]) AND entrypoint = %(queue)s AND status = 'failed'
ORDER BY id
FOR UPDATE

-- name: retry
WITH requeued AS (
    UPDATE {jobs}
    SET status = 'queued', execute_after = NOW(), updated = NOW(),
        attempts = 0, queue_manager_id = NULL
    WHERE id = ANY(ARRAY[%(id)s::bigint]) AND status = 'failed'
    RETURNING id, entrypoint, priority
)
INSERT INTO {log} (job_id, status, entrypoint, priority)
SELECT id, 'queued', entrypoint, priority FROM requeued
RETURNING job_id

-- name: metrics
SELECT count(*) FILTER (WHERE status = 'queued' AND execute_after <= now()) AS visible,
    count(*) FILTER (WHERE status = 'picked') AS in_flight,
    count(*) FILTER (WHERE status = 'queued' AND execute_after > now()) AS scheduled,
    extract(epoch FROM now() - min(execute_after) FILTER (WHERE status = 'queued' AND execute_after <= now()))::float
        AS oldest_due_seconds
FROM {jobs}
WHERE status IN ('queued', 'picked') AND entrypoint = %(queue)s

-- name: failed_by_queue
SELECT entrypoint AS queue, count(*) AS messages FROM {jobs} WHERE status = 'failed' GROUP BY 1 ORDER BY 1
