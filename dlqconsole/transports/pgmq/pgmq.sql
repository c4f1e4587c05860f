-- PGMQ's queues, through its own functions. What it has no function for is read, and locked, in its tables:
-- {queue} and {archive} stand for a queue's two tables, quoted. Nothing here adds to its schema or changes it.
--
-- PGMQ has no receipt handle. read_ct grows with each delivery, so (msg_id, read_ct) is one; whoever acts
-- locks the row by both first, in the order of the ids, and a reader of yesterday finds nothing.

-- name: installed
SELECT to_regclass('pgmq.meta') IS NOT NULL

-- name: tables
-- PGMQ writes names in lower case.
SELECT lower('q_' || queue_name) AS queue, lower('a_' || queue_name) AS archive FROM pgmq.meta WHERE lower(queue_name) = lower(%(queue)s) LIMIT 1

-- name: readable
-- Queues whose table this role may read; their names as ours have them.
SELECT lower(queue_name) AS name, lower('q_' || queue_name) AS queue, lower('a_' || queue_name) AS archive
FROM pgmq.meta
WHERE has_table_privilege(to_regclass(format('pgmq.%%I', lower('q_' || queue_name))), 'SELECT')
ORDER BY 1

-- name: read_again
-- Read so often, and on the queue all the same: of the oldest messages, as what comes back again and again is among them.
SELECT count(*) FILTER (WHERE read_ct > %(times)s) FROM (
    SELECT read_ct FROM {queue} ORDER BY msg_id LIMIT 1000
) oldest

-- name: send
SELECT * FROM pgmq.send(%(queue)s, %(payload)s::jsonb, %(headers)s::jsonb,
    clock_timestamp() + make_interval(secs => %(delay)s))

-- name: read
SELECT msg_id AS id, message::text AS payload, headers::text AS headers, read_ct AS attempts
FROM pgmq.read(%(queue)s, %(lease)s::integer, %(limit)s::integer)
ORDER BY msg_id

-- name: hold
SELECT m.msg_id FROM {queue} m
JOIN unnest(%(ids)s::bigint[], %(reads)s::integer[]) held (id, reads) ON m.msg_id = held.id AND m.read_ct = held.reads
ORDER BY m.msg_id
FOR UPDATE OF m

-- name: delete
SELECT * FROM pgmq.delete(%(queue)s, %(ids)s::bigint[])

-- name: archive
SELECT * FROM pgmq.archive(%(queue)s, %(ids)s::bigint[])

-- name: set_vt
-- To parts of a second: PGMQ's own function takes whole ones before 1.6.
UPDATE {queue} SET vt = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE msg_id = ANY (%(ids)s::bigint[])
RETURNING msg_id

-- name: put_back
-- Read by somebody who has no handler for it: that is no delivery, and must not count towards too many.
UPDATE {queue} SET read_ct = greatest(read_ct - 1, 0), vt = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE msg_id = ANY (%(ids)s::bigint[])
RETURNING msg_id

-- name: archived
-- Somebody put them back from the archive by hand, and forgot to take them out of it.
SELECT msg_id FROM {archive} WHERE msg_id = ANY (%(ids)s::bigint[])

-- name: messages
-- ``reused``: this number was another message's. A queue that was dropped and made again counts from 1.
SELECT m.msg_id AS id, m.message::text AS payload, m.headers::text AS headers, m.read_ct AS attempts,
    m.enqueued_at, greatest(m.vt, m.enqueued_at) AS failed_at, EXISTS (
        SELECT 1 FROM dlq_events d
        WHERE d.source = %(name)s AND d.source_key = m.msg_id::text AND d.dead_lettered_at < m.enqueued_at
    ) AS reused
FROM {queue} m
WHERE m.msg_id = ANY (%(ids)s::bigint[])
ORDER BY m.msg_id

