-- The schedule by the database's clock: whose turn it is, and what a run has done.

-- name: schedule
-- ``next_at`` is when the next run may begin. A run that its time or a lost lock ended is followed at once; so is one
-- whose workers died (no word for %(silence)s s), and one that a person asks for. ``since``: from when on the
-- opening of a window begins a run; NULL where nothing is waited for that long.
WITH newest AS (
    SELECT started_at, finished_at, heartbeat_at, more_due, resume_at
    FROM retry_runs ORDER BY started_at DESC, id DESC LIMIT 1
), asked AS (
    SELECT asked_at FROM retry_run_requests ORDER BY id DESC LIMIT 1
), turn AS (
    SELECT CASE
            WHEN n.finished_at IS NULL THEN n.heartbeat_at + make_interval(secs => %(silence)s)
            WHEN a.asked_at > n.started_at THEN a.asked_at
            WHEN n.more_due THEN coalesce(n.resume_at, n.finished_at)
            ELSE n.started_at + make_interval(secs => %(every)s) END AS next_at,
        n.finished_at IS NOT NULL AND coalesce(a.asked_at > n.started_at, false) AS is_asked_for,
        CASE WHEN n.finished_at IS NOT NULL THEN n.started_at END AS since
    FROM newest n LEFT JOIN asked a ON true
)
SELECT coalesce(next_at, clock_timestamp()) AS next_at, coalesce(is_asked_for, false) AS is_asked_for, since,
    clock_timestamp() AS now
FROM (SELECT) one LEFT JOIN turn ON true

-- name: open
-- The run that goes on: whoever has a tick joins it.
SELECT id, trigger, late_seconds, extract(epoch FROM clock_timestamp() - started_at)::float8 AS seconds
FROM retry_runs
WHERE finished_at IS NULL AND heartbeat_at > clock_timestamp() - make_interval(secs => %(silence)s)
ORDER BY started_at DESC, id DESC
LIMIT 1

-- name: begin
-- None, where the lock has been taken again since.
WITH died AS (
    UPDATE retry_runs SET finished_at = heartbeat_at, more_due = true, ended_for = 'died',
        note = /*stored*/ 'its worker stopped without a word'
    WHERE finished_at IS NULL AND lock_token_is_current(%(lock)s, %(token)s)
)
INSERT INTO retry_runs (trigger, worker, token, late_seconds, missed)
SELECT %(trigger)s, %(worker)s, %(token)s, %(late)s, %(missed)s WHERE lock_token_is_current(%(lock)s, %(token)s)
RETURNING id

-- name: bury
-- Workers that were killed never left: what they had begun and told nothing of ran out, in the runs that are over.
WITH silent AS MATERIALIZED (
    SELECT w.id, w.run_id, greatest(w.claimed - w.succeeded - w.failed - w.lost, 0) AS more
    FROM retry_run_workers w JOIN retry_runs r ON r.id = w.run_id AND r.finished_at IS NOT NULL
    WHERE w.run_id = ANY (ARRAY(SELECT id FROM retry_runs ORDER BY started_at DESC, id DESC LIMIT 20))
        AND w.left_at IS NULL AND w.heartbeat_at < clock_timestamp() - make_interval(secs => %(silence)s)
    FOR UPDATE OF w SKIP LOCKED
), left_now AS (
    UPDATE retry_run_workers w SET left_at = heartbeat_at, left_for = 'died', lost = lost + silent.more
    FROM silent WHERE w.id = silent.id
), per_run AS (
    SELECT run_id, sum(more) AS more, count(*) AS died FROM silent GROUP BY 1
)
UPDATE retry_runs r
SET lost = r.lost + per_run.more,
    note = format(/*stored: note_sentence, number:d*/ '%%s; workers that stopped without a word: %%s',
        coalesce(nullif(r.note, ''), /*stored*/ 'nothing is due any more'), per_run.died)
FROM per_run WHERE r.id = per_run.run_id
RETURNING r.id

