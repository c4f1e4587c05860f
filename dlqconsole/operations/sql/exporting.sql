-- An export's file. Zero rows back: the lease is lost, or somebody cancelled.

-- name: begin
-- What a worker that died has written goes first.
WITH held AS MATERIALIZED (
    UPDATE operations
    SET selected = 0, result = '{}', lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
    RETURNING id
), emptied AS (
    DELETE FROM export_chunks WHERE operation_id = (SELECT id FROM held)
)
SELECT id FROM held

-- name: rows
-- The scope's own SELECT of dlq_events.id is put in, and the columns.
SELECT {columns} FROM dlq_events d WHERE d.id IN ({matching}) ORDER BY d.id
-- All of them. The planner cannot see that, and takes a plan that gives the first rows soon: the index of the
-- numbers where much matches, and not a sort of millions.
LIMIT (SELECT 9223372036854775807)

-- name: row_parts
SELECT coalesce(d.queue, d.event_type), d.event_type, count(*) FROM dlq_events d WHERE d.id IN ({matching}) GROUP BY 1, 2

-- name: entries
-- The same of the audit log.
SELECT {columns} FROM audit_log d WHERE d.id IN ({matching}) ORDER BY d.id LIMIT (SELECT 9223372036854775807)

-- name: texts
-- Each column as a text, for the formats that are written row by row.
COPY ({query}) TO STDOUT

-- name: copied
-- Whole lines, for the formats that need no other hand.
COPY (SELECT {row} FROM ({query}) r) TO STDOUT ({options})

-- name: defused
-- What a spreadsheet would run gets an apostrophe, as by processing/formats/csv_text.py. The first character of nearly
-- all texts says that it is none.
CASE WHEN ascii(r.{column}) IN ({suspect})
        AND (ascii(r.{column}) IN ({runs}) OR ascii(ltrim(r.{column}, E'{skips}')) IN ({starts}))
    THEN '''' || r.{column} ELSE r.{column} END

-- name: bare
coalesce(r.{column}::text, 'null')

-- name: quoted
coalesce(to_json(r.{column})::text, 'null')

-- name: extend
-- Said by a thread: a sort before the first row, or the packing of a large file, may outlast a lease.
UPDATE operations SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'

-- name: rest
SELECT 1

-- name: add
WITH held AS MATERIALIZED (
    UPDATE operations SET selected = %(rows)s
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
    RETURNING id
), added AS (
    INSERT INTO export_chunks (operation_id, number, start, size, content)
    SELECT id, %(number)s, %(start)s, %(size)s, %(content)s FROM held WHERE %(content)s::bytea IS NOT NULL
)
SELECT id FROM held

-- name: end
-- The file is whole. ``parts``: of which queues and event types its rows are: it says who may see the operation.
WITH held AS MATERIALIZED (
    UPDATE operations SET selected = %(selected)s, frozen_to_id = cutoff_id, result = %(result)s::jsonb
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
    RETURNING id
), noted AS (
    INSERT INTO operation_parts (operation_id, queue, event_type, items)
    SELECT held.id, part ->> 0, part ->> 1, (part ->> 2)::integer
    FROM held, jsonb_array_elements(%(parts)s::jsonb) part
)
SELECT id FROM held

-- name: settle
UPDATE operations
SET failed = (result ->> 'failed')::integer, done = selected - (result ->> 'failed')::integer
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
RETURNING id

-- name: part
-- The part with that byte of the file.
SELECT start, content FROM export_chunks
WHERE operation_id = %(id)s AND start <= %(start)s AND start + size > %(start)s
ORDER BY number DESC
LIMIT 1

-- name: forget
-- The file goes, the receipt stays and says so.
WITH old AS MATERIALIZED (
    SELECT o.id FROM operations o
    WHERE (o.status = 'cancelled' OR o.status = 'completed'
            AND o.finished_at < clock_timestamp() - make_interval(days => %(days)s))
        AND EXISTS (SELECT FROM export_chunks c WHERE c.operation_id = o.id)
    ORDER BY o.id
    LIMIT 20
    FOR UPDATE SKIP LOCKED
), emptied AS (
    DELETE FROM export_chunks WHERE operation_id = ANY (ARRAY(SELECT id FROM old))
), marked AS (
    UPDATE operations o
    SET result = o.result || jsonb_build_object('deleted_at',
        to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    FROM old WHERE o.id = old.id
    RETURNING o.id
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, detail)
    SELECT 'retention', 'delete export', 'operation:' || id, id, jsonb_build_object('after_days', %(days)s::integer)
    FROM marked
)
SELECT id FROM marked

-- name: moment
to_char(d.{column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')

-- name: raw
replace(encode(d.payload_raw, 'base64'), E'\n', '')
