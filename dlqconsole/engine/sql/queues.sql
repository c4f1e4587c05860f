-- name: policy
SELECT max_retries, lease_seconds, backoff_base_seconds, backoff_cap_seconds, backoff_factor, backoff_jitter,
    rate_limit, unlogged
FROM queues WHERE name = %(name)s

-- name: live
SELECT name, coalesce(l.visible, 0) AS visible, coalesce(l.in_flight, 0) AS in_flight,
    coalesce(l.scheduled, 0) AS scheduled,
    extract(epoch FROM clock_timestamp() - l.oldest_due)::float AS oldest_due_seconds,
    coalesce(q.paused, false) AS paused
FROM (
    SELECT queue AS name,
        count(*) FILTER (WHERE status = 'pending') AS visible,
        count(*) FILTER (WHERE status = 'processing') AS in_flight,
        count(*) FILTER (WHERE status = 'scheduled') AS scheduled,
        min(created_at) FILTER (WHERE status = 'pending') AS oldest_due
    FROM message_queue GROUP BY queue
) l
FULL JOIN queues q USING (name)
ORDER BY name
LIMIT 1000

-- name: dead_letters
SELECT coalesce(queue, event_type) AS name, count(*) AS dead_letters
FROM dlq_events
WHERE status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')
GROUP BY 1
ORDER BY 2 DESC
LIMIT 1000

-- name: dead_letters_estimated
-- The same, from one page of the table in fifty.
SELECT coalesce(queue, event_type) AS name, count(*) * 50 AS dead_letters
FROM dlq_events TABLESAMPLE SYSTEM (2)
WHERE status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')
GROUP BY 1
ORDER BY 2 DESC
LIMIT 1000

-- name: add_activity
INSERT INTO queue_activity AS a (queue, minute, completed, retried, dead_lettered, lost)
SELECT queue, date_trunc('minute', clock_timestamp()), completed, retried, dead_lettered, lost
FROM unnest(%(queues)s::text[], %(completed)s::int[], %(retried)s::int[], %(dead_lettered)s::int[], %(lost)s::int[])
    n (queue, completed, retried, dead_lettered, lost)
ORDER BY queue
ON CONFLICT (queue, minute) DO UPDATE SET completed = a.completed + excluded.completed,
    retried = a.retried + excluded.retried, dead_lettered = a.dead_lettered + excluded.dead_lettered,
    lost = a.lost + excluded.lost
RETURNING a.id

-- name: forget_activity
DELETE FROM queue_activity WHERE minute < clock_timestamp() - interval '7 days'

-- name: delete_archived
DELETE FROM message_archive WHERE queue = %(queue)s AND (id, archived_at) IN (
    SELECT id, archived_at FROM message_archive
    WHERE queue = %(queue)s AND archived_at < clock_timestamp() - make_interval(days => %(days)s)
    ORDER BY archived_at
    LIMIT %(limit)s
)
RETURNING id
