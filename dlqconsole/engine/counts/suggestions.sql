-- What a filter may be completed by: of kept counts, or of the newest dead letters.

-- name: counted
SELECT {column}::text AS value, sum(letters)::bigint AS letters FROM dead_letter_totals
WHERE {counted} AND {column}::text ILIKE %(like)s
GROUP BY 1 HAVING sum(letters) > 0
ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: of_these
SELECT {column}::text AS value, sum(letters)::bigint AS letters FROM dead_letter_totals
WHERE {counted} AND (group_id = ANY (%(groups)s::bigint[]) OR event_type = ANY (%(types)s::text[]))
GROUP BY 1 HAVING sum(letters) > 0
ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: of_newest
SELECT n.value, count(*) AS letters FROM (
    SELECT d.{column} AS value FROM dlq_events d WHERE {letters} ORDER BY d.created_at DESC, d.id DESC
    LIMIT %(newest)s
) n
WHERE n.value ILIKE %(like)s
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: at_path
SELECT left(n.payload #>> %(path)s::text[], 200) AS value, count(*) AS letters FROM (
    SELECT d.payload FROM dlq_events d WHERE {letters} ORDER BY d.created_at DESC, d.id DESC LIMIT %(newest)s
) n
WHERE pg_column_size(n.payload) < 50000 AND length(n.payload #>> %(path)s::text[]) <= 200
    AND jsonb_typeof(n.payload #> %(path)s::text[]) IN ('string', 'number', 'boolean')
    AND n.payload #>> %(path)s::text[] ILIKE %(like)s
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: paths
-- Of objects within objects, four deep: those that end in a text, a number or a boolean.
WITH RECURSIVE newest AS MATERIALIZED (
    SELECT d.id, d.payload FROM dlq_events d WHERE {letters} ORDER BY d.created_at DESC, d.id DESC LIMIT %(newest)s
), places AS (
    SELECT n.id, e.key AS path, e.value, 1 AS deep FROM newest n, jsonb_each(n.payload) e
    WHERE jsonb_typeof(n.payload) = 'object' AND pg_column_size(n.payload) < 50000
    UNION ALL
    SELECT p.id, p.path || '.' || e.key, e.value, p.deep + 1 FROM places p,
        jsonb_each(CASE WHEN jsonb_typeof(p.value) = 'object' THEN p.value ELSE '{{}}' END) e
    WHERE p.deep < 4
)
SELECT path AS value, count(*) AS letters FROM places
WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean') AND path ILIKE %(like)s
    AND path ~ '^[^\s:()\[\],"\\]{{1,100}}$'
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(limit)s
