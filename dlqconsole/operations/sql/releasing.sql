-- Messages that were held back for the undo are brought forward, once its time has passed.

-- name: due
-- An undo that is under way has them all to itself. ``may_go``: the rate that was asked for allows another page.
SELECT o.id, o.kind, o.done, o.rate, o.released_to_id, o.parameters::text AS options,
    o.rate IS NULL OR o.paced_until IS NULL OR o.paced_until <= clock_timestamp() AS may_go
FROM operations o
WHERE o.undo_until <= clock_timestamp() AND o.released_at IS NULL
    AND NOT EXISTS (
        SELECT FROM operations u
        WHERE u.id = o.undone_by_id AND u.status IN ('freezing', 'awaiting', 'running', 'paused', 'halted', 'cancelling')
    )
ORDER BY o.undo_until
LIMIT 20

-- name: page
-- One page in the order of the dead letters, of each failure group no more than it has room for; ``over``: nothing was
-- left. An undo that began meanwhile stops it. ``released_to_id`` is as far as nothing was passed over.
WITH held AS MATERIALIZED (
    SELECT o.id, o.released_to_id, o.undone_by_id FROM operations o
    WHERE o.id = %(id)s AND o.undo_until <= clock_timestamp() AND o.released_at IS NULL
        AND NOT EXISTS (
            SELECT FROM operations u
            WHERE u.id = o.undone_by_id
                AND u.status IN ('freezing', 'awaiting', 'running', 'paused', 'halted', 'cancelling')
        )
    FOR UPDATE OF o SKIP LOCKED
), ahead AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, i.message_id, coalesce(i.group_id, 0) AS group_id
    FROM operation_items i JOIN message_queue m ON m.id = i.message_id AND m.status = 'held'
    WHERE i.operation_id = (SELECT id FROM held)
        -- Under its number may stand a message of another operation, once ours was undone or lost.
        AND i.revive_seq = m.revive_seq AND NOT EXISTS (
            SELECT FROM operation_items u
            WHERE u.operation_id = (SELECT undone_by_id FROM held) AND u.dead_letter_id = i.dead_letter_id
                AND u.status = 'done'
        )
        AND i.dead_letter_id > greatest(%(after)s, (SELECT released_to_id FROM held))
        AND coalesce(i.group_id, 0) <> ALL (%(full)s::bigint[])
    ORDER BY i.dead_letter_id
    LIMIT %(limit)s
), page AS MATERIALIZED (
    SELECT id, message_id, group_id FROM (
        SELECT a.*, row_number() OVER (PARTITION BY group_id ORDER BY id) AS place FROM ahead a
    ) placed
    WHERE NOT %(is_paced)s
        OR place <= coalesce((%(rooms)s::jsonb ->> group_id::text)::bigint, %(room_of_others)s::bigint)
), freed AS (
    UPDATE message_queue m
    -- behind an earlier message of its group it waits, as it would have from the beginning
    SET next_retry_at = clock_timestamp(), status = CASE
            WHEN m.group_key IS NOT NULL
                AND (SELECT q.fifo_groups FROM queues q WHERE q.name = m.queue) IS NOT FALSE
                AND ((
                    SELECT true FROM message_queue e
                    WHERE e.queue = m.queue AND e.group_key = m.group_key AND (e.group_key, e.id) < (m.group_key, m.id)
                    LIMIT 1
                ) OR dead_letter_ahead(m.queue, m.group_key, m.id) IS NOT NULL)
            THEN 'waiting' ELSE 'pending' END
    WHERE m.id = ANY (ARRAY(SELECT message_id FROM page)) AND m.status = 'held'
    RETURNING m.id, m.queue
), told AS (
    -- consumers poll as well; this only saves them the wait
    SELECT count(pg_notify('message_queue', left(queue, 200))) FROM (SELECT DISTINCT queue FROM freed) q
), handed_out AS (
    INSERT INTO paces AS p (operation_id, event_type, group_id, floor, ceiling, handed_out, watched)
    SELECT %(id)s, '', g.group_id, %(floor)s, %(ceiling)s, count(*), (array_agg(f.id ORDER BY f.id DESC))[:50]
    FROM page g JOIN freed f ON f.id = g.message_id
    WHERE %(is_paced)s
    GROUP BY g.group_id
    ON CONFLICT (operation_id, event_type, group_id) DO UPDATE
    SET handed_out = p.handed_out + excluded.handed_out, watched = (excluded.watched || p.watched)[:50],
        heard_at = CASE WHEN p.handed_out = p.heard THEN clock_timestamp() ELSE p.heard_at END,
        noted_at = clock_timestamp()
), passed_over AS (
    SELECT cardinality(%(full)s::bigint[]) > 0 OR %(after)s > (SELECT released_to_id FROM held)
        OR (SELECT count(*) FROM page) < (SELECT count(*) FROM ahead) AS any
)
UPDATE operations o
SET released_to_id = CASE WHEN s.any THEN o.released_to_id
        ELSE coalesce((SELECT max(id) FROM page), o.released_to_id) END,
    paced_until = CASE WHEN o.rate IS NOT NULL
        THEN greatest(coalesce(o.paced_until, clock_timestamp()), clock_timestamp() - interval '1 second')
            + make_interval(secs => (SELECT count(*) FROM page)::float8 / o.rate) END,
    released_at = CASE WHEN NOT s.any AND NOT EXISTS (SELECT FROM ahead) THEN clock_timestamp() END
FROM held, told, passed_over s
WHERE o.id = held.id
RETURNING o.released_at IS NOT NULL AS over, (SELECT max(id) FROM ahead) AS last, (SELECT count(*) FROM page) AS released,
    (SELECT jsonb_object_agg(group_id, number)::text
        FROM (SELECT group_id, count(*) AS number FROM page GROUP BY 1) t) AS taken
