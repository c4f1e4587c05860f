-- name: abandon
-- A process that died cannot say so: its heart stopped more than a minute ago. One that was asked for and was told to
-- stop is what it was told to be. What was asked for and has no process yet is not dead: the tick lets it wait again.
-- Who may ask for none leaves what was asked for to the app.
UPDATE pipeline_runs
SET status = CASE status WHEN 'cancelling' THEN 'cancelled' ELSE 'failed' END, finished_at = clock_timestamp(),
    message = /*stored*/ 'the process ended without a word'
WHERE status IN ('running', 'cancelling') AND heartbeat_at < clock_timestamp() - interval '1 minute'
    AND (asked_at IS NULL OR (pid IS NOT NULL OR status = 'cancelling')
        AND has_column_privilege('pipeline_runs', 'asked_at', 'UPDATE'))
RETURNING id

-- name: take_back
-- It lives, and was only silent: the machine slept, or the database was out of scope. What was begun or asked for anew
-- meanwhile is left to that one.
UPDATE pipeline_runs r
SET status = 'running', finished_at = NULL, heartbeat_at = clock_timestamp(),
    message = 'goes on, after it was silent for more than a minute'
WHERE r.id = %(id)s AND r.status = 'failed' AND r.message = /*stored*/ 'the process ended without a word' AND NOT EXISTS (
    SELECT FROM pipeline_runs n
    WHERE n.id > r.id AND n.kind = r.kind AND (n.subject = r.subject OR n.lock_name = r.lock_name)
)
RETURNING r.status, r.total, r.done, r.counts
