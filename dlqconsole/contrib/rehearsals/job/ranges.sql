-- name: next
-- The next of a range that are as they were frozen, in a state that is taken. None is locked: nothing of them changes.
SELECT d.id, d.event_type, d.payload::text, d.payload_raw, d.headers::text, d.source, d.source_key, d.payload_version
FROM operation_items i JOIN dlq_events d ON d.id = i.dead_letter_id
WHERE i.operation_id = %(operation)s AND i.status = 'remaining'
    AND i.dead_letter_id BETWEEN %(after)s + 1 AND %(last)s
    AND d.payload_version = i.frozen_version AND d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
ORDER BY i.dead_letter_id
LIMIT %(limit)s

-- name: keep
-- What would become of these, each once, whoever brings it; not of what was edited while its handler ran.
-- ``is_wanted``: nobody has cancelled or paused the operation.
WITH held AS MATERIALIZED (
    SELECT id FROM operations WHERE id = %(operation)s AND status = 'running' FOR UPDATE
), kept AS (
    INSERT INTO rehearsal_predictions (operation_id, dead_letter_id, payload_version, would, error_class, category,
        reason)
    SELECT held.id, t.id, t.version, t.would, t.error_class, t.category, t.reason
    FROM held, unnest(%(ids)s::bigint[], %(versions)s::integer[], %(woulds)s::text[], %(error_classes)s::text[],
        %(categories)s::text[], %(reasons)s::text[]) t (id, version, would, error_class, category, reason)
    JOIN dlq_events d ON d.id = t.id AND d.payload_version = t.version
    JOIN operation_items i ON i.operation_id = %(operation)s AND i.dead_letter_id = t.id AND i.status = 'remaining'
    WHERE d.id = ANY (%(ids)s::bigint[]) AND i.dead_letter_id = ANY (%(ids)s::bigint[])
    ORDER BY t.id
    ON CONFLICT (operation_id, dead_letter_id) DO NOTHING
    RETURNING dead_letter_id
)
SELECT EXISTS (SELECT FROM held) AS is_wanted, ARRAY(SELECT dead_letter_id FROM kept) AS ids

-- name: left
-- How many of a range remain: what is not as it was frozen, and what has no handler here.
SELECT count(*) FROM operation_items
WHERE operation_id = %(operation)s AND status = 'remaining' AND dead_letter_id BETWEEN %(first)s AND %(last)s

-- name: rules
-- Whether anybody has taught the categories of failures.
SELECT EXISTS (SELECT FROM failure_rules r WHERE r.enabled AND r.category <> '')

-- name: ruled
-- What the rules make of a failure that is not written.
SELECT (dead_letter_classify(%(event_type)s::text, %(category)s::text, false, %(reason)s::text,
    %(stacktrace)s::text)).category
