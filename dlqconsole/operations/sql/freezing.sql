-- Freezing: what the filter matched becomes rows, window of ids by window, one commit each.
-- Zero rows back: the lease is lost, or somebody cancelled.

-- name: window
-- The filter's own SELECT of ids between two ids is put in. It brings its own parameters, so all are told
-- by position: id, token, window start | the filter's | window end, window end, lease.
WITH held AS MATERIALIZED (
    SELECT id FROM operations
    WHERE id = %s AND lease_token = %s AND status = 'freezing' AND frozen_to_id = %s
    FOR UPDATE
), added AS (
    INSERT INTO operation_items (operation_id, dead_letter_id)
    SELECT held.id, matched.id FROM held, ({matched}) matched (id)
    ORDER BY matched.id
    ON CONFLICT DO NOTHING
    RETURNING 1
)
UPDATE operations o
SET frozen_to_id = %s, selected = o.selected + (SELECT count(*) FROM added),
    status = CASE WHEN %s >= o.cutoff_id THEN 'running' ELSE o.status END,
    lease_until = clock_timestamp() + make_interval(secs => %s)
FROM held
WHERE o.id = held.id
RETURNING o.status

-- name: rows
-- The ids that a person ticked, existing or not: each gets an outcome.
WITH held AS MATERIALIZED (
    SELECT id, ids, cutoff_id FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
    FOR UPDATE
), added AS (
    INSERT INTO operation_items (operation_id, dead_letter_id)
    SELECT held.id, ticked.id::bigint FROM held, jsonb_array_elements_text(held.ids) ticked (id)
    ORDER BY 2
    ON CONFLICT DO NOTHING
    RETURNING 1
)
UPDATE operations o
SET frozen_to_id = o.cutoff_id, selected = o.selected + (SELECT count(*) FROM added), status = 'running',
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM held
WHERE o.id = held.id
RETURNING o.status

-- name: progress
SELECT scope, filter, frozen_to_id, cutoff_id FROM operations
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
