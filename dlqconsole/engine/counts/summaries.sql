-- Figures for people to look at. Each has a bounded cost, or is run within a time budget.

-- name: set_time_limit
-- Of the statements that follow in this transaction; the limit that it had.
WITH before AS MATERIALIZED (SELECT current_setting('statement_timeout') AS value)
SELECT value, set_config('statement_timeout', %(limit)s, true) FROM before

-- name: event_types
-- Hops from one type to the next on the index, so that the size of the table does not matter.
WITH RECURSIVE types AS (
    (SELECT event_type FROM dlq_events ORDER BY event_type LIMIT 1)
    UNION ALL
    SELECT (SELECT d.event_type FROM dlq_events d WHERE d.event_type > t.event_type ORDER BY d.event_type LIMIT 1)
    FROM types t WHERE t.event_type IS NOT NULL
)
SELECT event_type FROM types WHERE event_type IS NOT NULL LIMIT %(limit)s

-- name: event_types_within
-- Those of dead letters that somebody who is limited sees: of what is counted, not of the table.
SELECT event_type FROM dead_letter_totals WHERE {counted}
GROUP BY 1 HAVING sum(letters) > 0
ORDER BY 1 LIMIT %(limit)s

-- name: queue_names
SELECT name FROM (
    SELECT name FROM queues WHERE {queues}
    UNION
    (SELECT queue FROM dead_letter_totals WHERE {counted} GROUP BY 1 HAVING sum(letters) > 0)
) names
WHERE name ILIKE %(like)s
ORDER BY name LIMIT %(limit)s

-- name: this_hour
SELECT date_trunc('hour', now(), 'UTC')

-- name: by_lookup
-- For the rest of this transaction: a rare word is looked up and its rows are sorted, however common the planner
-- believes it to be.
SELECT set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true)

-- name: by_walk
-- The same for what is looked for among the newest: the planner does not know how few these are.
SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)
