-- How dead letters succeeded. A walk down the index of each group, as long as it is told: a page never reads them all.

-- name: of_spans
-- Of each group and time (until: not included) its newest that succeeded: how many were looked at, how long half and
-- nine of ten of them took, and what healed them. By itself: no operation of a person had a hand in it.
SELECT s.place, count(*) AS looked_at, percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY r.took) AS took,
    count(*) FILTER (WHERE r.kind = 'schedule' OR r.kind = 'revive' AND n.operation_id IS NULL) AS by_itself,
    count(*) FILTER (WHERE r.kind = 'schedule') AS by_schedule,
    count(*) FILTER (WHERE r.kind = 'operation') AS by_retry,
    count(*) FILTER (WHERE r.kind = 'revive') AS by_revive,
    count(*) FILTER (WHERE r.kind = 'replay') AS by_replay,
    count(*) FILTER (WHERE r.kind NOT IN ('schedule', 'operation', 'revive', 'replay')) AS otherwise,
    count(*) FILTER (WHERE n.payload_version > 0) AS after_an_edit
FROM unnest(%(groups)s::bigint[], %(since)s::timestamptz[], %(until)s::timestamptz[])
    WITH ORDINALITY s (group_id, since, until, place)
CROSS JOIN LATERAL (
    SELECT d.id, d.first_failure_at, d.updated_at, d.payload_version, d.operation_id FROM dlq_events d
    WHERE d.group_id = s.group_id AND d.status = 'SUCCEEDED' AND {letters}
        AND d.created_at >= s.since AND d.created_at < s.until
    ORDER BY d.created_at DESC LIMIT %(most)s
) n
CROSS JOIN LATERAL (
    SELECT coalesce(max(a.kind), '') AS kind, greatest(
        extract(epoch FROM coalesce(max(a.finished_at), n.updated_at) - n.first_failure_at), 0)::float8 AS took
    FROM (
        SELECT t.kind, t.finished_at FROM dlq_attempts t
        WHERE t.dlq_event_id = n.id AND t.outcome = 'succeeded'
        ORDER BY t.id DESC LIMIT 1
    ) a
) r
GROUP BY s.place
