-- An operation that goes as fast as what comes back allows.

-- name: of_operation
SELECT event_type, sum(items)::bigint AS items FROM operation_parts WHERE operation_id = %(id)s GROUP BY event_type

-- name: ahead
-- What is not taken is skipped, and waits for nobody.
SELECT CASE WHEN e.status = ANY (%(eligible)s::text[]) AND e.event_type = ANY (%(slowed)s::text[])
    THEN e.event_type ELSE '' END
FROM (
    SELECT dead_letter_id AS id FROM operation_items
    WHERE operation_id = %(id)s AND status = 'remaining' AND dead_letter_id > %(after)s
    ORDER BY dead_letter_id
    LIMIT %(ahead)s
) i LEFT JOIN dlq_events e ON e.id = i.id
ORDER BY i.id

-- name: tell
-- Once: that it is slowed, and why. What the pace becomes later stands with the event type.
INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
SELECT 'pace', 'slow', 'operation:' || o.id, o.id, p.why,
    jsonb_build_object('event_type', p.event_type, 'rate', p.rate, 'why', p.why, 'since', p.slowed_at)
FROM operations o, (
    SELECT event_type, rate, why, slowed_at FROM paces
    WHERE event_type = ANY (%(slowed)s::text[]) AND rate IS NOT NULL
    ORDER BY rate LIMIT 1
) p
WHERE o.id = %(id)s
    AND NOT EXISTS (SELECT FROM audit_log a WHERE a.operation_id = o.id AND a.action = 'slow')

-- name: ahead_of_release
-- What it held back goes out in the order of the dead letters, too.
SELECT CASE WHEN i.message_id IS NOT NULL AND e.event_type = ANY (%(slowed)s::text[]) THEN e.event_type ELSE '' END
FROM (
    SELECT dead_letter_id AS id, message_id FROM operation_items
    WHERE operation_id = %(id)s AND dead_letter_id > %(after)s
    ORDER BY dead_letter_id
    LIMIT %(ahead)s
) i LEFT JOIN dlq_events e ON e.id = i.id
ORDER BY i.id
