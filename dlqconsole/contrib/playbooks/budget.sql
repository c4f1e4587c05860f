-- name: spent
-- What a playbook's operations of this hour and this day (UTC) used up: all that they selected while they are not
-- over, and what they really acted on afterwards. An operation counts in the hour in which it was asked for.
WITH clock AS MATERIALIZED (
    SELECT date_trunc('hour', m, 'UTC') AS hour, date_trunc('day', m, 'UTC') AS day
    FROM clock_timestamp() m
), asked AS MATERIALIZED (
    SELECT e.at, CASE WHEN o.finished_at IS NULL THEN greatest(o.selected, o.expected) ELSE o.done + o.failed END AS items
    FROM playbook_entries e JOIN operations o ON o.id = e.operation_id
    WHERE e.playbook_id = %(id)s AND e.outcome = 'asked' AND e.at >= (SELECT day FROM clock)
)
SELECT coalesce(sum(items) FILTER (WHERE at >= hour), 0)::bigint AS this_hour, coalesce(sum(items), 0)::bigint AS this_day,
    count(at) AS operations, hour + interval '1 hour' AS next_hour, day + interval '1 day' AS next_day
FROM clock LEFT JOIN asked ON true
GROUP BY hour, day

-- name: clock
SELECT clock_timestamp()

-- name: last
-- The highest number of those that the budget has left; their SELECT is put in.
SELECT max(id) FROM ({matched}) first (id)
