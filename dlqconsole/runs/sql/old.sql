-- name: forget
-- The oldest that are over for so long; the newest of each job, and the newest that succeeded, stay: they say when it ran.
DELETE FROM pipeline_runs WHERE id = ANY (ARRAY(
    SELECT r.id FROM pipeline_runs r
    WHERE r.status IN ('completed', 'failed', 'cancelled')
        AND r.finished_at < clock_timestamp() - make_interval(days => %(days)s)
        AND EXISTS (SELECT FROM pipeline_runs n WHERE n.kind = r.kind AND n.id > r.id)
        AND (r.status <> 'completed' OR EXISTS (
            SELECT FROM pipeline_runs n WHERE n.kind = r.kind AND n.id > r.id AND n.status = 'completed'))
    ORDER BY r.id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
))
RETURNING id
