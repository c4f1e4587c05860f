-- name: snapshot
SELECT pg_export_snapshot()

-- name: moment
-- Of the database's clock, and what is seen in this transaction.
SELECT clock_timestamp(), pg_current_snapshot()::text

-- name: extent
-- The ids there are, and how many rows.
SELECT 'enriched', min(id), max(id), count(*) FROM enriched_events
UNION ALL
SELECT 'dead', min(id), max(id), count(*) FROM dlq_events

-- name: span
-- How many rows a span of time has: asked of the indexes alone.
SELECT 'enriched', count(*) FROM enriched_events
WHERE occurred_at >= %(since)s::timestamptz AND occurred_at < %(until)s::timestamptz
UNION ALL
SELECT 'dead', count(*) FROM dlq_events
WHERE occurred_at >= %(since)s::timestamptz AND occurred_at < %(until)s::timestamptz

-- name: enriched_by_id
SELECT event_type, source, source_key,
    CASE WHEN isfinite(occurred_at) THEN occurred_at END, NULL, record::text, NULL, NULL
FROM enriched_events WHERE id >= %(first)s::bigint AND id < %(end)s::bigint

-- name: enriched_by_time
SELECT event_type, source, source_key, occurred_at, NULL, record::text, NULL, NULL
FROM enriched_events WHERE occurred_at >= %(first)s::timestamptz AND occurred_at < %(end)s::timestamptz

-- name: dead_by_id
-- An event that was healed in the end is in both tables, and is one event: the enriched one. What is
-- kept of a dead letter is the whole event; a report sees its data.
SELECT d.event_type, d.source, d.source_key, d.occurred_at,
    CASE WHEN jsonb_typeof(d.payload) = 'object' AND d.payload ? 'specversion'
        THEN (d.payload -> 'data')::text ELSE d.payload::text END,
    NULL,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.error_class END,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.status END
FROM dlq_events d
WHERE d.id >= %(first)s::bigint AND d.id < %(end)s::bigint AND NOT EXISTS (
    SELECT FROM enriched_events e WHERE e.source = d.source AND e.source_key = d.source_key
)

-- name: dead_by_time
-- The same; each row asks for its record, by a probe of its own. As NOT EXISTS the planner may read all records there
-- are for the dead letters of one day.
SELECT d.event_type, d.source, d.source_key, d.occurred_at,
    CASE WHEN jsonb_typeof(d.payload) = 'object' AND d.payload ? 'specversion'
        THEN (d.payload -> 'data')::text ELSE d.payload::text END,
    NULL,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.error_class END,
    CASE WHEN d.status <> 'SUCCEEDED' THEN d.status END
FROM dlq_events d
WHERE d.occurred_at >= %(first)s::timestamptz AND d.occurred_at < %(end)s::timestamptz AND (
    SELECT true FROM enriched_events e WHERE e.source = d.source AND e.source_key = d.source_key LIMIT 1
) IS NULL

-- name: announce
-- What the marks of its days follow from. Where that is said anew, or its columns are, no day of it counts as computed.
WITH was AS (
    SELECT name, day_of, timezone, margin_seconds, keys, metrics FROM reports WHERE name = %(name)s
), forgotten AS (
    DELETE FROM report_days d USING was
    WHERE d.report_id = was.name AND (was.day_of, was.timezone, was.margin_seconds, was.keys, was.metrics)
        IS DISTINCT FROM
        (%(day_of)s, %(timezone)s, %(margin)s::integer, %(keys)s::jsonb, %(metrics)s::jsonb)
)
INSERT INTO reports (name, title, keys, metrics, day_of, timezone, margin_seconds, updated_at)
VALUES (%(name)s, %(title)s, %(keys)s::jsonb, %(metrics)s::jsonb, %(day_of)s, %(timezone)s, %(margin)s, NULL)
ON CONFLICT (name) DO UPDATE
SET day_of = excluded.day_of, timezone = excluded.timezone, margin_seconds = excluded.margin_seconds

-- name: marks
-- A day that was computed before it was over has no figures to keep.
SELECT m.day, m.changes, m.removed, m.late, m.lost,
    coalesce((m.computed_at AT TIME ZONE r.timezone)::date > m.day, false)
FROM report_day_marks(%(name)s, NULL, NULL) m JOIN reports r ON r.name = %(name)s

-- name: changes
-- Of a report that does not say what its day follows from: of all hours, and when it was computed last.
SELECT coalesce((SELECT sum(changes) FROM event_hours_now WHERE part IN ('enriched', 'dead')), 0)::bigint,
    coalesce((SELECT changes FROM reports WHERE name = %(name)s), 0)

-- name: declare
UPDATE reports
SET title = %(title)s, keys = %(keys)s::jsonb, metrics = %(metrics)s::jsonb, changes = %(changes)s,
    updated_at = clock_timestamp()
WHERE name = %(name)s

-- name: clear
DELETE FROM report_rows
WHERE report_id = %(name)s AND (%(days)s::date[] IS NULL OR day = ANY (%(days)s::date[]))
    AND day <> ALL (%(kept)s::date[])

-- name: copy_rows
COPY report_rows (report_id, day, key, figures) FROM STDIN

-- name: computed
INSERT INTO report_days AS d (report_id, day, computed_at, changes, removed, lines, kept_at)
SELECT %(name)s, m.day, clock_timestamp(), m.changes, m.removed, m.lines, NULL
FROM unnest(%(days)s::date[], %(changes)s::bigint[], %(removed)s::bigint[], %(lines)s::integer[])
    m (day, changes, removed, lines)
ON CONFLICT (report_id, day) DO UPDATE
SET computed_at = excluded.computed_at, changes = excluded.changes, removed = excluded.removed,
    lines = excluded.lines, kept_at = NULL

-- name: kept
-- Their events are not all there any more: they keep their figures, and are not looked at again for what is known now.
UPDATE report_days d SET kept_at = clock_timestamp(), changes = m.changes
FROM unnest(%(days)s::date[], %(changes)s::bigint[]) m (day, changes)
WHERE d.report_id = %(name)s AND d.day = m.day
