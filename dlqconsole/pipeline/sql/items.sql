-- The items of an operation that a job of the pipeline works on.

-- name: operation
-- What people asked for, and whether it may be worked on now.
SELECT kind, status FROM operations WHERE id = %(operation)s

-- name: ranges
-- The items that remain, in ranges of so many, by the ids of their dead letters.
SELECT min(i.id), max(i.id), count(*) FROM (
    SELECT dead_letter_id AS id, (row_number() OVER (ORDER BY dead_letter_id) - 1) / %(size)s AS part
    FROM operation_items WHERE operation_id = %(operation)s AND status = 'remaining'
) i GROUP BY i.part ORDER BY i.part
