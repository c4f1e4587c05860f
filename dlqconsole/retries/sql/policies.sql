-- What policies are read with, and what a change of them touches.

-- name: around
-- The moment, and which event types these failure groups have.
SELECT clock_timestamp() AS now, coalesce((
    SELECT jsonb_object_agg(of_group.group_id, of_group.types) FROM (
        SELECT group_id, jsonb_agg(DISTINCT event_type) AS types FROM dead_letter_totals
        WHERE group_id = ANY (%(groups)s::bigint[]) GROUP BY group_id
    ) of_group
), '{}')::text AS types

-- name: cells
-- What waits, by what policies tell apart, from the counts that are kept. A group only where it has a policy; and whether
-- a program consumes its queue by SQL.
SELECT event_type, error_category AS category,
    CASE WHEN group_id = ANY (%(groups)s::bigint[]) THEN group_id END AS group_id,
    coalesce(nullif(queue, ''), event_type) = ANY (%(queues)s::text[]) AS is_consumed, sum(letters)::bigint AS letters
FROM dead_letter_totals
WHERE status = 'PENDING' AND {counted}
GROUP BY 1, 2, 3, 4
HAVING sum(letters) > 0

-- name: effect
-- How many of these the next run would take, how many of them it would not have taken before, and how many have used
-- their tries under the new number only.
SELECT count(*) FILTER (WHERE d.is_due AND d.has_tries) AS due,
    count(*) FILTER (WHERE d.is_due AND d.has_tries AND NOT (d.was_due AND d.had_tries)) AS become_due,
    count(*) FILTER (WHERE d.had_tries AND NOT d.has_tries) AS used_up
FROM (
    SELECT c.is_open AND e.retry_after <= now() AS is_due, c.was_open AND e.retry_after <= now() AS was_due,
        e.retry_count < coalesce(e.max_retries, c.most) AS has_tries,
        e.retry_count < coalesce(e.max_retries, c.were_most) AS had_tries
    FROM dlq_events e JOIN jsonb_to_recordset(%(cells)s::jsonb)
        c (event_type text, category text, group_id bigint, is_consumed boolean, is_open boolean, was_open boolean, most integer,
            were_most integer)
        ON c.event_type = e.event_type AND c.category = e.error_category
            AND c.group_id IS NOT DISTINCT FROM CASE WHEN e.group_id = ANY (%(groups)s::bigint[]) THEN e.group_id END
            AND c.is_consumed = (coalesce(nullif(e.queue, ''), e.event_type) = ANY (%(queues)s::text[]))
    WHERE e.status = 'PENDING' AND {letters} AND NOT dead_letter_keeps_coming(e.come_backs, %(most_come_backs)s)
) d
