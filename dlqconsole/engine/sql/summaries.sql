-- Figures for people to look at. Each has a bounded cost, or is run within a time budget.

-- name: event_types
-- Hops from one type to the next on the index, so that the size of the table does not matter.
WITH RECURSIVE types AS (
    (SELECT event_type FROM dlq_events ORDER BY event_type LIMIT 1)
    UNION ALL
    SELECT (SELECT d.event_type FROM dlq_events d WHERE d.event_type > t.event_type ORDER BY d.event_type LIMIT 1)
    FROM types t WHERE t.event_type IS NOT NULL
)
SELECT event_type FROM types WHERE event_type IS NOT NULL LIMIT %(limit)s

-- name: queue_names
SELECT name FROM (
    SELECT name FROM queues
    UNION
    SELECT queue FROM (SELECT queue FROM dlq_events ORDER BY created_at DESC, id DESC LIMIT 5000) recent
    WHERE queue IS NOT NULL
) names
ORDER BY name LIMIT %(limit)s

-- name: burning
-- The groups of the newest dead letters, at most a day old: as many as a page needs, however large the table.
WITH recent AS (
    SELECT group_id, created_at FROM dlq_events
    WHERE created_at > now() - interval '24 hours'
    ORDER BY created_at DESC, id DESC
    LIMIT %(newest)s
)
SELECT group_id AS id, count(*) AS recent FROM recent
GROUP BY group_id ORDER BY recent DESC, max(created_at) DESC, group_id LIMIT %(limit)s

-- name: all_groups
SELECT group_id AS id, count(*) FILTER (WHERE created_at > now() - interval '24 hours') AS recent
FROM dlq_events
GROUP BY group_id ORDER BY recent DESC, count(*) DESC, group_id LIMIT %(limit)s

-- name: group_figures
SELECT group_id AS id, status, count(*) AS count, min(created_at) AS first_seen, max(created_at) AS last_seen
FROM dlq_events WHERE group_id = ANY (%(ids)s::bigint[])
GROUP BY group_id, status

-- name: group_hours
SELECT group_id AS id, date_trunc('hour', created_at, 'UTC') AS start, count(*) AS count
FROM dlq_events
WHERE group_id = ANY (%(ids)s::bigint[]) AND created_at > date_trunc('hour', now(), 'UTC') - interval '23 hours'
GROUP BY 1, 2

-- name: hours
SELECT date_trunc('hour', created_at, 'UTC') AS start, count(*) AS count
FROM dlq_events
WHERE created_at > date_trunc('hour', now(), 'UTC') - interval '23 hours'
GROUP BY 1

-- name: sampled_hours
-- One page of the table in fifty, for a table too large to count while somebody waits.
SELECT date_trunc('hour', created_at, 'UTC') AS start, count(*) * 50 AS count
FROM dlq_events TABLESAMPLE SYSTEM (2)
WHERE created_at > date_trunc('hour', now(), 'UTC') - interval '23 hours'
GROUP BY 1

-- name: large
-- The planner's own idea of the table's size.
SELECT reltuples > %(rows)s FROM pg_class WHERE oid = 'dlq_events'::regclass

-- name: this_hour
SELECT date_trunc('hour', now(), 'UTC')
