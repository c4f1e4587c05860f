-- The nearest success of a dead letter: both payloads as JSONB writes them, so that keys stand in one order.

-- name: failed
SELECT payload::text AS text FROM dlq_events
WHERE id = %(id)s AND payload IS NOT NULL AND pg_column_size(payload) <= %(largest)s

-- name: passed
-- The event itself is no help, however it passed: its data is what failed.
SELECT s.payload::text AS text, s.source_key, s.sampled_at FROM success_samples s
JOIN dlq_events e ON e.event_type = s.event_type AND (e.source, e.source_key) <> (s.source, s.source_key)
WHERE e.id = %(id)s AND s.payload IS NOT NULL AND pg_column_size(s.payload) <= %(largest)s
ORDER BY s.sampled_at DESC LIMIT %(most)s
