-- name: lock
-- One folder at a time. Taken in a statement of its own: the next one then sees what the last folder left.
SELECT pg_try_advisory_xact_lock(1145852245)

-- name: fold
WITH moved AS (
    DELETE FROM event_changes
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_changes LIMIT %(limit)s))
    RETURNING *
), folded AS (
    INSERT INTO event_hours AS h (part, hour, changes, removed)
    SELECT part, hour, sum(changes), sum(removed) FROM moved GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (part, hour) DO UPDATE
    SET changes = h.changes + excluded.changes, removed = h.removed + excluded.removed
)
SELECT count(*) FROM moved

-- name: now
SELECT clock_timestamp()

-- name: is_due
-- Whether the run of this moment is still to be asked for: the house stood then, no run that the clock asked for has
-- been completed since, none waits or works, none failed within the last hour, and no ingest is in the middle of its
-- events. Nothing is asked for without an open day.
SELECT %(since)s > (SELECT min(applied) FROM django_migrations WHERE app = 'dlq_tables')
    AND NOT EXISTS (
        SELECT FROM pipeline_runs r WHERE r.kind = 'report' AND r.asked_by = %(actor)s AND (
            r.status IN ('asked', 'running', 'cancelling')
            OR r.status = 'completed' AND r.asked_at >= %(since)s
            OR r.asked_at > clock_timestamp() - interval '1 hour'
        )
    ) AND NOT EXISTS (
        SELECT FROM pipeline_runs r WHERE r.kind = 'ingest' AND r.status = 'running' AND r.done < r.total
            AND r.heartbeat_at > clock_timestamp() - interval '1 minute'
    )

-- name: anything_open
SELECT EXISTS (
    SELECT FROM reports r CROSS JOIN LATERAL report_day_marks(r.name, NULL, NULL) m
    WHERE m.late <> 0 AND m.day < (clock_timestamp() AT TIME ZONE r.timezone)::date
) OR EXISTS (
    SELECT FROM reports r WHERE r.day_of = '' AND r.changes <> (
        SELECT coalesce(sum(h.changes), 0) FROM event_hours_now h WHERE h.part IN ('enriched', 'dead')
    )
) OR (
    -- nothing was ever computed: no report has said yet what its day follows from
    NOT EXISTS (SELECT FROM report_days) AND EXISTS (
        SELECT FROM event_hours_now h WHERE h.part = 'failed' AND h.hour < date_trunc('day', now(), 'UTC')
    )
)

-- name: marks
-- What is known of a report's days, those that were computed or that events fall on.
SELECT coalesce(m.day, d.day) AS day, coalesce(m.late, 0) AS late, coalesce(m.lost, 0) AS lost,
    coalesce(m.computed_at, d.computed_at) AS computed_at, d.kept_at
FROM report_day_marks(%(name)s, %(since)s::date, %(until)s::date) m
FULL JOIN (
    SELECT * FROM report_days
    WHERE report_id = %(name)s AND (%(since)s::date IS NULL OR day >= %(since)s::date)
        AND (%(until)s::date IS NULL OR day <= %(until)s::date)
) d ON d.day = m.day
ORDER BY 1
