-- What policies are read with, and what a change of them touches.

-- name: around
-- The moment, and which event types these failure groups have.
SELECT clock_timestamp() AS now, coalesce((
    SELECT jsonb_object_agg(of_group.group_id, of_group.types) FROM (
        SELECT group_id, jsonb_agg(DISTINCT event_type) AS types FROM dead_letter_totals
        WHERE group_id = ANY (%(groups)s::bigint[]) GROUP BY group_id
    ) of_group
), '{}')::text AS types
