-- {matching} is the filter's own SELECT of dlq_events.id; {columns} are texts, which become lines one by one.

-- name: rows
COPY (
    SELECT {columns} FROM dlq_events d WHERE d.id IN ({matching}) ORDER BY d.id
) TO STDOUT
