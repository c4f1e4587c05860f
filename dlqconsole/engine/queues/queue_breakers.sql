-- name: state
-- Seconds until the next probe, below zero when it is due; no row while the queue is handled as usual.
SELECT extract(epoch FROM open_until - clock_timestamp())::float8 FROM queue_breakers WHERE queue = %(queue)s

-- name: open
INSERT INTO queue_breakers (queue, failures, reason, open_until)
VALUES (%(queue)s, %(failures)s, %(reason)s, clock_timestamp() + make_interval(secs => %(seconds)s::float8))
ON CONFLICT (queue) DO NOTHING
RETURNING queue

-- name: probe
-- Of all consumers one may try one message; the pause after it is twice as long, up to a minute.
UPDATE queue_breakers
SET probes = probes + 1,
    open_until = clock_timestamp()
        + make_interval(secs => least(%(longest)s::float8, %(seconds)s::float8 * 2 ^ least(probes + 1, 20)))
WHERE queue = %(queue)s AND open_until <= clock_timestamp()
RETURNING queue

-- name: nothing_to_try
-- The one that was to try found no message: the pause does not grow for that.
UPDATE queue_breakers
SET probes = greatest(probes - 1, 0),
    open_until = clock_timestamp() + make_interval(secs => %(seconds)s::float8)
WHERE queue = %(queue)s
RETURNING queue

-- name: open_ones
SELECT queue, failures, reason, probes, opened_at,
    extract(epoch FROM open_until - clock_timestamp())::float8 AS next_seconds
FROM queue_breakers WHERE queue = ANY (%(names)s::text[])

-- name: close
DELETE FROM queue_breakers WHERE queue = %(queue)s RETURNING queue

-- name: forget
-- Nobody has tried for an hour: no consumer is left, or nothing to try with.
DELETE FROM queue_breakers WHERE open_until < clock_timestamp() - interval '1 hour'
