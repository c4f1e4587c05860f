-- The dead letters of each bucket of time. {trend} is the view of all hours, or for who is limited what takes its place.

-- name: clock
SELECT clock_timestamp()

-- name: of_hours
SELECT date_bin(%(length)s, hour, %(origin)s) AS start, sum(letters)::bigint AS count FROM {trend}
WHERE hour >= %(since)s
GROUP BY 1

-- name: one_by_one
-- A range of the index of the newest: for a short time, and within a time budget.
SELECT date_bin(%(length)s, d.created_at, %(origin)s) AS start, count(*) AS count FROM dlq_events d
WHERE d.created_at >= %(since)s AND {letters}
GROUP BY 1
