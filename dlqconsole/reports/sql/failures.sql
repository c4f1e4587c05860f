-- What failed on each day, from what is counted (engine/counts/rollups.py): {trend} and {totals} are the views of all
-- figures, or for who is limited what takes their place.

-- name: lines
WITH days AS MATERIALIZED (
    SELECT date_trunc('day', hour, 'UTC') AS day, group_id, status, sum(letters)::bigint AS letters FROM {trend}
    WHERE hour >= %(since)s AND hour < %(until)s
    GROUP BY 1, 2, 3 HAVING sum(letters) > 0
), lines AS MATERIALIZED (
    SELECT day, group_id, sum(letters)::bigint AS failures, jsonb_object_agg(status, letters) AS by_status,
        sum(letters) / sum(sum(letters)) OVER (PARTITION BY day) AS share
    FROM days GROUP BY 1, 2
    ORDER BY day DESC, 3 DESC, group_id LIMIT %(limit)s
), parts AS MATERIALIZED (
    SELECT group_id, event_type, error_category, queue FROM {totals}
    WHERE group_id = ANY (ARRAY(SELECT DISTINCT group_id FROM lines))
    GROUP BY 1, 2, 3, 4 HAVING sum(letters) > 0
), named AS (
    SELECT group_id, array_agg(DISTINCT event_type) AS types, array_agg(DISTINCT error_category) AS categories,
        array_agg(DISTINCT queue) AS queues
    FROM parts GROUP BY 1
)
SELECT (l.day AT TIME ZONE 'UTC')::date AS day, l.group_id, l.failures, l.by_status, l.share::float8 AS share,
    coalesce(n.types, '{}') AS types, coalesce(n.categories, '{}') AS categories, coalesce(n.queues, '{}') AS queues
FROM lines l LEFT JOIN named n USING (group_id)
ORDER BY l.day DESC, l.failures DESC, l.group_id

-- name: hours
SELECT (hour AT TIME ZONE 'UTC')::date AS day, extract(hour FROM hour AT TIME ZONE 'UTC')::integer AS hour, group_id,
    sum(letters)::bigint AS letters
FROM {trend}
WHERE group_id = ANY (%(groups)s::bigint[]) AND hour >= %(since)s AND hour < %(until)s
GROUP BY 1, 2, 3 HAVING sum(letters) > 0

-- name: today
SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date
