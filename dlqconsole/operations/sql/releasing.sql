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
-- One page in the order of the dead letters; ``over``: nothing was left. An undo that began meanwhile stops it.
WITH held AS MATERIALIZED (
    SELECT o.id, o.released_to_id FROM operations o
    WHERE o.id = %(id)s AND o.undo_until <= clock_timestamp() AND o.released_at IS NULL
        AND NOT EXISTS (
            SELECT FROM operations u
            WHERE u.id = o.undone_by_id
                AND u.status IN ('freezing', 'awaiting', 'running', 'paused', 'halted', 'cancelling')
        )
    FOR UPDATE OF o SKIP LOCKED
), page AS MATERIALIZED (
    SELECT dead_letter_id AS id, message_id FROM operation_items
    WHERE operation_id = (SELECT id FROM held) AND dead_letter_id > (SELECT released_to_id FROM held)
    ORDER BY dead_letter_id
    LIMIT %(limit)s
), freed AS (
    UPDATE message_queue m
    -- behind an earlier message of its group it waits, as it would have from the beginning
    SET next_retry_at = clock_timestamp(), status = CASE
            WHEN m.group_key IS NOT NULL
                AND (SELECT q.fifo_groups FROM queues q WHERE q.name = m.queue) IS NOT FALSE
                AND (
                    SELECT true FROM message_queue e
                    WHERE e.queue = m.queue AND e.group_key = m.group_key AND (e.group_key, e.id) < (m.group_key, m.id)
                    LIMIT 1
                )
            THEN 'waiting' ELSE 'pending' END
    WHERE m.id = ANY (ARRAY(SELECT message_id FROM page WHERE message_id IS NOT NULL)) AND m.status = 'held'
    RETURNING m.queue
), told AS (
    -- consumers poll as well; this only saves them the wait
    SELECT count(pg_notify('message_queue', left(queue, 200))) FROM (SELECT DISTINCT queue FROM freed) q
)
UPDATE operations o
SET released_to_id = coalesce((SELECT max(id) FROM page), o.released_to_id),
    paced_until = CASE WHEN o.rate IS NOT NULL
        THEN greatest(coalesce(o.paced_until, clock_timestamp()), clock_timestamp() - interval '1 second')
            + make_interval(secs => (SELECT count(*) FROM page)::float8 / o.rate) END,
    released_at = CASE WHEN NOT EXISTS (SELECT FROM page) THEN clock_timestamp() END
FROM held, told
WHERE o.id = held.id
RETURNING o.released_at IS NOT NULL AS over