-- name: exhausted
-- Read more often than allowed, and visible again: whoever read it last did not complete it. A page ends
-- after so many rows or so many bytes, whichever comes first, and has at least one row.
WITH page AS MATERIALIZED (
    SELECT msg_id, coalesce(pg_column_size(message), 0) AS size FROM {queue}
    WHERE read_ct > %(max_deliveries)s AND vt <= now()
    ORDER BY msg_id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
SELECT msg_id FROM (
    SELECT msg_id, sum(size) OVER (ORDER BY msg_id) - size AS before FROM page
) sized
WHERE before < %(bytes)s
ORDER BY msg_id

-- name: metrics
SELECT count(*) FILTER (WHERE vt <= now()) AS visible,
    count(*) FILTER (WHERE vt > now() AND read_ct > 0) AS in_flight,
    count(*) FILTER (WHERE vt > now() AND read_ct = 0) AS scheduled,
    extract(epoch FROM now() - min(vt) FILTER (WHERE vt <= now()))::float AS oldest_due_seconds
FROM {queue}

-- name: forward
-- Messages for this queue leave ours and appear on it, and what a dead letter sent is noted, in one statement.
WITH due AS MATERIALIZED (
    SELECT id, payload, headers, dlq_event_id, revive_seq FROM message_queue
    WHERE queue = %(name)s AND phase = 'live' AND (status = 'pending' OR lease_until < now())
        AND payload IS NOT NULL
    ORDER BY turn, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), sent AS MATERIALIZED (
    SELECT due.id, due.dlq_event_id, due.revive_seq, s.remote_id
    FROM due CROSS JOIN LATERAL pgmq.send(
        %(queue)s, due.payload,
        nullif(due.headers || CASE WHEN due.dlq_event_id IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(
            'x-dlq-event-id', due.dlq_event_id::text, 'x-dlq-revive-seq', due.revive_seq::text) END, '{}'::jsonb),
        clock_timestamp()
    ) s (remote_id)
), noted AS (
    INSERT INTO forwarded_messages (dlq_event_id, revive_seq, queue, remote_id)
    SELECT dlq_event_id, revive_seq, %(name)s, remote_id FROM sent WHERE dlq_event_id IS NOT NULL
    ON CONFLICT (dlq_event_id, revive_seq) DO NOTHING
)
DELETE FROM message_queue m USING sent WHERE m.id = sent.id
RETURNING m.id

-- name: gone
-- Forwarded once, and on the queue no more. A queue that was dropped and made again counts from 1: another message under
-- that number is not ours, and nobody knows what became of ours.
SELECT f.id, f.forwarded_at < (
    SELECT max(created_at) FROM pgmq.meta WHERE lower(queue_name) = lower(%(queue)s)
) AS dropped
FROM forwarded_messages f
WHERE f.queue = %(name)s AND NOT EXISTS (
    SELECT 1 FROM {queue} m
    WHERE m.msg_id = f.remote_id::bigint AND m.headers ->> 'x-dlq-event-id' = f.dlq_event_id::text
)
ORDER BY f.id
LIMIT %(limit)s
FOR UPDATE OF f SKIP LOCKED

-- name: sent
SELECT enqueued_at::text FROM {queue} WHERE msg_id = ANY (%(ids)s::bigint[])

-- name: claim_exhausted
-- Read too often, and visible again: read once more, to bury them. That read is no delivery to anybody.
UPDATE {queue} SET read_ct = read_ct + 1, vt = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE msg_id = ANY (ARRAY(
    SELECT msg_id FROM {queue}
    WHERE read_ct > %(max_deliveries)s AND vt <= now()
    ORDER BY msg_id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
))
RETURNING msg_id AS id, message::text AS payload, headers::text AS headers, read_ct AS attempts

-- name: still_there
SELECT msg_id FROM {queue} WHERE msg_id = ANY (%(ids)s::bigint[])

-- name: row
-- Read, and not visible: a consumer holds it, or has put it off. PGMQ cannot tell.
m.msg_id AS id, m.read_ct AS retry_count, m.enqueued_at AS created_at,
    CASE WHEN m.vt <= now() THEN 'pending' WHEN m.read_ct > 0 THEN 'processing' ELSE 'scheduled' END AS status,
    CASE WHEN isfinite(m.vt) THEN m.vt END AS next_retry_at,
    CASE WHEN isfinite(m.vt) AND m.vt > now() AND m.read_ct > 0 THEN m.vt END AS lease_until, false AS lease_over

-- name: listed
{row},
    CASE
        WHEN pg_column_size(m.message) > 65536 THEN '(' || pg_size_pretty(pg_column_size(m.message)::bigint) || ')'
        ELSE left(m.message::text, 500)
    END AS preview

-- name: live
SELECT {listed}, '' AS place FROM {queue} m
WHERE m.msg_id > %(id)s AND (m.vt <= now() OR m.read_ct > 0)
ORDER BY m.msg_id
LIMIT %(limit)s

-- name: scheduled
SELECT {listed}, m.vt::text AS place FROM {queue} m
WHERE m.read_ct = 0 AND m.vt > now() AND m.vt >= %(place)s::timestamptz
    AND (m.vt, m.msg_id) > (%(place)s::timestamptz, %(id)s)
ORDER BY m.vt, m.msg_id
LIMIT %(limit)s

-- name: one
SELECT {row}, left(m.message::text, %(limit)s) AS text, octet_length(m.message::text) AS text_size,
    NULL::bytea AS raw, NULL::integer AS raw_size, left(m.headers::text, %(limit)s) AS headers
FROM {queue} m WHERE m.msg_id = %(id)s

-- name: whole_payload
SELECT message::text FROM {queue} WHERE msg_id = %(id)s

-- name: locked
SELECT {row} FROM {queue} m WHERE m.msg_id = ANY (%(ids)s::bigint[]) ORDER BY m.msg_id FOR UPDATE

-- name: newest
SELECT coalesce(max(msg_id), 0) FROM {queue}

-- name: standing
SELECT status, count(*) AS number,
    extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS oldest_seconds,
    extract(epoch FROM clock_timestamp() - max(created_at))::float8 AS newest_seconds, 0 AS revived, 0 AS expired
FROM (SELECT {row} FROM {queue} m WHERE m.msg_id <= %(last)s) r
GROUP BY 1
ORDER BY 1

-- name: numbers
SELECT msg_id FROM {queue}
WHERE msg_id > %(after)s AND msg_id <= %(last)s AND (vt <= now() OR read_ct = 0)
ORDER BY msg_id
