-- Revived dead letters whose message is on no queue, ours or another system's, and nobody said what became of it.

-- name: look
-- A page of the revived, in the order in which they were made; which of them are lost.
SELECT array_agg(d.id) FILTER (WHERE {lost}) AS lost, count(*) AS looked_at,
    (array_agg(d.created_at::text ORDER BY d.created_at DESC, d.id DESC))[1] AS place,
    (array_agg(d.id ORDER BY d.created_at DESC, d.id DESC))[1] AS id
FROM (
    SELECT id, created_at, revived_at, updated_at, revive_count FROM dlq_events
    WHERE status = 'REVIVED' AND (created_at, id) > (%(place)s::timestamptz, %(id)s::bigint)
    ORDER BY created_at, id
    LIMIT %(limit)s
) d

-- name: lost
-- Revived a minute ago at least: what was revived anew since we looked, while its row was locked, is not meant.
coalesce(d.revived_at, d.updated_at) < now() - interval '1 minute'
    AND NOT EXISTS (SELECT 1 FROM message_queue m WHERE m.dlq_event_id = d.id AND m.revive_seq = d.revive_count)
    AND NOT EXISTS (
        SELECT 1 FROM forwarded_messages f JOIN attached_queues a ON a.name = f.queue
        WHERE f.dlq_event_id = d.id AND f.revive_seq = d.revive_count
    )

-- name: settle
-- Looked at again under the lock. Whoever has one of them locked is settling it.
WITH found AS MATERIALIZED (
    SELECT d.id, d.revive_count, d.revived_at FROM dlq_events d
    WHERE d.id = ANY (%(ids)s::bigint[]) AND d.status = 'REVIVED' AND {lost}
    ORDER BY d.id
    FOR UPDATE OF d SKIP LOCKED
), abandoned AS (
    DELETE FROM forwarded_messages f USING found d
    WHERE f.dlq_event_id = d.id AND f.revive_seq = d.revive_count
    RETURNING f.dlq_event_id, f.queue, f.remote_id
), emptied AS (
    SELECT actor, at FROM audit_log WHERE target = 'table:message_queue' AND action = 'truncate'
    ORDER BY id DESC LIMIT 1
), told AS (
    SELECT d.id, coalesce(a.queue || '/' || a.remote_id, '') AS message, CASE
        WHEN a.queue IS NOT NULL THEN format(
            /*stored: queue*/ 'Detached: %%s is attached no more, and had not let go of the message', a.queue)
        WHEN e.at > d.revived_at THEN format(
            /*stored: actor, moment*/ 'MessageLost: its message is on no queue any more; %%s emptied the table of messages at %%s UTC',
            e.actor, to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
        ELSE /*stored*/ 'MessageLost: its message is on no queue any more, and nobody said what became of it (triggers that were off, an unlogged table after a crash, a restored backup)'
        END AS reason
    FROM found d LEFT JOIN abandoned a ON a.dlq_event_id = d.id LEFT JOIN emptied e ON true
    ORDER BY d.id
)
SELECT returned.id FROM (
    SELECT array_agg(id) AS ids, array_agg(message) AS messages, array_agg(reason) AS reasons FROM told
) t, dead_letter_return_lost(t.ids, t.messages, t.reasons, '') returned (id)
