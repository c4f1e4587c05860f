-- The archive's chores, and what shortening would cost. Each message says by itself how long it is kept.

-- name: delete_outlived
-- What reached its time where no partition was made for its day. The audit row is of the same statement.
WITH outlived AS MATERIALIZED (
    SELECT ctid FROM message_archive_unplaced
    WHERE keep_until < now()
    ORDER BY keep_until
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM message_archive_unplaced WHERE ctid = ANY (ARRAY(SELECT ctid FROM outlived))
    RETURNING queue
), counted AS MATERIALIZED (
    SELECT queue, count(*) AS messages FROM gone GROUP BY queue
), noted AS (
    INSERT INTO audit_log (actor, action, target, detail)
    SELECT 'retention', 'expire', 'archive:unplaced', jsonb_build_object(
        'messages', (SELECT sum(messages) FROM counted), 'queues', (
            SELECT jsonb_object_agg(queue, messages)
            FROM (SELECT * FROM counted ORDER BY messages DESC, queue LIMIT 20) largest
        )
    )
    WHERE EXISTS (SELECT FROM counted)
)
SELECT coalesce(sum(messages), 0)::bigint FROM counted

-- name: longer
-- What a queue archived before a moment and promised to keep longer than so many days; of it, what would go at once.
SELECT count(*) AS messages,
    count(*) FILTER (WHERE archived_at + make_interval(hours => 24 * %(days)s) <= now()) AS at_once
FROM message_archive
WHERE queue = %(queue)s AND archived_at <= %(before)s
    AND keep_until > greatest(archived_at + make_interval(hours => 24 * %(days)s), now())

-- name: shorten
SELECT deleted, shortened FROM message_archive_shorten(%(queue)s::text, %(days)s::integer, %(before)s::timestamptz,
    %(limit)s::integer, %(actor)s::text, %(reason)s::text)

-- name: now
SELECT clock_timestamp()