-- name: forget
-- Runs that nobody looks back at any more, with what their workers did; some at a time.
WITH old AS (
    DELETE FROM retry_runs
    WHERE id = ANY (ARRAY(
        SELECT id FROM retry_runs
        WHERE started_at < clock_timestamp() - make_interval(days => %(days)s) AND finished_at IS NOT NULL
        ORDER BY started_at LIMIT 1000
    ))
    RETURNING id
)
DELETE FROM retry_run_workers w USING old WHERE w.run_id = old.id

-- name: join
INSERT INTO retry_run_workers (run_id, worker)
SELECT id, %(worker)s FROM retry_runs WHERE id = %(id)s
RETURNING run_id

-- name: adopt
-- Whoever began it is gone, or has let go of the lock: the one who has the lock now keeps its book.
UPDATE retry_runs SET worker = %(worker)s, token = %(token)s
WHERE id = %(id)s AND finished_at IS NULL AND lock_token_is_current(%(lock)s, %(token)s)
RETURNING id

-- name: note
-- What a worker has done so far.
UPDATE retry_run_workers
SET heartbeat_at = clock_timestamp(), claimed = %(claimed)s, succeeded = %(succeeded)s,
    revived = %(revived)s, failed = %(failed)s,
    exhausted = %(exhausted)s, lost = %(lost)s, failures = %(failures)s::jsonb, left_for = %(left_for)s,
    left_at = CASE WHEN %(left_for)s <> '' THEN clock_timestamp() END
WHERE run_id = %(id)s AND worker = %(worker)s
RETURNING run_id

-- name: sum
-- The run's counts are its workers' together. ``others`` still work in it; ``is_free``: nobody holds the lock, and
-- ``is_ours``: nobody has taken it since the run has it.
WITH done AS (
    SELECT coalesce(sum(claimed), 0) AS claimed, coalesce(sum(succeeded), 0) AS succeeded,
        coalesce(sum(revived), 0) AS revived,
        coalesce(sum(failed), 0) AS failed, coalesce(sum(exhausted), 0) AS exhausted, coalesce(sum(lost), 0) AS lost,
        count(*) FILTER (WHERE left_at IS NULL AND worker <> %(worker)s
            AND heartbeat_at > clock_timestamp() - make_interval(secs => %(silence)s)) AS others
    FROM retry_run_workers WHERE run_id = %(id)s
)
UPDATE retry_runs r
SET heartbeat_at = CASE WHEN finished_at IS NULL THEN clock_timestamp() ELSE heartbeat_at END, claimed = done.claimed,
    succeeded = done.succeeded, revived = done.revived, failed = done.failed, exhausted = done.exhausted, lost = done.lost
FROM done
WHERE r.id = %(id)s
RETURNING done.others, finished_at IS NULL AS is_open,
    EXISTS (SELECT FROM lock_tokens t WHERE t.name = %(lock)s AND t.token = r.token) AS is_ours,
    NOT EXISTS (SELECT FROM shedlock s
        WHERE s.name = %(lock)s AND s.lock_until > timezone('utc', clock_timestamp())) AS is_free

-- name: end
-- By who has the lock, or lost it; never by who only joined.
UPDATE retry_runs
SET finished_at = clock_timestamp(), heartbeat_at = clock_timestamp(), ended_for = %(ended_for)s,
    more_due = %(more_due)s, note = %(note)s,
    resume_at = clock_timestamp() + make_interval(secs => %(resume_after)s::float8)
WHERE id = %(id)s AND finished_at IS NULL AND worker = %(worker)s
RETURNING id

-- name: failures
-- Why attempts failed in these runs: their failure groups, the most frequent first.
SELECT w.run_id, f.key::bigint AS group_id, sum(f.value::bigint)::bigint AS number
FROM retry_run_workers w CROSS JOIN LATERAL jsonb_each_text(w.failures) f
WHERE w.run_id = ANY (%(ids)s::bigint[])
GROUP BY 1, 2
ORDER BY 1, 3 DESC, 2

