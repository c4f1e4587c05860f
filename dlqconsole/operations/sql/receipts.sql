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

-- name: messages
-- The same of a queue's messages: whether each still stands on a queue.
SELECT i.message_id AS message, i.status AS outcome, i.reason, i.dead_letter_id AS dead_letter,
    (SELECT m.status FROM message_queue m WHERE m.id = i.message_id LIMIT 1) AS status_now
FROM operation_messages i
WHERE i.operation_id = %(id)s AND i.message_id > %(after)s
ORDER BY i.message_id
LIMIT %(limit)s

-- name: timeline
-- What the audit log says, newest first. Pages that follow each other without anything else between are one
-- entry with their sums: a slow operation has a page a moment.
WITH entries AS (
    SELECT id, at, actor, action, target, reason, detail, detail ? 'first' AND action <> 'purged' AS is_page,
        count(*) FILTER (WHERE NOT (detail ? 'first' AND action <> 'purged')) OVER (ORDER BY id) AS island
    FROM audit_log WHERE operation_id = %(id)s
), told AS (
    SELECT id, at, actor, action, target, reason, detail::text AS detail FROM entries WHERE NOT is_page
    UNION ALL
    SELECT max(id), max(at), min(actor), min(action), min(target), min(reason), jsonb_strip_nulls(jsonb_build_object(
        'first', min((detail ->> 'first')::bigint), 'last', max((detail ->> 'last')::bigint), 'pages', count(*),
        'done', sum((detail ->> 'done')::bigint), 'tried', sum((detail ->> 'tried')::bigint),
        'skipped', sum((detail ->> 'skipped')::bigint), 'failed', sum((detail ->> 'failed')::bigint)))::text
    FROM entries WHERE is_page GROUP BY island
)
SELECT id, at, actor, action, target, reason, detail FROM told
ORDER BY id DESC
LIMIT %(limit)s
