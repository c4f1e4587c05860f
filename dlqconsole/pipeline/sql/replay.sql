-- name: slowed_by
-- How many somebody asked for, and whether they ignore automatic slowing.
SELECT selected, coalesce((parameters ->> 'full_speed')::boolean, false) FROM operations WHERE id = %(operation)s

-- name: passed
-- A condition: it passed the operation that was named with its payload as it is, or none was. The rest the sweep skips.
(o.passed_operation_id IS NULL OR EXISTS (
    SELECT FROM operation_items p
    WHERE p.operation_id = o.passed_operation_id AND p.dead_letter_id = e.id AND p.status = 'done'
        AND p.frozen_version = e.payload_version
))

-- name: groups
-- The failure groups of what remains.
SELECT DISTINCT coalesce(group_id, 0) FROM operation_items
WHERE operation_id = %(operation)s AND status = 'remaining' AND dead_letter_id BETWEEN %(first)s AND %(last)s

-- name: claim
-- The next of a range that may be tried, claimed and begun: as they were frozen, or left by this operation itself. What
-- a process before this one held (an earlier run, an earlier try of this part) is taken over with a token of our own, at
-- once and at nobody's cost; where its handler had begun it is suspect, and runs apart. Whom somebody else has, or what
-- has changed since, or did not pass the operation that was named, stays as it is: the operation's own sweep says why.
-- A row always comes back, for ``last``. ``full``: failure groups that are passed over; ``only``: one that is not (NULL:
-- whichever).
-- One UPDATE for both: each version of a row costs its entries in all indexes, and the triggers.
WITH o AS MATERIALIZED (
    SELECT id, passed_operation_id FROM operations
    WHERE id = %(operation)s AND status = 'running'
), page AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, i.frozen_version, i.frozen_status, coalesce(i.group_id, 0) AS group_id
    FROM operation_items i
    WHERE i.operation_id = (SELECT id FROM o)
        AND i.status = 'remaining' AND i.dead_letter_id BETWEEN %(after)s + 1 AND %(last)s
        AND coalesce(i.group_id, 0) <> ALL (%(full)s::bigint[])
        AND coalesce(i.group_id, 0) = coalesce(%(only)s::bigint, i.group_id, 0)
    ORDER BY i.dead_letter_id
    LIMIT %(limit)s
), picked AS MATERIALIZED (
    SELECT e.id, e.operation_id, p.group_id, p.frozen_status, e.status = 'RETRYING' AND e.begun_at IS NOT NULL AS is_suspect
    FROM page p JOIN dlq_events e ON e.id = p.id CROSS JOIN o
    WHERE e.id = ANY (ARRAY(SELECT id FROM page)) AND e.payload_version = p.frozen_version
        AND CASE WHEN e.operation_id IS NOT DISTINCT FROM %(operation)s
            THEN e.status IN ('PENDING', 'EXHAUSTED') OR e.status = 'RETRYING' AND e.owner <> %(owner)s
            ELSE e.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED') AND e.status = p.frozen_status END
        AND e.event_type = ANY (%(event_types)s::text[])
        AND e.event_type <> ALL (%(stopped)s::text[])
        AND {passed}
    ORDER BY e.id
    FOR UPDATE OF e SKIP LOCKED
), claimed AS (
    UPDATE dlq_events d
    SET status = 'RETRYING', owner = %(owner)s, lease_token = gen_random_uuid(), operation_id = %(operation)s,
        begun_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    FROM picked
    WHERE d.id = picked.id
    RETURNING d.id, d.event_type, d.payload::text, d.payload_raw, d.headers::text, d.source, d.source_key, d.retry_count,
        d.max_retries, d.crash_count, d.retry_after, d.lease_token, d.begun_at, picked.frozen_status AS status_before,
        picked.operation_id AS operation_before, picked.is_suspect, picked.group_id
)
SELECT (SELECT max(id) FROM page) AS last, c.* FROM (VALUES (1)) one (row) LEFT JOIN claimed c ON true ORDER BY c.id
