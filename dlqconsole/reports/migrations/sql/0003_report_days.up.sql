CREATE FUNCTION report_day_marks(its_name text, since date, until date)
    RETURNS TABLE (day date, changes bigint, removed bigint, late bigint, lost bigint, computed_at timestamptz)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH declared AS MATERIALIZED (
        SELECT r.name, r.timezone, make_interval(secs => r.margin_seconds) AS margin,
            CASE r.day_of WHEN 'occurred_at' THEN ARRAY['enriched', 'dead'] WHEN 'created_at' THEN ARRAY['failed'] END
                AS parts
        FROM public.reports r WHERE r.name = its_name AND r.day_of <> ''
    ), hours AS MATERIALIZED (
        SELECT h.hour, sum(h.changes) AS changes, sum(h.removed) AS removed
        FROM declared r JOIN public.event_hours_now h ON h.part = ANY (r.parts)
        WHERE isfinite(h.hour)
            AND (since IS NULL OR h.hour > since::timestamp AT TIME ZONE r.timezone - r.margin - interval '1 hour')
            AND (until IS NULL OR h.hour < (until + 1)::timestamp AT TIME ZONE r.timezone + r.margin)
        GROUP BY h.hour
    ), marks AS (
        SELECT d.day::date AS day, sum(h.changes)::bigint AS changes,
            -- of the day itself: what went of its neighbours it is computed without
            coalesce(sum(h.removed) FILTER (WHERE d.day::date IN (
                (h.hour AT TIME ZONE r.timezone)::date,
                ((h.hour + interval '1 hour' - interval '1 microsecond') AT TIME ZONE r.timezone)::date
            )), 0)::bigint AS removed
        FROM declared r CROSS JOIN hours h CROSS JOIN LATERAL generate_series(
            date_trunc('day', (h.hour - r.margin) AT TIME ZONE r.timezone),
            (h.hour + interval '1 hour' + r.margin - interval '1 microsecond') AT TIME ZONE r.timezone,
            interval '1 day'
        ) d (day)
        WHERE (since IS NULL OR d.day >= since) AND (until IS NULL OR d.day <= until)
        GROUP BY 1
    )
    SELECT m.day, m.changes, m.removed, m.changes - coalesce(c.changes, 0), m.removed - coalesce(c.removed, 0),
        c.computed_at
    FROM marks m LEFT JOIN public.report_days c ON c.report_id = its_name AND c.day = m.day
$$;
COMMENT ON FUNCTION report_day_marks(text, date, date) IS
    'The days of a report that events fall on, from its hours and its margin: how many came or changed (changes) and were '
    'purged or archived (removed) ever, and since the day was computed (late, lost). A day is open where late is not 0. '
    'NULL: no limit. Nothing for a report that does not say what its day follows from.';
