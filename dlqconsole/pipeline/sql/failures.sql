-- name: of_span
-- The dead letters that were made in this time: what failed, how it ended, and what healed it. An event that succeeded
-- at once is counted where its record is kept; where none of its type is, nobody knows how many there were.
WITH letters AS MATERIALIZED (
    SELECT d.id, d.event_type, d.error_class, d.error_category, coalesce(d.queue, d.event_type) AS queue, d.group_id,
        d.status, d.payload_version > 0 AS is_edited, d.first_failure_at, d.updated_at
    FROM dlq_events d
    WHERE d.created_at >= %(since)s::timestamptz AND d.created_at < %(until)s::timestamptz
), healed AS MATERIALIZED (
    SELECT l.id, coalesce(a.kind, '') AS kind,
        greatest(extract(epoch FROM coalesce(a.finished_at, l.updated_at) - l.first_failure_at), 0)::float8 AS took
    FROM letters l LEFT JOIN LATERAL (
        SELECT t.kind, t.finished_at FROM dlq_attempts t
        WHERE t.dlq_event_id = l.id AND t.outcome = 'succeeded'
        ORDER BY t.id DESC LIMIT 1
    ) a ON true
    WHERE l.status = 'SUCCEEDED'
), records AS MATERIALIZED (
    SELECT e.event_type, count(*) AS number FROM enriched_events e
    WHERE e.created_at >= %(since)s::timestamptz AND e.created_at < %(until)s::timestamptz AND (
        SELECT true FROM dlq_events d WHERE d.source = e.source AND d.source_key = e.source_key LIMIT 1
    ) IS NULL
    GROUP BY e.event_type
), failed AS (
    SELECT l.event_type, l.error_class, l.error_category, l.group_id, l.queue, count(*) AS failures,
        count(*) FILTER (WHERE l.status = 'SUCCEEDED') AS healed,
        count(*) FILTER (WHERE l.status = 'DISCARDED') AS discarded,
        count(*) FILTER (WHERE l.status NOT IN ('SUCCEEDED', 'DISCARDED')) AS still_open,
        percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY h.took) AS took,
        count(*) FILTER (WHERE h.kind = 'schedule') AS by_schedule,
        count(*) FILTER (WHERE h.kind = 'operation') AS by_retry,
        count(*) FILTER (WHERE h.kind = 'revive') AS by_revive,
        count(*) FILTER (WHERE h.kind = 'replay') AS by_replay,
        count(*) FILTER (WHERE h.kind NOT IN ('schedule', 'operation', 'revive', 'replay')) AS otherwise,
        count(*) FILTER (WHERE h.id IS NOT NULL AND l.is_edited) AS after_an_edit
    FROM letters l LEFT JOIN healed h ON h.id = l.id
    GROUP BY 1, 2, 3, 4, 5
)
SELECT f.event_type, f.error_class AS reason, f.error_category AS category, f.group_id::text AS "group", f.queue,
    f.failures, f.failures / sum(f.failures) OVER ()::float8 AS share_of_failures,
    f.failures / (r.number + sum(f.failures) OVER (PARTITION BY f.event_type))::float8 AS share_of_events,
    f.healed, f.discarded, f.still_open, f.took[1] AS median_time_to_recover, f.took[2] AS p90_time_to_recover,
    f.by_schedule AS healed_by_schedule, f.by_retry AS healed_by_retry, f.by_revive AS healed_by_revive,
    f.by_replay AS healed_by_replay, f.otherwise AS healed_otherwise, f.after_an_edit AS healed_after_edit
FROM failed f LEFT JOIN records r ON r.event_type = f.event_type
ORDER BY f.failures DESC, f.event_type, f.error_class, f.group_id, f.queue
