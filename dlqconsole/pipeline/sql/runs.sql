-- name: abandon
-- A driver that died cannot say so: its heart stopped more than a minute ago.
UPDATE pipeline_runs
SET status = 'failed', finished_at = clock_timestamp(), message = 'the process ended without a word'
WHERE status = 'running' AND heartbeat_at < clock_timestamp() - interval '1 minute'
RETURNING id

-- name: begin
INSERT INTO pipeline_runs (kind, subject, unit, message)
VALUES (%(kind)s, %(subject)s, %(unit)s, %(message)s)
RETURNING id

-- name: beat
UPDATE pipeline_runs SET heartbeat_at = clock_timestamp()
WHERE id = %(id)s AND status = 'running'
RETURNING total, done, counts

-- name: describe
UPDATE pipeline_runs
SET heartbeat_at = clock_timestamp(), message = %(message)s, total = total + %(more)s
WHERE id = %(id)s AND status = 'running'
RETURNING id

-- name: add
-- The last statement of the transaction that wrote the rows it counts, so that the two cannot differ.
-- A run that is over takes no more: whoever still works for it rolls back.
UPDATE pipeline_runs r
SET heartbeat_at = clock_timestamp(), done = r.done + %(done)s,
    -- blank lines are found on the way, and are no events
    total = greatest(r.total - %(blank)s, r.done + %(done)s),
    counts = r.counts || (
        SELECT coalesce(jsonb_object_agg(c.key, coalesce((r.counts ->> c.key)::bigint, 0) + c.value::bigint), '{}')
        FROM jsonb_each_text(%(counts)s::jsonb) c
    )
WHERE r.id = %(id)s AND r.status = 'running'
RETURNING r.id

-- name: finish
UPDATE pipeline_runs
SET status = %(status)s, message = %(message)s, heartbeat_at = clock_timestamp(), finished_at = clock_timestamp()
WHERE id = %(id)s AND status = 'running'
RETURNING total, done, counts
