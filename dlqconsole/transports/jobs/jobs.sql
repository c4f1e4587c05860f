-- Jobs of other programs, as far as their systems are alike: a table of jobs, and a log of what became of them whose
-- numbers grow. {jobs} and {log} are these two, quoted. {failed} and {succeeded} are each system's own queries.

-- name: there
-- Where their tables are: in the schema that was named, or where the search path leads.
SELECT found.schema, found.others, EXISTS (
        SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = found.schema AND p.proname = %(function)s
    ) AS has_function
FROM (
    SELECT max(n.nspname::text) FILTER (
            WHERE CASE WHEN %(schema)s = '' THEN pg_table_is_visible(j.oid) ELSE n.nspname = %(schema)s END) AS schema,
        coalesce(array_agg(n.nspname::text ORDER BY n.nspname), '{}') AS others
    FROM pg_class j JOIN pg_namespace n ON n.oid = j.relnamespace
    JOIN pg_class l ON l.relnamespace = j.relnamespace AND l.relname = %(log)s
    WHERE j.relname = %(jobs)s AND j.relkind IN ('r', 'p')
) found

-- name: mark
SELECT coalesce((SELECT max(id) FROM {log}), 0) AS newest, pg_snapshot_xmin(s)::text::bigint AS oldest_running,
    pg_snapshot_xmax(s)::text::bigint AS next
FROM pg_current_snapshot() s

-- name: failed
-- A page of the log, of which nothing is written any more: so many rows of it, so many failed jobs or so many bytes of
-- them, whichever comes first, and at least one. ``read_to``: how far that is.
WITH page AS MATERIALIZED (
    SELECT * FROM {log} WHERE id > %(after)s AND id <= %(up_to)s ORDER BY id LIMIT %(scan)s
), failed AS MATERIALIZED (
    {failed}
    ORDER BY p.id
    LIMIT %(limit)s
), sized AS (
    SELECT f.*, sum(size) OVER (ORDER BY log_id) - size AS before FROM failed f
), kept AS MATERIALIZED (
    SELECT * FROM sized WHERE before < %(bytes)s
), reach AS (
    SELECT CASE WHEN count(*) = %(limit)s OR count(*) < (SELECT count(*) FROM failed) THEN max(log_id)
        ELSE coalesce((SELECT max(id) FROM page), %(up_to)s) END AS read_to
    FROM kept
)
SELECT k.*, r.read_to, CASE WHEN row_number() OVER (ORDER BY k.log_id) = 1 THEN (
        SELECT array_agg(s.id) FROM ({succeeded}) s (id)
    ) END AS succeeded
FROM reach r LEFT JOIN kept k ON true
ORDER BY k.log_id

-- name: place
-- How far this queue's log was read (part 0), and up to where it may be read once a transaction of that time has ended
-- (part 1; part 2 is the transaction). Locked: one relay at a time reads a log.
SELECT position, part, read_at < clock_timestamp() - make_interval(secs => %(patience)s) AS old
FROM source_positions WHERE log = %(name)s AND part BETWEEN 0 AND 2
ORDER BY part
FOR UPDATE

-- name: begin
INSERT INTO source_positions (log, part, position) SELECT %(name)s, part, 0 FROM generate_series(0, 2) part
ON CONFLICT (log, part) DO NOTHING

-- name: move
UPDATE source_positions p SET position = n.position, read_at = clock_timestamp()
FROM unnest(%(parts)s::integer[], %(positions)s::bigint[]) n (part, position)
WHERE p.log = %(name)s AND p.part = n.part

-- name: known
-- Failures that a dead letter tells of already, by their place in the page: a log that is read once more adds nothing.
SELECT f.place::integer FROM unnest(%(keys)s::text[], %(payloads)s::text[], %(raws)s::bytea[], %(marks)s::text[])
    WITH ORDINALITY f (key, payload, raw, mark, place)
CROSS JOIN LATERAL dead_letter_named(%(name)s, f.key, f.payload::jsonb, f.raw) n
JOIN dlq_events d ON d.source = %(name)s AND d.source_key = n.source_key
WHERE EXISTS (SELECT FROM dlq_attempts a WHERE a.dlq_event_id = d.id AND a.worker = f.mark)

-- name: revivals
-- Which of these jobs run again as a dead letter's revival.
SELECT remote_id, dlq_event_id, revive_seq FROM forwarded_messages
WHERE queue = %(name)s AND remote_id = ANY (%(ids)s::text[])
ORDER BY id

-- name: recovered
-- They failed, were retried over there by other means, and succeeded. What waits on our queue is looked at when its turn
-- comes, and what was retried by us is watched.
WITH open AS MATERIALIZED (
    SELECT d.id, d.status FROM dlq_events d
    WHERE d.source = %(name)s AND d.source_key = ANY (%(keys)s::text[])
        AND d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
    ORDER BY d.id
    FOR UPDATE
), healed AS (
    UPDATE dlq_events d SET status = 'SUCCEEDED' FROM open o
    WHERE d.id = o.id AND d.status = o.status
    RETURNING d.id, o.status
), told AS (
    -- of a PENDING one the trigger tells
    SELECT attempts_add(array_agg(attempt('scheduler', 'succeeded', id, worker => %(who)s::text)
        ORDER BY id) FILTER (WHERE status <> 'PENDING'))
    FROM healed
)
SELECT id FROM healed, told

-- name: due
-- Locked until the caller commits. ``job``: the job that failed, if this is its revival.
SELECT m.id, m.payload::text AS payload, m.payload_raw, m.headers::text AS headers, m.dlq_event_id, m.revive_seq,
    CASE WHEN d.source = %(name)s THEN d.original_message_id END AS job
FROM message_queue m LEFT JOIN dlq_events d ON d.id = m.dlq_event_id
WHERE m.queue = %(name)s AND m.phase = 'live' AND (m.status = 'pending' OR m.lease_until < now())
ORDER BY m.turn, m.id
LIMIT %(limit)s
FOR UPDATE OF m SKIP LOCKED

-- name: search_path
SELECT current_setting('search_path')

-- name: look_in
-- Their functions and triggers name their tables without a schema.
SELECT set_config('search_path', %(path)s, true)