-- name: standing
-- The lock, and the run that is open.
SELECT coalesce(s.locked_by, '') AS holder, coalesce(to_char(s.lock_until, 'YYYY-MM-DD HH24:MI:SS'), '') AS until,
    coalesce(s.lock_until > timezone('utc', clock_timestamp()), false) AS is_held, r.id AS run,
    extract(epoch FROM clock_timestamp() - r.heartbeat_at)::float8 AS silent
FROM (SELECT) one
LEFT JOIN shedlock s ON s.name = %(lock)s
LEFT JOIN LATERAL (
    SELECT id, heartbeat_at FROM retry_runs WHERE finished_at IS NULL ORDER BY started_at DESC, id DESC LIMIT 1
) r ON true

-- name: take_lock
-- As if it were taken and let go of: its token rises. Nobody may hold it.
UPDATE shedlock
SET locked_at = timezone('utc', CURRENT_TIMESTAMP), lock_until = timezone('utc', CURRENT_TIMESTAMP), locked_by = %(by)s
WHERE name = %(lock)s AND lock_until <= timezone('utc', CURRENT_TIMESTAMP)
RETURNING name

-- name: take_over
UPDATE retry_runs
SET finished_at = clock_timestamp(), more_due = true, ended_for = 'taken over',
    note = format(/*stored: worker*/ 'was taken over: %%s had stopped without a word', worker)
WHERE id = %(id)s AND finished_at IS NULL AND heartbeat_at <= clock_timestamp() - make_interval(secs => %(alive)s)
RETURNING id

-- name: why_not
-- What is not finished with, by the reason why the schedule leaves it alone now: from the counts that are kept, and of
-- what is due from an index that has all that is asked here. The cells say of all that policies do not tell apart what
-- stops it whatever its time (a policy, a pause, no handler), and what holds it once it is due.
WITH coming AS MATERIALIZED (
    SELECT e.event_type, e.error_category AS category,
        CASE WHEN e.group_id = ANY (%(groups)s::bigint[]) THEN e.group_id END AS group_id,
        coalesce(nullif(e.queue, ''), e.event_type) = ANY (%(queues)s::text[]) AS is_consumed, count(*) AS letters
    FROM dlq_events e
    WHERE e.status = 'PENDING' AND e.come_backs > 0 AND dead_letter_keeps_coming(e.come_backs, %(most_come_backs)s)
        AND {letters}
    GROUP BY 1, 2, 3, 4
), pending AS MATERIALIZED (
    SELECT t.event_type, t.error_category AS category,
        CASE WHEN t.group_id = ANY (%(groups)s::bigint[]) THEN t.group_id END AS group_id,
        coalesce(nullif(t.queue, ''), t.event_type) = ANY (%(queues)s::text[]) AS is_consumed, sum(t.letters) AS letters
    FROM dead_letter_totals t WHERE t.status = 'PENDING' AND {counted}
    GROUP BY 1, 2, 3, 4
), cells AS MATERIALIZED (
    SELECT p.event_type, p.category, p.group_id, p.is_consumed, p.letters - coalesce(m.letters, 0) AS letters, c.most,
        c.held_by, c.stopped_by AS left_for
    FROM pending p
    LEFT JOIN coming m ON m.event_type = p.event_type AND m.category = p.category
        AND m.group_id IS NOT DISTINCT FROM p.group_id AND m.is_consumed = p.is_consumed
    LEFT JOIN jsonb_to_recordset(%(cells)s::jsonb)
        c (event_type text, category text, group_id bigint, is_consumed boolean, most integer, stopped_by text,
            held_by text)
        ON c.event_type = p.event_type AND c.category = p.category AND c.group_id IS NOT DISTINCT FROM p.group_id
            AND c.is_consumed = p.is_consumed
), turns AS MATERIALIZED (
    SELECT c.letters, c.held_by, due.letters AS due, due.used_up, waits.earliest
    FROM cells c, LATERAL (
        SELECT count(*) FILTER (WHERE e.becomes <> 'EXHAUSTED') AS letters,
            count(*) FILTER (WHERE e.becomes = 'EXHAUSTED') AS used_up
        FROM (
            SELECT dead_letter_becomes('PENDING', e.retry_count, coalesce(e.max_retries, c.most)) AS becomes
            FROM dlq_events e WHERE e.retry_after <= now() AND {of_cell}
        ) e
    ) due LEFT JOIN LATERAL (
        SELECT e.retry_after AS earliest FROM dlq_events e WHERE e.retry_after > now() AND {of_cell}
        ORDER BY e.retry_after LIMIT 1
    ) waits ON true
    WHERE c.left_for IS NULL
), stopped AS MATERIALIZED (
    SELECT count(*) AS letters FROM dlq_events e WHERE e.status = 'RETRYING' AND e.lease_until < now() AND {letters}
)
SELECT why, sum(letters)::bigint AS count, min(earliest) AS earliest
FROM (
    SELECT t.status AS why, t.letters, NULL::timestamptz AS earliest FROM dead_letter_totals t
    WHERE t.status NOT IN ('PENDING', 'SUCCEEDED') AND {counted}
    UNION ALL SELECT 'RETRYING', -letters, NULL FROM stopped
    UNION ALL SELECT 'LEASE', letters, NULL FROM stopped
    UNION ALL SELECT 'CAME_BACK', letters, NULL FROM coming
    UNION ALL SELECT left_for, letters, NULL FROM cells WHERE left_for IS NOT NULL
    UNION ALL SELECT coalesce(held_by, 'DUE'), due, NULL FROM turns
    UNION ALL SELECT 'USED_UP', used_up, NULL FROM turns
    UNION ALL SELECT 'WAITS', letters - due - used_up, earliest FROM turns
) reasons
GROUP BY why HAVING sum(letters) > 0

