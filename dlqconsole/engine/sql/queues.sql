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
