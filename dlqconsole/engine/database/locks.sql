-- ShedLock 7's own statements for PostgreSQL with the server's time, so that both fleets agree.

-- name: acquire
INSERT INTO shedlock (name, lock_until, locked_at, locked_by)
VALUES (%(name)s, timezone('utc', CURRENT_TIMESTAMP) + make_interval(secs => %(at_most)s),
    timezone('utc', CURRENT_TIMESTAMP), %(by)s)
ON CONFLICT (name) DO UPDATE
SET lock_until = timezone('utc', CURRENT_TIMESTAMP) + make_interval(secs => %(at_most)s),
    locked_at = timezone('utc', CURRENT_TIMESTAMP), locked_by = %(by)s
WHERE shedlock.name = %(name)s AND shedlock.lock_until <= timezone('utc', CURRENT_TIMESTAMP)

-- name: extend
UPDATE shedlock SET lock_until = timezone('utc', CURRENT_TIMESTAMP) + make_interval(secs => %(at_most)s)
WHERE name = %(name)s AND locked_by = %(by)s AND lock_until > timezone('utc', CURRENT_TIMESTAMP)

-- name: release
UPDATE shedlock
SET lock_until = CASE
    WHEN locked_at + make_interval(secs => %(at_least)s) > timezone('utc', CURRENT_TIMESTAMP)
    THEN locked_at + make_interval(secs => %(at_least)s)
    ELSE timezone('utc', CURRENT_TIMESTAMP) END
WHERE name = %(name)s AND locked_by = %(by)s

-- name: holder
SELECT locked_by, locked_at, lock_until, lock_until > timezone('utc', CURRENT_TIMESTAMP) AS held
FROM shedlock WHERE name = %(name)s
