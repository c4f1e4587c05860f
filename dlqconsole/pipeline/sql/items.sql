-- The items of an operation that a job of the pipeline works on.

-- name: operation
-- What people asked for, and whether it may be worked on now.
SELECT kind, status FROM operations WHERE id = %(operation)s

-- name: ranges
-- The items that remain, in ranges by the ids of their dead letters: so many parts, of which none is too small or too
-- large.
SELECT min(i.id), max(i.id), count(*) FROM (
    SELECT r.id, (r.place - 1) / greatest(least(ceil(r.items / %(parts)s::numeric), %(most)s), %(fewest)s)::bigint AS part
    FROM (
        SELECT dead_letter_id AS id, row_number() OVER (ORDER BY dead_letter_id) AS place, count(*) OVER () AS items
        FROM operation_items WHERE operation_id = %(operation)s AND status = 'remaining'
    ) r
) i GROUP BY i.part ORDER BY i.part

-- name: unhandled
-- Of the first that remain, the event types that have no handler in a process with these. What has changed since is
-- left out: it remains for another reason.
SELECT d.event_type FROM (
    SELECT dead_letter_id AS id FROM operation_items
    WHERE operation_id = %(operation)s AND status = 'remaining'
    ORDER BY dead_letter_id LIMIT %(limit)s
) i JOIN dlq_events d ON d.id = i.id
WHERE d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED') AND d.event_type <> ALL (%(handled)s::text[])
GROUP BY d.event_type ORDER BY count(*) DESC, d.event_type
