-- name: failures
-- Of the newest of a group, a walk down the index for each status, so many by a hash: what came last is not all of it.
-- What is very large is not read.
SELECT d.event_type, d.created_at, chosen.of, CASE WHEN pg_column_size(d.payload) <= %(largest)s THEN d.payload::text END AS payload
FROM (
    SELECT id, count(*) OVER () AS of FROM (
        SELECT newest.id FROM unnest(%(statuses)s::text[]) status (name), LATERAL (
            SELECT d.id, d.created_at FROM dlq_events d
            WHERE d.group_id = %(id)s AND d.status = status.name
            ORDER BY d.created_at DESC LIMIT %(among)s
        ) newest
        ORDER BY newest.created_at DESC, newest.id DESC LIMIT %(among)s
    ) newest
    ORDER BY md5(id::text) LIMIT %(limit)s
) chosen JOIN dlq_events d USING (id)

-- name: successes
-- What had failed before it succeeded is no contrast to failures.
SELECT sampled_at, by_rate, payload::text AS payload FROM success_samples
WHERE event_type = %(event_type)s AND payload IS NOT NULL AND NOT was_dead_letter
ORDER BY sampled_at DESC LIMIT %(limit)s

-- name: keep
INSERT INTO common_grounds (group_id, found, computed_at) VALUES (%(id)s, %(found)s::jsonb, clock_timestamp())
ON CONFLICT (group_id) DO UPDATE SET found = excluded.found, computed_at = excluded.computed_at
RETURNING computed_at

-- name: forget
DELETE FROM common_grounds WHERE computed_at < now() - interval '1 day'

-- name: letters
-- What may differ between dead letters. What is very large is not read.
SELECT event_type AS type, error_category AS category, error_class, coalesce(queue, event_type) AS queue, status, source,
    group_id::text AS "group", headers::text AS headers,
    CASE WHEN pg_column_size(payload) <= %(largest)s THEN payload::text END AS payload
FROM dlq_events WHERE id = ANY (%(ids)s)
