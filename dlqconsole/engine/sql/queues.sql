-- name: metrics
WITH live AS (
    SELECT queue AS name,
        count(*) FILTER (WHERE status = 'pending') AS visible,
        count(*) FILTER (WHERE status = 'processing') AS in_flight,
        count(*) FILTER (WHERE status = 'scheduled') AS scheduled,
        min(created_at) FILTER (WHERE status = 'pending') AS oldest_due
    FROM message_queue GROUP BY queue
), dead AS (
    SELECT coalesce(queue, event_type) AS name, count(*) AS dead_letters
    FROM dlq_events WHERE status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')
    GROUP BY 1
), names AS (
    SELECT name FROM live UNION SELECT name FROM dead UNION SELECT name FROM queues
)
SELECT n.name, coalesce(l.visible, 0) AS visible, coalesce(l.in_flight, 0) AS in_flight,
    coalesce(l.scheduled, 0) AS scheduled,
    extract(epoch FROM clock_timestamp() - l.oldest_due)::float AS oldest_due_seconds,
    coalesce(d.dead_letters, 0) AS dead_letters, coalesce(q.paused, false) AS paused
FROM names n
LEFT JOIN live l USING (name)
LEFT JOIN dead d USING (name)
LEFT JOIN queues q USING (name)
ORDER BY n.name
LIMIT 1000
