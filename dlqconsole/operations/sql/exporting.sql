-- An export's page: its rows are read, formatted and packed by the worker between ``open`` and ``close``,
-- which are one transaction. The operation's row is locked all that time, so the page is the same in both.

-- name: open
WITH {held}
SELECT ARRAY(SELECT id FROM page ORDER BY id) AS ids,
    (SELECT coalesce(max(number) + 1, 0) FROM export_chunks WHERE operation_id = (SELECT id FROM held)) AS number
FROM held

-- name: rows
-- Each column as text, and why a row is not meant any more. A cursor: a page of large payloads is never in memory at
-- once.
SELECT {columns}, CASE WHEN {is_changed} THEN {why} END
FROM dlq_events d JOIN operation_items p ON p.operation_id = %(id)s AND p.dead_letter_id = d.id
CROSS JOIN LATERAL (SELECT d.*) l
WHERE d.id = ANY (%(ids)s) AND p.dead_letter_id = ANY (%(ids)s)
ORDER BY d.id

-- name: close
-- ``exceptions``: by id, why a row is not in the file.
WITH {held}, written AS (
    INSERT INTO export_chunks (operation_id, number, content)
    SELECT id, %(number)s, %(content)s FROM held WHERE %(content)s IS NOT NULL
), outcomes AS (
    SELECT id, coalesce(%(exceptions)s::jsonb -> id::text ->> 'status', 'done') AS status,
        coalesce(%(exceptions)s::jsonb -> id::text ->> 'reason', '') AS reason,
        NULL::bigint AS message_id, NULL::integer AS revive_seq, NULL::jsonb AS was
    FROM page
), {settle}

-- name: add_chunk
INSERT INTO export_chunks (operation_id, number, content) VALUES (%(id)s, 0, %(content)s)
ON CONFLICT (operation_id, number) DO NOTHING

-- name: forget
-- The file goes, the receipt stays and says so.
WITH old AS MATERIALIZED (
    SELECT o.id FROM operations o
    WHERE o.status IN ('completed', 'cancelled')
        AND o.finished_at < clock_timestamp() - make_interval(days => %(days)s)
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
