-- name: ask
-- No row: one of that lock is open already.
INSERT INTO pipeline_runs (kind, status, subject, asked_by, asked_at, arguments, operation_id, lock_name, memory, message)
VALUES (%(kind)s, 'asked', %(subject)s, %(actor)s, clock_timestamp(), %(arguments)s::jsonb, %(operation_id)s,
    %(lock)s, %(memory)s, /*stored*/ 'waits for a worker')
ON CONFLICT (lock_name) WHERE status IN ('asked', 'running', 'cancelling') DO NOTHING
RETURNING id

-- name: in_the_way
-- What of this job is open: by its lock, or begun on a command line and heard of within the last minute.
SELECT id, status FROM pipeline_runs
WHERE status IN ('asked', 'running', 'cancelling') AND (
    lock_name = %(lock)s
    OR lock_name IS NULL AND kind = %(kind)s AND heartbeat_at > clock_timestamp() - interval '1 minute'
)
ORDER BY id LIMIT 1

-- name: cancel
-- What nobody has begun is over at once.
UPDATE pipeline_runs
SET cancelled_by = %(actor)s,
    status = CASE status WHEN 'asked' THEN 'cancelled' ELSE 'cancelling' END,
    finished_at = CASE status WHEN 'asked' THEN clock_timestamp() END,
    message = CASE status WHEN 'asked' THEN /*stored*/ 'cancelled before it began' ELSE message END
WHERE id = %(id)s AND status IN ('asked', 'running')
RETURNING kind

-- name: claim
-- The oldest that waits and for which this host has memory; what one alone needs more is given when nothing else
-- runs here. The lock keeps two starters of a host from counting the same memory.
WITH alone AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(hashtextextended('dlqconsole.runs.claim', 0))
), used AS MATERIALIZED (
    SELECT coalesce(sum(CASE WHEN r.memory > 0 THEN r.memory ELSE %(usual)s END), 0) AS memory
    FROM alone CROSS JOIN pipeline_runs r
    WHERE r.status IN ('running', 'cancelling') AND r.host = %(host)s
        AND r.heartbeat_at > clock_timestamp() - interval '1 minute'
), next AS MATERIALIZED (
    SELECT r.id FROM used CROSS JOIN pipeline_runs r
    WHERE r.status = 'asked' AND (used.memory = 0 OR used.memory + r.memory <= %(budget)s)
    ORDER BY r.id LIMIT 1 FOR UPDATE OF r SKIP LOCKED
)
UPDATE pipeline_runs r
SET status = 'running', host = %(host)s, pid = NULL, started_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
    message = /*stored*/ 'starting a process'
FROM next WHERE r.id = next.id
RETURNING r.id, r.kind, r.arguments, r.operation_id

-- name: waiting
-- Whether somebody should be woken for what waits: not for the same one more than twice a minute.
UPDATE pipeline_runs SET heartbeat_at = clock_timestamp()
WHERE status = 'asked' AND heartbeat_at < clock_timestamp() - interval '4 seconds'
RETURNING id

-- name: give_back
-- A starter died before its process took the row up: it waits again. Whichever process comes first has it.
UPDATE pipeline_runs
SET status = 'asked', host = '', message = /*stored*/ 'waits for a worker: the one that had it died'
WHERE status = 'running' AND asked_at IS NOT NULL AND pid IS NULL
    AND heartbeat_at < clock_timestamp() - interval '1 minute'
RETURNING id

-- name: look_at
-- What its starter asks every second, and tells: that it lives, as long as no process does that itself.
UPDATE pipeline_runs
SET log = coalesce(%(log)s, log),
    heartbeat_at = CASE WHEN pid IS NULL THEN clock_timestamp() ELSE heartbeat_at END
WHERE id = %(id)s
RETURNING status

-- name: ended
-- The process is gone. What it wrote as its last word stays; where it had none, this is why.
UPDATE pipeline_runs
SET log = %(log)s, exit_status = %(exit_status)s,
    finished_at = CASE WHEN status IN ('running', 'cancelling') THEN clock_timestamp() ELSE finished_at END,
    message = CASE WHEN status IN ('running', 'cancelling') THEN %(message)s ELSE message END,
    status = CASE status WHEN 'running' THEN 'failed' WHEN 'cancelling' THEN 'cancelled' ELSE status END
WHERE id = %(id)s
RETURNING status

-- name: newest
SELECT id, kind, status, started_at, finished_at, message,
    extract(epoch FROM clock_timestamp() - started_at)::float8 AS seconds
FROM pipeline_runs WHERE kind = %(kind)s ORDER BY id DESC LIMIT 1
