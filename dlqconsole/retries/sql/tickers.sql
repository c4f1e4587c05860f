-- Which beats run, and when a worker last had a tick.

-- name: say
WITH forgotten AS (
    DELETE FROM retry_tickers WHERE seen_at < clock_timestamp() - make_interval(secs => %(forget)s)
)
INSERT INTO retry_tickers (name) VALUES (%(name)s)
ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp()

-- name: withdraw
DELETE FROM retry_tickers WHERE name = %(name)s

-- name: alive
-- A beat that was started anew is not a second one: two are, once both have been heard of for a while.
WITH alive AS (
    SELECT name, started_at, seen_at FROM retry_tickers
    WHERE name <> %(tick)s AND seen_at > clock_timestamp() - make_interval(secs => %(silent)s)
)
SELECT a.name, a.started_at, a.seen_at, EXISTS (
    SELECT FROM alive b
    WHERE b.name <> a.name
        AND least(a.seen_at, b.seen_at) > greatest(a.started_at, b.started_at) + make_interval(secs => %(together)s)
) AS is_together
FROM alive a
ORDER BY a.started_at

-- name: last_tick
SELECT seen_at, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS seconds_ago
FROM retry_tickers WHERE name = %(tick)s
