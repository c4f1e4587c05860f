-- name: items
-- The next items in the order of their ids, with the state each dead letter is in by now.
SELECT i.dead_letter_id AS dead_letter, i.status AS outcome, i.reason, i.message_id AS message,
    coalesce(d.group_id, i.group_id) AS "group", d.status AS status_now
FROM (
    SELECT dead_letter_id, status, reason, message_id, group_id FROM operation_items
    WHERE operation_id = %(id)s AND dead_letter_id > %(after)s
    ORDER BY dead_letter_id
    LIMIT %(limit)s
) i LEFT JOIN dlq_events d ON d.id = i.dead_letter_id
ORDER BY i.dead_letter_id
