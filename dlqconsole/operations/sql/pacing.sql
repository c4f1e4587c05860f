-- An operation that goes as fast as its own failures allow.

-- name: heard
-- Of each failure group of a revive what became of what it has put on queues, whoever consumes them: SUCCEEDED, or back
-- again; and how many of the newest fail on their queue already.
SELECT p.event_type, p.group_id, p.rate, p.handed_out, p.heard, p.heard_back, coalesce(o.decided, 0)::bigint AS decided,
    coalesce(o.back, 0)::bigint AS back, extract(epoch FROM clock_timestamp() - p.heard_at)::float8 AS silent,
    CASE WHEN p.rate IS NULL AND p.handed_out > coalesce(o.decided, 0) THEN (
        SELECT count(*) FROM message_queue m WHERE m.id = ANY (p.watched) AND m.retry_count > 0
    ) ELSE 0 END AS failing
FROM paces p LEFT JOIN (
    SELECT group_id, sum(succeeded + failed) AS decided, sum(failed) AS back
    FROM revival_outcomes WHERE operation_id = %(id)s GROUP BY 1
) o USING (group_id)
WHERE p.operation_id = %(id)s

-- name: hear
-- These outcomes are in the windows now.
UPDATE paces p SET heard = n.decided, heard_back = n.back, heard_at = clock_timestamp()
FROM unnest(%(groups)s::bigint[], %(decided)s::bigint[], %(back)s::bigint[]) n (group_id, decided, back)
WHERE p.operation_id = %(id)s AND p.group_id = n.group_id

-- name: has_keys
-- Whether what remains has ordering keys.
SELECT EXISTS (
    SELECT FROM operation_items i JOIN dlq_events e ON e.id = i.dead_letter_id
    WHERE i.operation_id = %(id)s AND i.status = 'remaining' AND e.group_key IS NOT NULL
)

-- name: full_speed
-- From now on nothing slows it. Its paces go: nothing is left to wait for.
WITH changed AS (
    UPDATE operations SET parameters = parameters || '{"full_speed": true}'
    WHERE id = %(id)s AND kind = ANY (%(kinds)s::text[]) AND NOT coalesce((parameters ->> 'full_speed')::boolean, false)
        AND (status IN ('freezing', 'awaiting', 'running', 'paused', 'halted')
            OR undo_until IS NOT NULL AND released_at IS NULL)
    RETURNING id
), freed AS (
    DELETE FROM paces WHERE operation_id IN (SELECT id FROM changed)
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id)
    SELECT %(actor)s, 'full speed', 'operation:' || id, id FROM changed
)
SELECT id FROM changed

-- name: forget
-- The paces of operations that are over, and told nothing any more.
DELETE FROM paces p WHERE p.operation_id <> 0 AND p.noted_at < clock_timestamp() - interval '1 day'

-- name: asked
SELECT selected, coalesce((parameters ->> 'full_speed')::boolean, false) AS full_speed FROM operations WHERE id = %(id)s

-- name: types
SELECT DISTINCT event_type FROM operation_parts WHERE operation_id = %(id)s
