-- Moving a table of another program to a queue of ours: each batch is one commit here.

-- name: next_batch
-- Locked until the commit: another mover of the table waits, and has the number after it.
INSERT INTO source_positions (log, part, position) VALUES (%(log)s, 0, 1)
ON CONFLICT (log, part) DO UPDATE SET position = source_positions.position + 1, read_at = clock_timestamp()
RETURNING position

-- name: last_batch
SELECT position FROM source_positions WHERE log = %(log)s AND part = 0

-- name: put
INSERT INTO message_queue (queue, payload, payload_raw, headers, dlq_event_id, revive_seq)
SELECT %(to)s, m.payload::jsonb, m.raw, m.headers::jsonb, m.letter, m.revival
FROM unnest(%(payloads)s::text[], %(raws)s::bytea[], %(headers)s::text[], %(letters)s::bigint[], %(revivals)s::integer[])
    WITH ORDINALITY m (payload, raw, headers, letter, revival, place)
ORDER BY m.place
RETURNING id

-- name: forget
-- Their dead letters are watched on our queue from now on.
DELETE FROM forwarded_messages WHERE queue = %(name)s AND remote_id = ANY (%(remote_ids)s::text[])
