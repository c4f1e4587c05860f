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
