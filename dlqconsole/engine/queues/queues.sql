-- name: add_activity
INSERT INTO queue_activity AS a (queue, minute, completed, retried, dead_lettered, lost)
SELECT queue, date_trunc('minute', clock_timestamp()), completed, retried, dead_lettered, lost
FROM unnest(%(queues)s::text[], %(completed)s::int[], %(retried)s::int[], %(dead_lettered)s::int[], %(lost)s::int[])
    n (queue, completed, retried, dead_lettered, lost)
ORDER BY queue
ON CONFLICT (queue, minute, consumer) DO UPDATE SET completed = a.completed + excluded.completed,
    retried = a.retried + excluded.retried, dead_lettered = a.dead_lettered + excluded.dead_lettered,
    lost = a.lost + excluded.lost
RETURNING a.id

-- name: forget_activity
DELETE FROM queue_activity WHERE minute < clock_timestamp() - interval '7 days'

-- name: let_go
-- Messages that waited for an earlier one of their group need not any more.
UPDATE message_queue m
SET status = CASE WHEN m.next_retry_at > clock_timestamp() THEN 'scheduled' ELSE 'pending' END
WHERE m.status = 'waiting' AND m.id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE queue = %(queue)s AND group_key IS NOT NULL AND status = 'waiting'
    ORDER BY group_key, id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
))
RETURNING m.id
