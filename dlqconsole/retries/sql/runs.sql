-- The schedule by the database's clock: whose turn it is, and what a run has done.

-- name: schedule
-- ``next_at`` is when the next run may begin. A run that its time budget or a lost lock ended is followed
-- at once; so is one whose worker died (no word for %(silence)s s). Missed turns are made up by one run.
WITH newest AS (
    SELECT started_at, finished_at, heartbeat_at, more_due FROM retry_runs ORDER BY started_at DESC, id DESC LIMIT 1
), turn AS (
    SELECT CASE
        WHEN finished_at IS NULL THEN heartbeat_at + make_interval(secs => %(silence)s)
        WHEN more_due THEN finished_at
        ELSE started_at + make_interval(secs => %(every)s) END AS next_at
    FROM newest
)
SELECT coalesce((SELECT next_at FROM turn), clock_timestamp()) AS next_at,
    coalesce((SELECT next_at <= clock_timestamp() FROM turn), true) AS is_due

-- name: begin
-- None, where the lock has been taken again since.
WITH died AS (
    UPDATE retry_runs SET finished_at = heartbeat_at, more_due = true, note = 'its worker stopped without a word'
    WHERE finished_at IS NULL AND lock_token_is_current(%(lock)s, %(token)s)
)
INSERT INTO retry_runs (trigger, worker, token)
SELECT %(trigger)s, %(worker)s, %(token)s WHERE lock_token_is_current(%(lock)s, %(token)s)
RETURNING id

-- name: progress
-- None, where the lock has been taken again since: the run is over, and only its end is still told.
UPDATE retry_runs
SET heartbeat_at = clock_timestamp(), claimed = %(claimed)s, succeeded = %(succeeded)s, failed = %(failed)s,
    exhausted = %(exhausted)s, lost = %(lost)s
WHERE id = %(id)s AND lock_token_is_current(%(lock)s, token)
RETURNING id

-- name: end
UPDATE retry_runs
SET finished_at = clock_timestamp(), heartbeat_at = clock_timestamp(), claimed = %(claimed)s,
    succeeded = %(succeeded)s, failed = %(failed)s, exhausted = %(exhausted)s, lost = %(lost)s,
    more_due = %(more_due)s, note = %(note)s
WHERE id = %(id)s
RETURNING id

-- name: why_not
-- One pass over what is not finished with, by the reason why the schedule leaves it alone now.
SELECT CASE
        WHEN status <> 'PENDING' THEN status
        WHEN dead_letter_keeps_coming(come_backs, %(most_come_backs)s) THEN 'CAME_BACK'
        WHEN error_category NOT IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN') THEN error_category
        WHEN event_type <> ALL (%(event_types)s::text[]) THEN 'NO_HANDLER'  -- NULL where nobody knows
        WHEN dead_letter_becomes(status, retry_count, coalesce(max_retries, %(max_retries)s)) = 'EXHAUSTED' THEN 'USED_UP'
        WHEN retry_after > now() THEN 'WAITS'
        ELSE 'DUE' END AS why,
    count(*) AS count, min(retry_after) AS earliest
FROM dlq_events
WHERE status <> 'SUCCEEDED' AND {letters}
GROUP BY 1

-- name: unhandled_types
-- Of what the schedule would retry, the types that nobody has a handler for, by the counts that are kept.
SELECT event_type FROM dead_letter_totals
WHERE status = 'PENDING' AND error_category IN ('DEPENDENCY', 'TRANSIENT', 'UNKNOWN')
    AND event_type <> ALL (%(event_types)s::text[]) AND {counted}
GROUP BY event_type
HAVING sum(letters) > 0
ORDER BY sum(letters) DESC, event_type
LIMIT %(limit)s
