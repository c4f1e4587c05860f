-- name: take
-- One try of each key. `spent_until` is when all its tries will be back, so a key that is never used needs no row.
-- In the order of the keys, so that two sign-ins never wait for each other crosswise; whoever comes second waits
-- for the row and counts what the first one took.
INSERT INTO sign_in_allowances AS known (key, spent_until)
SELECT asked.key, now() + asked.one_back
FROM unnest(%(keys)s::text[], %(steps)s::interval[]) AS asked (key, one_back)
ORDER BY asked.key
ON CONFLICT (key) DO UPDATE
SET spent_until = greatest(known.spent_until, now()) + (excluded.spent_until - now())
RETURNING key, extract(epoch FROM spent_until - now())::float8 AS seconds;

-- name: give_back
WITH held AS (
    SELECT known.key, asked.given
    FROM sign_in_allowances known
    JOIN unnest(%(keys)s::text[], %(steps)s::interval[]) AS asked (key, given) ON asked.key = known.key
    ORDER BY known.key
    FOR UPDATE OF known
)
UPDATE sign_in_allowances known
SET spent_until = known.spent_until - held.given
FROM held
WHERE known.key = held.key;

-- name: forget_unused
-- A key whose tries are all back is as one without a row. What somebody uses just now is left for the next time.
DELETE FROM sign_in_allowances
WHERE key IN (
    SELECT key FROM sign_in_allowances WHERE spent_until < now() LIMIT 100 FOR UPDATE SKIP LOCKED
);

-- name: release
DELETE FROM sign_in_allowances WHERE starts_with(key, %(prefix)s);