-- name: of_cell
-- A dead letter e of the cell c that may get a turn.
e.status = 'PENDING' AND e.event_type = c.event_type AND e.error_category = c.category
    AND NOT dead_letter_keeps_coming(e.come_backs, %(most_come_backs)s) AND {letters} AND {of_group}
    AND {of_queue}

-- name: of_group
-- The same, where a group has a policy or a pace of its own: asked of a million, it costs as much as all the rest.
c.group_id IS NOT DISTINCT FROM CASE WHEN e.group_id = ANY (%(groups)s::bigint[]) THEN e.group_id END

-- name: of_queue
-- The same, where a program consumes by SQL.
(coalesce(nullif(e.queue, ''), e.event_type) = ANY (%(queues)s::text[])) = c.is_consumed

-- name: waiting_types
-- What waits for the schedule, and what was revived and has no outcome yet, by the counts that are kept.
SELECT event_type, coalesce(nullif(queue, ''), event_type) AS queue,
    coalesce(sum(letters) FILTER (WHERE status = 'PENDING'), 0)::bigint AS waiting,
    coalesce(sum(letters) FILTER (WHERE status = 'REVIVED'), 0)::bigint AS under_way
FROM dead_letter_totals
WHERE status IN ('PENDING', 'REVIVED')
GROUP BY 1, 2
HAVING sum(letters) > 0

-- name: line
-- What is due of a type in the order in which it is taken: the first ones, by the index of each category.
SELECT one.id, one.error_category, one.group_id, one.retry_count, one.max_retries
FROM unnest(%(categories)s::text[]) c (category) CROSS JOIN LATERAL (
    SELECT d.id, d.error_category, d.group_id, d.retry_count, d.max_retries, d.retry_after FROM dlq_events d
    WHERE d.status = 'PENDING' AND d.event_type = %(event_type)s AND d.error_category = c.category
        AND d.retry_after <= now() AND NOT dead_letter_keeps_coming(d.come_backs, %(most_come_backs)s)
    ORDER BY d.retry_after, d.id
    LIMIT %(look)s
) one
ORDER BY one.retry_after, one.id
LIMIT %(look)s
