-- name: positions
SELECT log, part, position FROM source_positions WHERE log = ANY (%(logs)s::text[])

-- name: keep_position
-- Of two jobs on one partition, the one that is behind takes nothing back.
INSERT INTO source_positions (log, part, position)
VALUES (%(log)s, %(part)s, %(position)s)
ON CONFLICT (log, part) DO UPDATE SET position = excluded.position, read_at = clock_timestamp()
WHERE source_positions.position < excluded.position

-- name: forget_position
-- Nothing stands there any more: the topic was made anew, and begins at its first offset again.
DELETE FROM source_positions WHERE log = %(log)s AND part = %(part)s AND position > %(end)s

-- name: failed_there
-- Failures that others noted, of events that we may know: the dead letter that each is one more failure of. What is
-- not returned is new.
SELECT k.ordinal - 1
FROM unnest(%(places)s::text[], %(ids)s::bigint[], %(revivals)s::integer[], %(sources)s::text[], %(keys)s::text[],
    %(payloads)s::text[], %(raws)s::bytea[], %(reasons)s::text[], %(categories)s::text[], %(stacktraces)s::text[])
    WITH ORDINALITY AS k (place, id, revival, source, source_key, payload, raw, reason, category, stacktrace, ordinal)
WHERE dead_letter_failed_there(k.place, k.id, k.revival, k.source, k.source_key, k.payload::jsonb, k.raw, k.reason,
    k.category, k.stacktrace) IS NOT NULL
