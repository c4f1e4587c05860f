-- What people see of a dead letter, cut in the database so that one huge row cannot harm a page.

-- name: preview
-- An expression for a list of what a table names: a small payload is cut, a large one is not even read.
CASE
    WHEN {row}.payload IS NULL
        THEN encode(substring({row}.payload_raw FROM 1 FOR 200), 'escape')
    WHEN pg_column_size({row}.payload) > 65536
        THEN '(' || pg_size_pretty(pg_column_size({row}.payload)::bigint) || ')'
    ELSE left({row}.payload::text, 500)
END

-- name: beyond
-- A condition. As one row value, so that the index finds the place even where a million rows share a moment.
({columns}) {than} ({values})

-- name: among_newest
-- A condition: not older than the newest so many.
(dlq_events.created_at, dlq_events.id) >= (
    SELECT n.created_at, n.id FROM (
        SELECT created_at, id FROM dlq_events ORDER BY created_at DESC, id DESC LIMIT %s
    ) n ORDER BY n.created_at, n.id LIMIT 1
)

-- name: payload
-- As text: a number keeps all its digits and no depth is too deep. Only the shown part leaves the database.
SELECT left(payload::text, %(limit)s) AS text, octet_length(payload::text) AS text_size,
    substring(payload_raw FROM 1 FOR %(limit)s) AS raw, octet_length(payload_raw) AS raw_size,
    left(headers::text, %(limit)s) AS headers, array_remove(dead_letter_ids('', NULL, headers), '') AS ids
FROM dlq_events WHERE id = %(id)s

-- name: whole_payload
SELECT payload::text AS text, payload_raw AS raw FROM dlq_events WHERE id = %(id)s
