-- name: page
-- Messages leave their queue, into the archive where it keeps one, by its policy of this moment. A revived dead
-- letter goes back to where it was in the same statement, and its story says why. What somebody has locked, the
-- message or its dead letter, is passed over and met again; what a consumer has claimed since is left to it.
WITH {held}, locked AS MATERIALIZED (
    SELECT m.id, m.dlq_event_id, m.revive_seq,
        CASE WHEN m.status = 'processing' AND m.lease_until < now() THEN 'pending' ELSE m.status END AS status
    FROM message_queue m
    WHERE m.id = ANY (ARRAY(SELECT id FROM page)) AND m.queue = (SELECT queue FROM held)
    ORDER BY m.id
    FOR UPDATE SKIP LOCKED
), looked AS MATERIALIZED (
    -- by their ids alone: the index of what is REVIVED would lead to all there are
    SELECT d.id, d.revive_count, d.status FROM dlq_events d
    WHERE d.id = ANY (ARRAY(SELECT dlq_event_id FROM locked WHERE dlq_event_id IS NOT NULL))
), letters AS MATERIALIZED (
    SELECT d.id, d.revive_count, d.status FROM dlq_events d
    WHERE d.id = ANY (ARRAY(SELECT id FROM looked WHERE status = 'REVIVED'))
    ORDER BY d.id
    FOR UPDATE OF d SKIP LOCKED
), gone AS (
    DELETE FROM message_queue
    WHERE id = ANY (ARRAY(
        SELECT l.id FROM locked l
        WHERE l.status = ANY (%(eligible)s) AND ((l.dlq_event_id, l.revive_seq) IN (
            SELECT id, revive_count FROM looked WHERE status = 'REVIVED'
            EXCEPT
            SELECT id, revive_count FROM letters
        )) IS NOT TRUE
    ))
    RETURNING message_queue.*, message_queue AS message
), archived AS (
    SELECT unnest(message_archive_add(array_agg(g.message))) AS id FROM gone g
    WHERE (SELECT q.retention = 'archive' FROM queues q WHERE q.name = (SELECT queue FROM held))
), returned AS (
    UPDATE dlq_events d
    -- as for every message that is lost (dead_letter_return_lost): a person has the time to look
    SET status = coalesce(d.revived_from, 'EXHAUSTED'),
        retry_after = greatest(d.retry_after, clock_timestamp() + interval '1 hour')
    FROM letters l
    WHERE d.id = l.id AND d.id = ANY (ARRAY(SELECT id FROM letters)) AND l.status = 'REVIVED'
        AND (l.id, l.revive_count) IN (SELECT dlq_event_id, revive_seq FROM gone)
    RETURNING d.id, d.revive_count, d.status
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'lost', r.id, g.queue || '/' || g.id, (SELECT actor FROM held),
        reason => format('its message was purged from %%s by %%s', g.queue, actor_words((SELECT actor FROM held))))))
    FROM returned r JOIN gone g ON g.dlq_event_id = r.id AND g.revive_seq = r.revive_count
), outcomes AS (
    SELECT g.id, 'done' AS status, concat_ws('; ', CASE WHEN a.id IS NOT NULL THEN /*stored*/ 'kept in the archive' END,
        CASE WHEN r.id IS NOT NULL THEN format(/*stored: status*/ 'its dead letter is %%s again', r.status) END) AS reason, r.id AS dead_letter_id
    FROM told, gone g
    LEFT JOIN archived a ON a.id = g.id
    LEFT JOIN returned r ON r.id = g.dlq_event_id AND r.revive_count = g.revive_seq
    UNION ALL
    SELECT l.id, 'skipped', %(why)s::jsonb ->> l.status, NULL
    FROM locked l WHERE l.status <> ALL (%(eligible)s)
    UNION ALL
    SELECT away.id, 'skipped', /*stored*/ 'had left the queue by then', NULL
    FROM (
        SELECT id FROM page
        EXCEPT
        SELECT id FROM message_queue
        WHERE id = ANY (ARRAY(SELECT id FROM page)) AND queue = (SELECT queue FROM held)
    ) away
), {settle}

-- name: remaining
-- The next messages of an attached queue: its system removes them, within whose transaction ``told`` is written.
SELECT message_id FROM operation_messages
WHERE operation_id = %(id)s AND status = 'remaining' AND message_id > %(after)s
ORDER BY message_id
LIMIT %(limit)s

-- name: told
WITH {held}, outcomes AS (
    SELECT o.id, o.status, o.reason, o.dead_letter_id
    FROM unnest(%(ids)s::bigint[], %(statuses)s::text[], %(reasons)s::text[], %(letters)s::bigint[])
        o (id, status, reason, dead_letter_id)
), {settle}
