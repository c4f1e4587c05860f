-- ShedLock 7's own statements for PostgreSQL, so that both fleets agree. ``{now}`` is the database's time in UTC,
-- or what the caller's clock says.

-- name: acquire
INSERT INTO shedlock (name, lock_until, locked_at, locked_by)
VALUES (%(name)s, {now} + make_interval(secs => %(at_most)s), {now}, %(by)s)
ON CONFLICT (name) DO UPDATE
SET lock_until = {now} + make_interval(secs => %(at_most)s), locked_at = {now}, locked_by = %(by)s
WHERE shedlock.name = %(name)s AND shedlock.lock_until <= {now}

-- name: extend
UPDATE shedlock SET lock_until = {now} + make_interval(secs => %(at_most)s)
WHERE name = %(name)s AND locked_by = %(by)s AND lock_until > {now}

-- name: release
UPDATE shedlock SET lock_until = greatest(locked_at + make_interval(secs => %(at_least)s), {now})
WHERE name = %(name)s AND locked_by = %(by)s

-- name: token
-- Whether the lock is ours, and by which token: also after an answer was lost on its way.
SELECT t.token FROM shedlock s JOIN lock_tokens t USING (name)
WHERE s.name = %(name)s AND s.locked_by = %(by)s AND t.locked_by = %(by)s AND s.lock_until > {now}

-- name: holder
SELECT s.locked_by, s.locked_at, s.lock_until, s.lock_until > timezone('utc', clock_timestamp()) AS held, t.token,
    t.taken_at, t.clock_drift
FROM shedlock s JOIN lock_tokens t USING (name) WHERE s.name = %(name)s
