-- name: begin
INSERT INTO pipeline_runs (kind, subject, unit, message, pid, host)
VALUES (%(kind)s, %(subject)s, %(unit)s, %(message)s, %(pid)s, %(host)s)
RETURNING id

-- name: adopt
-- The process that was started for it takes up a row. Of two only the first: a row has one process for ever.
UPDATE pipeline_runs
SET subject = %(subject)s, unit = %(unit)s, message = %(message)s, pid = %(pid)s, host = %(host)s,
    heartbeat_at = clock_timestamp()
WHERE id = %(id)s AND kind = %(kind)s AND status = 'running' AND pid IS NULL
RETURNING id

-- name: beat
-- Its commit waits for no disk: the workers count in this row, and would wait for it. A beat that a crash takes
-- back is missed by nobody.
UPDATE pipeline_runs SET heartbeat_at = clock_timestamp()
WHERE id = %(id)s AND status IN ('running', 'cancelling')
    AND set_config('synchronous_commit', 'off', true) IS NOT NULL
RETURNING status, total, done, counts

-- name: describe
UPDATE pipeline_runs
SET heartbeat_at = clock_timestamp(), message = %(message)s, total = total + %(more)s
WHERE id = %(id)s AND status IN ('running', 'cancelling')
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
WHERE r.id = %(id)s AND r.status IN ('running', 'cancelling')
RETURNING r.id

-- name: finish
-- What somebody cancelled did not fail.
UPDATE pipeline_runs
SET status = CASE WHEN status = 'cancelling' AND %(status)s = 'failed' THEN 'cancelled' ELSE %(status)s END,
    message = CASE WHEN status = 'cancelling' AND %(status)s = 'failed' THEN /*stored*/ 'stopped in good order' ELSE %(message)s END,
    heartbeat_at = clock_timestamp(), finished_at = clock_timestamp()
WHERE id = %(id)s AND status IN ('running', 'cancelling')
RETURNING total, done, counts

-- name: resume
-- A stream is one run: it rests between two batches, and goes on with the next.
UPDATE pipeline_runs SET status = 'running', heartbeat_at = clock_timestamp(), finished_at = NULL
WHERE id = %(id)s
RETURNING id

-- name: hold
-- In the transaction that writes: nobody can end the run before this one has committed. No row: it is over.
SELECT id FROM pipeline_runs WHERE id = %(id)s AND status IN ('running', 'cancelling') FOR SHARE
