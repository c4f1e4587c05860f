-- procrastinate's tables, by its own functions where it has them. Nothing here adds to its schema or changes it.

-- name: failed
-- A job that failed again since stands in the log again, and is taken from there. What an old version gives up while it
-- waits is logged as cancelled.
SELECT p.id AS log_id, p.at AS failed_at, j.id, j.task_name AS event_type, j.args::text AS payload, NULL::bytea AS raw,
    j.attempts, NULL AS error, coalesce(pg_column_size(j.args), 0) AS size,
    jsonb_strip_nulls(jsonb_build_object('procrastinate-queue', j.queue_name, 'procrastinate-task', j.task_name,
        'procrastinate-job', j.id, 'procrastinate-attempts', j.attempts, 'procrastinate-priority', j.priority,
        'procrastinate-lock', j.lock, 'procrastinate-queueing-lock', j.queueing_lock,
        'procrastinate-scheduled-at', j.scheduled_at))::text AS headers
FROM page p JOIN {jobs} j ON j.id = p.job_id
WHERE p.type IN ('failed', 'cancelled') AND j.status = 'failed' AND j.queue_name = %(queue)s
    AND NOT EXISTS (
        SELECT FROM {log} again
        WHERE again.job_id = p.job_id AND again.id > p.id AND again.type IN ('failed', 'cancelled')
    )

-- name: succeeded
-- After they had failed.
SELECT p.job_id FROM page p JOIN {jobs} j ON j.id = p.job_id
WHERE p.type = 'succeeded' AND j.queue_name = %(queue)s AND p.id <= (SELECT read_to FROM reach) AND EXISTS (
    SELECT FROM {log} before WHERE before.job_id = p.job_id AND before.type = 'failed'
)

-- name: states
SELECT id, status::text AS state FROM {jobs} WHERE id = ANY (%(ids)s::bigint[])

-- name: lock
SELECT id, args::text AS payload, NULL::bytea AS raw FROM {jobs}
WHERE id = ANY (%(ids)s::bigint[]) AND queue_name = %(queue)s AND status = 'failed'
ORDER BY id
FOR UPDATE

-- name: retry
SELECT {place}.procrastinate_retry_job_v2(%(id)s::bigint, clock_timestamp(), NULL, NULL, NULL)

-- name: metrics
-- What waits and runs is indexed; what is done is not counted. Nobody notes since when a job waits.
SELECT count(*) FILTER (WHERE status = 'todo' AND coalesce(scheduled_at <= now(), true)) AS visible,
    count(*) FILTER (WHERE status = 'doing') AS in_flight,
    count(*) FILTER (WHERE status = 'todo' AND scheduled_at > now()) AS scheduled,
    NULL::float AS oldest_due_seconds
FROM {jobs}
WHERE status IN ('todo', 'doing') AND queue_name = %(queue)s

-- name: failed_by_queue
SELECT queue_name AS queue, count(*) AS messages FROM {jobs} WHERE status = 'failed' GROUP BY 1 ORDER BY 1
