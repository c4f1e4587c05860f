-- What failed tries on a queue leave behind when their message succeeds in the end.

-- name: forget
-- One page, from the oldest on. Where the message is still on its queue its tries are kept: they are the beginning
-- of a dead letter's story. Messages of attached queues are not here to be asked; they are judged by age alone.
WITH old AS MATERIALIZED (
    SELECT a.id, a.finished_at, a.message FROM dlq_attempts a
    WHERE a.dlq_event_id IS NULL AND a.finished_at < now() - make_interval(hours => 24 * %(days)s::integer)
        AND (a.finished_at, a.id) > (%(finished_at)s::timestamptz, %(id)s::bigint)
    ORDER BY a.finished_at, a.id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM dlq_attempts WHERE id = ANY (ARRAY(
        SELECT o.id FROM old o WHERE NOT EXISTS (
            SELECT FROM message_queue m
            WHERE m.id = CASE WHEN o.message ~ '/[0-9]{1,18}$' THEN substring(o.message FROM '[0-9]+$')::bigint END
                AND m.queue || '/' || m.id = o.message
        )
    ))
    RETURNING id
)
SELECT (SELECT count(*) FROM gone) AS forgotten, finished_at, id FROM old ORDER BY finished_at DESC, id DESC LIMIT 1;

-- name: forget_reports
DELETE FROM failure_reports WHERE reported_at < now() - make_interval(days => %(days)s)
