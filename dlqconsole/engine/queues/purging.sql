-- Emptying a queue, a page a commit. Each statement walks one of the indexes of message_queue from a place on:
-- {place} is what it is ordered by, {type} the type of that, {which} the messages that stand in it.

-- name: purge
-- What somebody has locked is passed over: a consumer is about to have it. A revived dead letter whose message
-- goes waits for somebody again. The audit row is written with each page, so that an interrupted purge is
-- counted exactly.
WITH doomed AS MATERIALIZED (
    SELECT m.id, {place} AS place FROM message_queue m
    WHERE m.queue = %(queue)s::text AND {which} AND m.id <= %(last)s
        AND ({place}, m.id) > (%(place)s::{type}, %(id)s::bigint)
    ORDER BY place, m.id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM message_queue WHERE id = ANY (ARRAY(SELECT id FROM doomed))
    RETURNING id, dlq_event_id, revive_seq
), revived AS MATERIALIZED (
    SELECT d.id FROM dlq_events d JOIN gone g ON d.id = g.dlq_event_id AND d.revive_count = g.revive_seq
    WHERE d.status = 'REVIVED'
    ORDER BY d.id
    FOR UPDATE OF d
), returned AS (
    UPDATE dlq_events d
    SET status = CASE WHEN d.retry_count >= coalesce(d.max_retries, %(schedule_max_retries)s::integer)
        THEN 'EXHAUSTED' ELSE 'PENDING' END
    WHERE d.id = ANY (ARRAY(SELECT id FROM revived)) AND d.status = 'REVIVED'
    RETURNING d.id
), counts AS MATERIALIZED (
    SELECT (SELECT count(*) FROM gone) AS purged, (SELECT count(*) FROM returned) AS returned
), noted AS (
    INSERT INTO audit_log (actor, action, target, reason, detail)
    SELECT %(actor)s::text, 'purge', 'queue:' || %(queue)s::text, %(reason)s::text,
        jsonb_build_object('purged', purged, 'returned', returned)
    FROM counts WHERE purged > 0
)
SELECT purged, returned, last.place::text AS place, last.id AS id
FROM counts LEFT JOIN (SELECT place, id FROM doomed ORDER BY place DESC, id DESC LIMIT 1) last ON true

-- name: last
SELECT coalesce(max(id), 0) FROM message_queue

-- name: count
SELECT count(*) FILTER (WHERE status <> 'processing') AS purgeable,
    count(*) FILTER (WHERE status = 'processing') AS in_flight
FROM (
    SELECT status FROM message_queue WHERE queue = %(queue)s::text AND phase = 'live' AND id <= %(last)s
    UNION ALL
    SELECT status FROM message_queue WHERE queue = %(queue)s::text AND phase = 'scheduled' AND id <= %(last)s
    UNION ALL
    SELECT status FROM message_queue
    WHERE queue = %(queue)s::text AND group_key IS NOT NULL AND status = 'waiting' AND id <= %(last)s
    UNION ALL
    SELECT status FROM message_queue WHERE queue = %(queue)s::text AND phase = 'held' AND id <= %(last)s
) standing

-- name: any
SELECT EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'live')
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND group_key IS NOT NULL)
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'scheduled')
    OR EXISTS (SELECT 1 FROM message_queue WHERE queue = %(queue)s::text AND phase = 'held')

-- name: gather
-- A producer that had not heard yet that the queue is logged now has sent to where nobody claims any more.
WITH strays AS (
    DELETE FROM message_queue_unlogged WHERE queue = %(queue)s::text
    RETURNING *
)
INSERT INTO message_queue (id, queue, payload, payload_raw, headers, priority, status, retry_count, max_retries,
    next_retry_at, owner, lease_token, lease_until, dequeued_time, crash_count, last_error, dedupe_key, group_key,
    group_in_flight, dlq_event_id, revive_seq, created_at)
SELECT id, queue, payload, payload_raw, headers, priority, status, retry_count, max_retries,
    next_retry_at, owner, lease_token, lease_until, dequeued_time, crash_count, last_error, dedupe_key, group_key,
    group_in_flight, dlq_event_id, revive_seq, created_at
FROM strays ORDER BY id
RETURNING id
