-- A canary: a few items first, then 1 %, then 10 %, then all; and what became of them in between.

-- name: choose
-- The newest, the oldest and the largest that may be moved, and others at random places: of a sample, so that a
-- million items cost no more than a thousand. Where order is kept, the oldest: an earlier one must not overtake.
WITH held AS MATERIALIZED (
    SELECT id, passed_operation_id FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running' AND probes = '[]'::jsonb
    FOR UPDATE
), ends AS MATERIALIZED (
    SELECT min(dead_letter_id) AS first, max(dead_letter_id) AS last FROM operation_items
    WHERE operation_id = (SELECT id FROM held) AND status = 'remaining'
), oldest AS MATERIALIZED (
    SELECT i.dead_letter_id AS id FROM operation_items i
    WHERE i.operation_id = (SELECT id FROM held) AND i.status = 'remaining'
    ORDER BY i.dead_letter_id LIMIT 200
), newest AS MATERIALIZED (
    SELECT i.dead_letter_id AS id FROM operation_items i
    WHERE i.operation_id = (SELECT id FROM held) AND i.status = 'remaining'
    ORDER BY i.dead_letter_id DESC LIMIT 200
), random_places AS MATERIALIZED (
    SELECT (
        SELECT i.dead_letter_id FROM operation_items i
        WHERE i.operation_id = (SELECT id FROM held) AND i.status = 'remaining' AND i.dead_letter_id >= p.place
        ORDER BY i.dead_letter_id LIMIT 1
    ) AS id
    FROM (
        SELECT e.first + (random() * (e.last - e.first))::bigint AS place FROM ends e, generate_series(1, 600)
    ) p
), sample AS MATERIALIZED (
    SELECT e.id, pg_column_size(e.payload) + coalesce(octet_length(e.payload_raw), 0) AS size, e.group_key
    FROM dlq_events e
    WHERE e.id = ANY (ARRAY(
            SELECT id FROM oldest UNION SELECT id FROM newest UNION SELECT id FROM random_places WHERE id IS NOT NULL
        ))
        AND e.status = ANY (%(eligible)s)
        AND NOT (%(leaves)s AND dead_letter_keeps_coming(e.come_backs, %(most_come_backs)s))
        AND ((SELECT passed_operation_id FROM held) IS NULL OR EXISTS (
            SELECT FROM operation_items i
            WHERE i.operation_id = (SELECT passed_operation_id FROM held) AND i.dead_letter_id = e.id
                AND i.status = 'done' AND i.frozen_version = e.payload_version
        ))
), ranked AS (
    SELECT id,
        CASE WHEN %(in_order)s AND EXISTS (SELECT FROM sample WHERE group_key IS NOT NULL)
            THEN row_number() OVER (ORDER BY id)
            ELSE least(
                CASE WHEN row_number() OVER (ORDER BY id DESC) = 1 THEN 1 END,
                CASE WHEN row_number() OVER (ORDER BY id) = 1 THEN 2 END,
                CASE WHEN row_number() OVER (ORDER BY size DESC, id) = 1 THEN 3 END,
                3 + row_number() OVER (ORDER BY random())
            ) END AS rank
    FROM sample
)
UPDATE operations o
SET probes = coalesce((SELECT jsonb_agg(id ORDER BY id) FROM (SELECT id FROM ranked ORDER BY rank, id LIMIT %(probes)s) p),
        '[]'::jsonb),
    judged_from = jsonb_build_object('settled', o.done + o.skipped + o.failed, 'succeeded', %(succeeded)s::bigint,
        'failed_again', %(failed_again)s::bigint)
FROM held
WHERE o.id = held.id
RETURNING o.probes

-- name: progress
-- How far it is, on the database's clock.
SELECT stage, selected, done + skipped + failed AS settled, done, failed, jsonb_array_length(probes) AS probes,
    coalesce((judged_from ->> 'settled')::bigint, 0) AS settled_before,
    coalesce((judged_from ->> 'succeeded')::bigint, 0) AS succeeded,
    coalesce((judged_from ->> 'failed_again')::bigint, 0) AS failed_again,
    watch_until IS NOT NULL AS watching, coalesce(watch_until <= clock_timestamp(), false) AS over
FROM operations WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'

-- name: became
-- What became of the revived ones: each is decided, or still on its queue.
SELECT count(*) FILTER (WHERE fate = 'succeeded') AS succeeded, count(*) FILTER (WHERE fate = 'failed_again') AS failed_again,
    count(*) FILTER (WHERE fate = 'under_way') AS under_way
FROM operation_fates
WHERE operation_id = %(id)s AND status = 'done'

-- name: idle_queues
-- Queues with messages of this operation that their consumers leave alone, and why.
SELECT DISTINCT m.queue, coalesce(q.paused, false) AS paused, coalesce(nullif(b.reason, ''), b.held_reason) AS reason,
    coalesce(m.unhandled_type, '') AS unhandled_type
FROM message_queue m
LEFT JOIN queues q ON q.name = m.queue
LEFT JOIN dlq_events d ON d.id = m.dlq_event_id
LEFT JOIN breakers b ON (b.key = 'type:' || d.event_type OR d.event_type = ANY (b.event_types))
    AND CASE WHEN b.held_until > clock_timestamp() THEN b.held = 'open' ELSE b.state <> 'closed' END
WHERE m.id = ANY (ARRAY(
        SELECT message_id FROM operation_items
        WHERE operation_id = %(id)s AND status = 'done' AND message_id IS NOT NULL
        ORDER BY dead_letter_id LIMIT 1000
    ))
    AND (q.paused OR b.key IS NOT NULL OR m.unhandled_type IS NOT NULL)
ORDER BY m.queue, unhandled_type
LIMIT 3

-- name: watch
UPDATE operations SET watch_until = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running' AND watch_until IS NULL
RETURNING id

-- name: advance
WITH advanced AS (
    UPDATE operations SET stage = %(stage)s + 1, watch_until = NULL, note = ''
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running' AND stage = %(stage)s
    RETURNING id, reason, stage
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT 'canary', 'advance', 'operation:' || id, id, reason,
        jsonb_build_object('stage', stage, 'succeeded', %(succeeded)s::bigint, 'failed_again', %(failed_again)s::bigint)
    FROM advanced
)
SELECT stage FROM advanced
