-- Between our tables and the queues of other systems. Everything is a compare-and-set.

-- name: hold
SELECT paused FROM attached_queues WHERE name = %(name)s FOR KEY SHARE

-- name: stage
-- What was sent for later and has come due, on this queue.
UPDATE message_queue SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE queue >= %(name)s AND (queue, next_retry_at) <= (%(name)s, now()) AND phase = 'scheduled'
    ORDER BY queue, next_retry_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: due
-- Locked until the caller commits: while it is on its way, no other relay sees it.
SELECT id, payload::text AS payload, payload_raw, headers::text AS headers, dlq_event_id, revive_seq
FROM message_queue
WHERE queue = %(name)s AND phase = 'live' AND (status = 'pending' OR lease_until < now())
ORDER BY turn, id
LIMIT %(limit)s
FOR UPDATE SKIP LOCKED

-- name: unsendable
-- A queue that holds JSON only cannot take what has no JSON.
SELECT id, payload::text AS payload, payload_raw, headers::text AS headers, dlq_event_id, revive_seq
FROM message_queue
WHERE queue = %(name)s AND phase = 'live' AND (status = 'pending' OR lease_until < now())
    AND payload IS NULL
ORDER BY turn, id
LIMIT %(limit)s
FOR UPDATE SKIP LOCKED

-- name: leave
DELETE FROM message_queue WHERE id = ANY (%(ids)s::bigint[]) RETURNING id

-- name: note
INSERT INTO forwarded_messages (dlq_event_id, revive_seq, queue, remote_id, is_watched)
SELECT n.dlq_event_id, n.revive_seq, %(name)s, n.remote_id, n.is_watched
FROM unnest(%(dlq_event_ids)s::bigint[], %(revive_seqs)s::integer[], %(remote_ids)s::text[], %(watched)s::boolean[])
    n (dlq_event_id, revive_seq, remote_id, is_watched)
WHERE n.dlq_event_id IS NOT NULL
ON CONFLICT (dlq_event_id, revive_seq) DO NOTHING
RETURNING id

-- name: watched
SELECT id, remote_id FROM forwarded_messages
WHERE queue = %(name)s AND is_watched AND id > %(after)s
ORDER BY id
LIMIT %(limit)s

-- name: handed_over
-- On their way through a queue whose system says nothing of what becomes of them.
SELECT id FROM forwarded_messages WHERE queue = %(name)s AND NOT is_watched
ORDER BY id
FOR UPDATE

-- name: completed
-- Their messages have left their queue. A dead letter that is still REVIVED was completed there; one that came
-- back as a dead letter changed its status in the transaction that took the message off, and stays as it is.
WITH gone AS MATERIALIZED (
    DELETE FROM forwarded_messages WHERE id = ANY (%(ids)s::bigint[])
    RETURNING dlq_event_id, revive_seq, forwarded_at
), still AS MATERIALIZED (
    SELECT d.id, g.forwarded_at FROM dlq_events d
    JOIN gone g ON d.id = g.dlq_event_id AND d.revive_count = g.revive_seq
    WHERE d.status = 'REVIVED'
    ORDER BY d.id
    FOR UPDATE OF d
), healed AS (
    UPDATE dlq_events d SET status = 'SUCCEEDED' FROM still s
    WHERE d.id = s.id AND d.status = 'REVIVED'
    RETURNING d.id, s.forwarded_at
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'succeeded', id, worker => %(who)s::text,
        started_at => forwarded_at)))
    FROM healed
)
SELECT id FROM healed, told

-- name: unreachable
-- On their way through a queue that has not been there for a minute.
SELECT f.id FROM forwarded_messages f JOIN attached_queues a ON a.name = f.queue
WHERE f.queue = %(name)s AND coalesce(a.seen_at, a.created_at) < now() - interval '1 minute'
ORDER BY f.id
LIMIT %(limit)s
FOR UPDATE OF f SKIP LOCKED

-- name: lost
-- Their queue has gone without a word about them: their dead letters return to where they were.
WITH gone AS MATERIALIZED (
    DELETE FROM forwarded_messages WHERE id = ANY (%(ids)s::bigint[])
    RETURNING dlq_event_id, revive_seq, queue, remote_id
), still AS MATERIALIZED (
    SELECT d.id, g.queue || '/' || g.remote_id AS message FROM dlq_events d
    JOIN gone g ON d.id = g.dlq_event_id AND d.revive_count = g.revive_seq
    WHERE d.status = 'REVIVED'
    ORDER BY d.id
    FOR UPDATE OF d
)
SELECT returned.id FROM (
    SELECT array_agg(id) AS ids, array_agg(message) AS messages,
        array_agg('MessageLost: ' || message || ': ' || %(why)s::text) AS reasons
    FROM still
) s, dead_letter_return_lost(s.ids, s.messages, s.reasons, '') returned (id)

-- name: recall
-- The queue is let go of: its revived dead letters wait for a person again, wherever their messages are.
WITH forwarded AS (
    DELETE FROM forwarded_messages WHERE queue = %(name)s
    RETURNING dlq_event_id, revive_seq, forwarded_at AS started_at
), waiting AS (
    DELETE FROM message_queue WHERE queue = %(name)s AND dlq_event_id IS NOT NULL
    RETURNING dlq_event_id, revive_seq, created_at AS started_at
), came AS MATERIALIZED (
    SELECT * FROM forwarded UNION ALL SELECT * FROM waiting
), still AS MATERIALIZED (
    SELECT d.id, c.started_at FROM dlq_events d
    JOIN came c ON d.id = c.dlq_event_id AND d.revive_count = c.revive_seq
    WHERE d.status = 'REVIVED'
    ORDER BY d.id
    FOR UPDATE OF d
), returned AS (
    UPDATE dlq_events d SET status = 'EXHAUSTED' FROM still s
    WHERE d.id = s.id AND d.status = 'REVIVED'
    RETURNING d.id, s.started_at
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'failed', id, started_at => started_at,
        reason => format(/*stored: queue*/ 'Detached: %%s was detached before it let go of the message', %(name)s::text))))
    FROM returned
)
SELECT id FROM returned, told
