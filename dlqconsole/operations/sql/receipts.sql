-- name: items
-- The next items in the order of their ids, with the state each dead letter is in by now.
SELECT dead_letter_id, fate, reason, message_id, group_id, status_now FROM operation_fates
WHERE operation_id = %(id)s AND dead_letter_id > %(after)s {chosen} {seen}
ORDER BY dead_letter_id
LIMIT %(limit)s

-- name: of_fate
AND status = %(status)s AND fate = %(fate)s

-- name: ids_of_fate
SELECT dead_letter_id FROM operation_fates WHERE operation_id = %s AND status = 'done' AND fate = %s

-- name: of_probes
AND dead_letter_id = ANY (ARRAY(
    SELECT probe::bigint FROM operations o, jsonb_array_elements_text(o.probes) probe WHERE o.id = %(id)s
))

-- name: seen
AND EXISTS (SELECT FROM dlq_events s WHERE s.id = dead_letter_id AND {letters})

-- name: new_errors
-- The failure groups that those which failed again are in now, most first, and how many failed again in all.
SELECT group_id, count(*) AS number, (sum(count(*)) OVER ())::bigint AS failed FROM operation_fates
WHERE operation_id = %(id)s AND status = %(status)s AND fate = %(fate)s {seen}
GROUP BY group_id
ORDER BY number DESC, group_id
LIMIT %(limit)s

-- name: messages
-- The same of a queue's messages: whether each still stands on it. Of another system's only what was removed is known.
SELECT i.message_id, i.status AS fate, i.reason, i.dead_letter_id, NULL::bigint AS group_id,
    CASE
        WHEN NOT EXISTS (SELECT FROM attached_queues a WHERE a.name = o.queue) THEN (
            SELECT m.status FROM message_queue m WHERE m.id = i.message_id AND m.queue = o.queue LIMIT 1
        )
        WHEN i.status <> 'done' THEN /*stored*/ 'in its system'
    END AS status_now
FROM operation_messages i JOIN operations o ON o.id = i.operation_id
WHERE i.operation_id = %(id)s AND i.message_id > %(after)s {chosen}
ORDER BY i.message_id
LIMIT %(limit)s

-- name: timeline
-- What the audit log says, newest first. Pages that follow each other without anything else between are one
-- entry with their sums: a slow operation has a page a moment. Handlers run one by one within a page, and a worker that
-- dies there has counted more than it has noted: that, and what is under way now, stands with the newest pages.
WITH entries AS (
    SELECT id, at, actor, action, target, reason, detail, detail ? 'first' AND action <> 'purged' AS is_page,
        count(*) FILTER (WHERE NOT (detail ? 'first' AND action <> 'purged')) OVER (ORDER BY id) AS island
    FROM audit_log WHERE operation_id = %(id)s
), unnoted AS (
    SELECT o.done - coalesce(sum((e.detail ->> 'done')::bigint), 0) AS done,
        o.skipped - coalesce(sum((e.detail ->> 'skipped')::bigint), 0) AS skipped,
        o.failed - coalesce(sum((e.detail ->> 'failed')::bigint), 0) AS failed, max(e.island) AS island
    FROM operations o, entries e
    WHERE o.id = %(id)s AND e.is_page
    GROUP BY o.id HAVING bool_or(e.detail ? 'begun')
), pages AS (
    SELECT island, max(id) AS id, max(at) AS at, min(actor) AS actor, min(action) AS action, min(target) AS target,
        min(reason) AS reason, min((detail ->> 'first')::bigint) AS first, max((detail ->> 'last')::bigint) AS last,
        coalesce(nullif(count(*) FILTER (WHERE detail ? 'begun'), 0), count(*)) AS pages,
        max((detail ->> 'begun')::bigint) AS begun, sum((detail ->> 'done')::bigint) AS done,
        sum((detail ->> 'skipped')::bigint) AS skipped, sum((detail ->> 'failed')::bigint) AS failed
    FROM entries WHERE is_page GROUP BY island
), told AS (
    SELECT id, at, actor, action, target, reason, detail::text AS detail FROM entries WHERE NOT is_page
    UNION ALL
    SELECT p.id, at, actor, action, target, reason, jsonb_strip_nulls(jsonb_build_object(
        'first', first, 'last', last, 'pages', pages, 'begun', CASE WHEN p.done IS NULL AND u.done IS NULL THEN begun END,
        'done', CASE WHEN u.done IS NULL THEN p.done ELSE coalesce(p.done, 0) + u.done END,
        'skipped', p.skipped + coalesce(u.skipped, 0), 'failed', p.failed + coalesce(u.failed, 0)))::text
    FROM pages p LEFT JOIN unnoted u USING (island)
)
SELECT id, at, actor, action, target, reason, detail FROM told
ORDER BY id DESC
LIMIT %(limit)s
