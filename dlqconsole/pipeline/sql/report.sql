-- name: snapshot
SELECT pg_export_snapshot()

-- name: extent
-- The ids there are, and how many rows.
SELECT 'enriched' AS part, min(id), max(id), count(*) FROM enriched_events
UNION ALL
SELECT 'dead', min(id), max(id), count(*) FROM dlq_events

-- name: enriched
SELECT event_type, source, source_key,
    CASE WHEN isfinite(occurred_at) THEN occurred_at END, NULL, record::text, NULL, NULL
FROM enriched_events WHERE id BETWEEN %(first)s AND %(last)s

-- name: dead
-- An event that was healed in the end is in both tables, and is one event: the enriched one. What is
-- kept of a dead letter is the whole event; a report sees its data.
SELECT d.event_type, d.source, d.source_key, NULL,
    CASE WHEN jsonb_typeof(d.payload) = 'object' AND d.payload ? 'specversion'
        THEN (d.payload -> 'data')::text ELSE d.payload::text END,
    NULL,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.error_class END,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.status END,
    d.payload ->> 'time'
FROM dlq_events d
WHERE d.id BETWEEN %(first)s AND %(last)s AND NOT EXISTS (
    SELECT FROM enriched_events e WHERE e.source = d.source AND e.source_key = d.source_key
)

-- name: declare
INSERT INTO reports (name, title, keys, metrics, updated_at)
VALUES (%(name)s, %(title)s, %(keys)s::jsonb, %(metrics)s::jsonb, clock_timestamp())
ON CONFLICT (name) DO UPDATE
SET title = excluded.title, keys = excluded.keys, metrics = excluded.metrics, updated_at = excluded.updated_at

-- name: clear
DELETE FROM report_rows
WHERE report_id = %(name)s AND (%(days)s::date[] IS NULL OR day = ANY (%(days)s::date[]))

-- name: copy_rows
COPY report_rows (report_id, day, key, figures) FROM STDIN
