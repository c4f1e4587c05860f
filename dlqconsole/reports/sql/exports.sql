-- {matching} is the filter's own SELECT of dlq_events.id; {columns} are texts, which become lines one by one.

-- name: rows
COPY (
    SELECT {columns} FROM dlq_events d WHERE d.id IN ({matching}) ORDER BY d.id
    -- All of them. The planner cannot see that, and takes a plan that gives the first rows soon: the index of the
    -- numbers where much matches, and not a sort of millions.
    LIMIT (SELECT 9223372036854775807)
) TO STDOUT
