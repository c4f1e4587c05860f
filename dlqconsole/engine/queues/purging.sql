-- What a purge of a queue would take. The purge itself is an operation: operations/sql/purging_queue.sql.

-- name: last
SELECT coalesce(max(id), 0) FROM message_queue

-- name: standing
-- By state; a message whose lease ran out is nobody's, and counts as pending. Each part has an index of its own.
SELECT CASE WHEN m.status = 'processing' AND m.lease_until < now() THEN 'pending' ELSE m.status END AS status,
    count(*) AS number,
    extract(epoch FROM clock_timestamp() - min(m.created_at))::float8 AS oldest_seconds,
    extract(epoch FROM clock_timestamp() - max(m.created_at))::float8 AS newest_seconds,
    count(*) FILTER (WHERE m.dlq_event_id IS NOT NULL AND EXISTS (
        SELECT FROM dlq_events d
        WHERE d.id = m.dlq_event_id AND d.revive_count = m.revive_seq AND d.status = 'REVIVED'
    )) AS revived,
    count(*) FILTER (WHERE m.status = 'processing' AND m.lease_until < now()) AS expired
FROM (
    SELECT * FROM message_queue WHERE queue = %(queue)s::text AND phase = 'live' AND id <= %(last)s
    UNION ALL
    SELECT * FROM message_queue WHERE queue = %(queue)s::text AND phase = 'scheduled' AND id <= %(last)s
    UNION ALL
    SELECT * FROM message_queue
    WHERE queue = %(queue)s::text AND group_key IS NOT NULL AND status = 'waiting' AND id <= %(last)s
    UNION ALL
    SELECT * FROM message_queue WHERE queue = %(queue)s::text AND phase = 'held' AND id <= %(last)s
) m
GROUP BY 1
ORDER BY 1

-- name: kept_until
SELECT message_archive_keep_until(name, clock_timestamp()) FROM queues
WHERE name = %(queue)s AND retention = 'archive'

-- name: any
SELECT EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'live')
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND group_key IS NOT NULL)
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'scheduled')
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'held')

-- name: gather
-- A producer that had not heard yet that the queue is logged now has sent to where nobody claims any more.
WITH strays AS (
    DELETE FROM message_queue_unlogged WHERE queue = %(queue)s::text
    RETURNING *
)
INSERT INTO message_queue (id, queue, payload, payload_raw, headers, priority, status, retry_count, max_retries,
    next_retry_at, owner, lease_token, lease_until, dequeued_time, crash_count, last_error, dedupe_key, group_key,
    group_in_flight, dlq_event_id, revive_seq, created_at)
SELECT id, queue, payload, payload_raw, headers, priority, status, retry_count, max_retries,
    next_retry_at, owner, lease_token, lease_until, dequeued_time, crash_count, last_error, dedupe_key, group_key,
    group_in_flight, dlq_event_id, revive_seq, created_at
FROM strays ORDER BY id
RETURNING id
