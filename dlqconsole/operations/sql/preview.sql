-- What an operation would touch, counted for the page on which a person confirms it. Each within a budget.
-- The filter's own SELECT is put in as {matched}; it brings its own parameters, which come first.

-- name: census
-- One pass over the rows; the cuts are then made of its few combinations. ``cut`` names one, ``value`` is what
-- it is cut by; of types, categories and queues the five largest, the rest together as ''.
WITH matched (status, category, event_type, queue, dead_lettered_at) AS NOT MATERIALIZED (
    {matched}
), counted AS MATERIALIZED (
    SELECT status, category, event_type, coalesce(queue, event_type) AS queue,
        width_bucket(extract(epoch FROM now() - dead_lettered_at)::float8,
            ARRAY[3600, 21600, 86400, 604800, 2592000]::float8[]) AS age,
        count(*) AS number
    FROM matched
    GROUP BY 1, 2, 3, 4, 5
), cuts AS (
    SELECT CASE GROUPING(status, category, event_type, queue, age)
            WHEN 15 THEN 'status' WHEN 23 THEN 'category' WHEN 27 THEN 'type' WHEN 29 THEN 'queue' ELSE 'age'
        END AS cut,
        coalesce(status, category, event_type, queue, age::text) AS value, sum(number)::bigint AS number
    FROM counted
    GROUP BY GROUPING SETS ((status), (category), (event_type), (queue), (age))
), ranked AS (
    SELECT cut, value, number, row_number() OVER (PARTITION BY cut ORDER BY number DESC, value) AS place
    FROM cuts
)
-- the states and the six ages are all told
SELECT cut, CASE WHEN cut IN ('status', 'age') OR place <= 5 THEN value ELSE '' END AS part,
    sum(number)::bigint AS number, count(*) AS parts
FROM ranked
GROUP BY 1, 2
ORDER BY 1, max(place), 2

-- name: number
WITH matched (id) AS NOT MATERIALIZED (
    {matched}
)
SELECT count(*) FROM matched

-- name: ordering_keys
WITH matched (group_key) AS NOT MATERIALIZED (
    {matched}
)
SELECT count(*) FROM (SELECT DISTINCT group_key FROM matched WHERE group_key IS NOT NULL) keys

-- name: duplicates
-- Rows that share what they are about with another: a business key where their type declares one and they
-- have it, else equal event data. Compared by hashes: neither the keys nor the payloads are kept in memory.
-- A payload without specversion is the data of its event, so a path into the data begins inside it.
WITH matched (event_type, payload) AS NOT MATERIALIZED (
    {matched}
), hashed AS (
    SELECT m.event_type, coalesce(
        hashtextextended(m.payload #>> CASE
            WHEN m.payload ? 'specversion' THEN k.path WHEN k.path[1] = 'data' THEN k.path[2:] END, 0),
        jsonb_hash_extended(CASE
            WHEN m.payload ? 'specversion' THEN coalesce(m.payload -> 'data', m.payload) ELSE m.payload
        END, 1)) AS hash
    FROM matched m
    LEFT JOIN (
        SELECT key AS event_type, ARRAY(SELECT jsonb_array_elements_text(value)) AS path
        FROM jsonb_each(%s::jsonb)
    ) k USING (event_type)
    WHERE m.payload IS NOT NULL
)
SELECT coalesce(sum(number), 0)::bigint AS rows, count(*) AS keys
FROM (SELECT count(*) AS number FROM hashed GROUP BY event_type, hash HAVING count(*) > 1) shared

-- name: unhandled
-- What a retry skips for want of a handler.
WITH matched (status, event_type) AS NOT MATERIALIZED (
    {matched}
)
SELECT event_type, count(*) FROM matched
WHERE status = ANY (%s::text[]) AND event_type <> ALL (%s::text[])
GROUP BY event_type
ORDER BY count(*) DESC, event_type

-- name: pace
-- Items a second that the newest operations of the kind moved, where nothing held them back.
SELECT (sum(done) / nullif(sum(seconds), 0))::float8 AS pace
FROM (
    SELECT done, greatest(extract(epoch FROM finished_at - started_at), 0.001) AS seconds
    FROM operations o
    WHERE kind = %(kind)s AND status = 'completed' AND done >= 100 AND rate IS NULL AND stage IS NULL
        AND NOT EXISTS (SELECT 1 FROM audit_log a WHERE a.operation_id = o.id AND a.action IN ('pause', 'slow'))
    ORDER BY id DESC LIMIT 5
) newest
