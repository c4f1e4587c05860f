-- name: announce
INSERT INTO queue_sleepers (queue, consumer, until)
SELECT queue, %(consumer)s, clock_timestamp() + make_interval(secs => %(seconds)s)
FROM unnest(%(queues)s::text[]) queue
ORDER BY queue
ON CONFLICT (queue, consumer) DO UPDATE SET until = excluded.until

-- name: nobody_sends
-- Whether every producer that may not have seen the announcement has committed: they hold these locks shared.
SELECT bool_and(pg_try_advisory_xact_lock(1145852241, hashtext(queue))) FROM unnest(%(queues)s::text[]) queue

-- name: awake
UPDATE queue_sleepers SET until = '-infinity'
WHERE consumer = %(consumer)s AND queue = ANY (%(queues)s::text[])

-- name: forget
-- Consumers that are long gone.
DELETE FROM queue_sleepers WHERE until < clock_timestamp() - interval '1 hour'
