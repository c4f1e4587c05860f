-- What people see of the messages on a queue: some at a time, cut in the database. Each list reads its own index
-- from a place on, so a million messages before or behind cost nothing.

-- name: shown
m.id, m.status, m.priority, m.retry_count, m.crash_count, m.group_key, m.owner, m.dlq_event_id,
    left(m.last_error, 600) AS last_error, m.unhandled_type, m.created_at, m.next_retry_at,
    CASE WHEN isfinite(m.lease_until) THEN m.lease_until END AS lease_until,
    m.lease_until < now() AS lease_over, {preview} AS preview

-- name: live
-- In the order in which they are claimed; what is in flight stands among them.
SELECT {shown},
    m.turn::text AS place
FROM message_queue m
WHERE m.queue = %(queue)s AND m.phase = 'live'
    AND (m.turn, m.id) > (%(place)s::integer, %(id)s::bigint)
ORDER BY m.turn, m.id
LIMIT %(limit)s

-- name: scheduled
SELECT {shown}, m.next_retry_at::text AS place
FROM message_queue m
WHERE m.queue = %(queue)s AND m.phase = 'scheduled'
    AND m.next_retry_at >= %(place)s::timestamptz
    AND (m.next_retry_at, m.id) > (%(place)s::timestamptz, %(id)s::bigint)
ORDER BY m.next_retry_at, m.id
LIMIT %(limit)s

-- name: waiting
-- Behind an earlier message of their group, or a dead letter of it.
SELECT {shown}, m.group_key AS place, dead_letter_ahead(m.queue, m.group_key, m.id) AS letter_ahead
FROM message_queue m
WHERE m.queue = %(queue)s AND m.group_key IS NOT NULL AND m.status = 'waiting'
    AND (m.group_key, m.id) > (%(place)s::text, %(id)s::bigint)
ORDER BY m.group_key, m.id
LIMIT %(limit)s

-- name: held
-- Until the undo window of their operation has passed, in the order in which they were revived.
SELECT {shown}, m.id::text AS place
FROM message_queue m
WHERE m.queue = %(queue)s AND m.phase = 'held' AND m.id > greatest(%(place)s::bigint, %(id)s::bigint)
ORDER BY m.id
LIMIT %(limit)s

-- name: one
SELECT m.id, m.queue, m.status, m.priority, m.retry_count, m.max_retries, m.crash_count, m.group_key, m.dedupe_key,
    m.owner, m.dlq_event_id, m.revive_seq, left(m.last_error, 4000) AS last_error,
    m.unhandled_type, m.created_at, m.next_retry_at,
    CASE WHEN isfinite(m.dequeued_time) THEN m.dequeued_time END AS dequeued_time,
    CASE WHEN isfinite(m.lease_until) THEN m.lease_until END AS lease_until, m.lease_until < now() AS lease_over,
    left(m.payload::text, %(limit)s) AS text, octet_length(m.payload::text) AS text_size,
    substring(m.payload_raw FROM 1 FOR %(limit)s) AS raw, octet_length(m.payload_raw) AS raw_size,
    left(m.headers::text, %(limit)s) AS headers,
    (
        SELECT e.id FROM message_queue e
        WHERE e.queue = m.queue AND e.group_key = m.group_key AND e.id < m.id ORDER BY e.id LIMIT 1
    ) AS behind,
    CASE WHEN m.status = 'waiting' THEN dead_letter_ahead(m.queue, m.group_key, m.id) END AS letter_ahead
FROM message_queue m
WHERE m.id = %(id)s AND m.queue = %(queue)s

-- name: behind_letter
-- The messages that wait for a dead letter, or for one before it, on a queue that holds.
SELECT count(*) AS messages, min(behind.id) AS first, count(*) = %(look)s AS at_least
FROM dlq_events d JOIN queues q ON q.name = d.queue AND q.on_dead_letter = 'hold' AND q.fifo_groups,
LATERAL (
    SELECT m.id FROM message_queue m
    WHERE m.queue = d.queue AND m.group_key = d.group_key AND m.id > d.original_message_id AND m.status = 'waiting'
    ORDER BY m.queue, m.group_key, m.id
    LIMIT %(look)s
) behind
WHERE d.id = %(id)s AND d.status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')

-- name: whole_payload
SELECT payload::text AS text, payload_raw AS raw FROM message_queue WHERE id = %(id)s AND queue = %(queue)s
