-- name: hold
INSERT INTO breakers (key, held, held_until, held_by, held_reason)
VALUES (%(key)s, %(held)s, %(until)s, %(by)s, %(reason)s)
ON CONFLICT (key) DO UPDATE
SET held = excluded.held, held_until = excluded.held_until, held_by = excluded.held_by,
    held_reason = excluded.held_reason

-- name: resume
-- Closed, and held by nobody; what it was before.
WITH before AS MATERIALIZED (
    SELECT key, state, CASE WHEN held_until > clock_timestamp() THEN held END AS held
    FROM breakers WHERE key = %(key)s FOR UPDATE
)
UPDATE breakers b
SET state = 'closed', since = clock_timestamp(), only_again = false, score = 0, rose_at = NULL, again_score = 0, failures = 0,
    probes = 0, successes = 0, next_probe_at = NULL, reason = '', told_by = '', held = NULL, held_until = NULL, held_by = '',
    held_reason = ''
FROM before
WHERE b.key = before.key AND (before.state <> 'closed' OR before.held IS NOT NULL)
RETURNING before.state, before.held

-- name: forget
-- Closed, held by nobody, and nothing was heard of it for an hour.
DELETE FROM breakers
WHERE (state = 'closed' OR noted_at < clock_timestamp() - interval '1 day')
    AND coalesce(held_until, since) < clock_timestamp() AND noted_at < clock_timestamp() - interval '1 hour'
