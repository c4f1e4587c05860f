-- How fast failure groups are tried again, for people to look at. What a process asks and tells of it stands in
-- core/flow/paces.sql.

-- name: standing
SELECT p.operation_id, coalesce(nullif(p.event_type, ''), g.event_type, '') AS event_type, p.group_id,
    coalesce(g.error_class, '') AS error_class, known.rate, p.floor, p.ceiling,
    p.share, p.recent_seconds, p.baseline_seconds,
    CASE WHEN known.rate IS NOT NULL THEN p.slowed_at END AS slowed_at, p.noted_at, p.why
FROM paces p LEFT JOIN failure_groups g ON g.id = p.group_id CROSS JOIN LATERAL (
    SELECT CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.rate END AS rate
) known
WHERE p.operation_id = %(operation)s
    AND (%(event_types)s::text[] IS NULL OR p.event_type = ANY (%(event_types)s::text[]))
    AND (known.rate IS NOT NULL OR NOT %(slowed)s)
ORDER BY known.rate NULLS LAST, p.noted_at DESC, p.event_type, p.group_id
LIMIT 200
