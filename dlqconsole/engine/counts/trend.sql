-- What is put in place of the views of all figures for whoever is limited; {counted} is a condition on a count t.

-- name: totals
(SELECT t.* FROM dead_letter_totals t WHERE {counted}) within_scope

-- name: whole
SELECT h.group_id, h.hour, h.status, h.letters FROM dead_letter_trend h
WHERE h.group_id IN (
    SELECT t.group_id FROM dead_letter_totals t
    GROUP BY 1 HAVING sum(t.letters) FILTER (WHERE {counted}) > 0
        AND coalesce(sum(t.letters) FILTER (WHERE NOT {counted}), 0) = 0
)

-- name: part
SELECT d.group_id, date_trunc('hour', d.created_at, 'UTC'), d.status, 1
FROM dlq_events d
WHERE d.group_id = ANY (ARRAY(
        SELECT t.group_id FROM dead_letter_totals t
        GROUP BY 1 HAVING sum(t.letters) FILTER (WHERE {counted}) > 0
            AND sum(t.letters) FILTER (WHERE NOT {counted}) > 0
    ))
    AND d.created_at >= date_trunc('hour', now(), 'UTC') - make_interval(hours => {back} - 1)
    AND {letters}
