-- What became of revived dead letters is counted by the failure group that they had.

CREATE OR REPLACE FUNCTION dlq_events_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
    SET enable_nestloop = off
AS $$
DECLARE
    one record;
    touched bigint[];
    missing bigint[];
    resolved bigint[];
    are_closed boolean;
    were_closed boolean;
    were_revived boolean;
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_counted serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.dead_letter_deltas
        SELECT date_trunc('hour', r.created_at, 'UTC'), r.group_id, r.event_type, r.error_category,
            coalesce(r.queue, r.event_type), r.status, -count(*), -sum(r.occurrences)
        FROM removed r GROUP BY 1, 2, 3, 4, 5, 6;
        RETURN NULL;
    END IF;

    -- A single new dead letter is what most statements bring, and needs neither sorting nor grouping. A failure that
    -- came again was last seen when it failed, not when its row was made.
    IF TG_OP = 'INSERT' THEN
        SELECT (SELECT count(*) FROM (SELECT FROM added LIMIT 2) few) AS letters, a.created_at, a.group_id,
            a.event_type, a.error_category, coalesce(a.queue, a.event_type) AS queue, a.status, a.occurrences,
            CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END
                AS seen_at,
            (SELECT g.state FROM public.failure_groups g WHERE g.id = a.group_id) AS state
        INTO one FROM added a;
        IF NOT FOUND THEN
            RETURN NULL;
        ELSIF one.letters = 1 THEN
            INSERT INTO public.dead_letter_deltas VALUES (date_trunc('hour', one.created_at, 'UTC'), one.group_id,
                one.event_type, one.error_category, one.queue, one.status, 1, one.occurrences, one.created_at,
                one.seen_at);
            IF one.state <> 'resolved' THEN
                RETURN NULL;
            END IF;
        ELSE
            INSERT INTO public.dead_letter_deltas
            SELECT date_trunc('hour', a.created_at, 'UTC'), a.group_id, a.event_type, a.error_category,
                coalesce(a.queue, a.event_type), a.status, count(*), sum(a.occurrences), min(a.created_at),
                max(CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END)
            FROM added a GROUP BY 1, 2, 3, 4, 5, 6;
        END IF;
    END IF;

    SELECT array_agg(DISTINCT a.group_id), bool_or(a.status IN ('SUCCEEDED', 'DISCARDED')) INTO touched, are_closed
    FROM added a;
    IF touched IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- What is as it was before cancels out, and most updates write nothing here, or two rows.
        INSERT INTO public.dead_letter_deltas
        SELECT date_trunc('hour', c.created_at, 'UTC'), c.group_id, c.event_type, c.error_category,
            coalesce(c.queue, c.event_type), c.status, sum(c.sign), sum(c.sign * c.occurrences),
            min(c.created_at) FILTER (WHERE c.sign = 1), max(c.seen_at) FILTER (WHERE c.sign = 1)
        FROM (
            SELECT 1 AS sign, a.created_at, a.group_id, a.event_type, a.error_category, a.queue, a.status,
                a.occurrences,
                CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END
                    AS seen_at
            FROM added a
            UNION ALL
            SELECT -1, r.created_at, r.group_id, r.event_type, r.error_category, r.queue, r.status, r.occurrences,
                CASE WHEN r.occurrences > 1 THEN greatest(r.created_at, r.last_failure_at) ELSE r.created_at END
            FROM removed r
        ) c
        GROUP BY 1, 2, 3, 4, 5, 6
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.occurrences) <> 0
            OR min(c.created_at) FILTER (WHERE c.sign = 1) < min(c.created_at) FILTER (WHERE c.sign = -1)
            OR max(c.seen_at) FILTER (WHERE c.sign = 1) > max(c.seen_at) FILTER (WHERE c.sign = -1);

        SELECT bool_or(r.status IN ('SUCCEEDED', 'DISCARDED')), bool_or(r.status = 'REVIVED' AND r.operation_id IS NOT NULL)
        INTO were_closed, were_revived FROM removed r;

        -- What is closed or open again is something else to a report. A mark for each hour, and not for each of many.
        IF are_closed OR were_closed THEN
            INSERT INTO public.event_changes
            SELECT k.part, coalesce(date_trunc('hour', k.moment, 'UTC'), '-infinity'), count(*), 0
            FROM removed r JOIN added a ON a.id = r.id
            CROSS JOIN LATERAL (VALUES
                ('dead', r.occurred_at, a.occurred_at IS DISTINCT FROM r.occurred_at), ('dead', a.occurred_at, true),
                ('failed', a.created_at, true)
            ) k (part, moment, is_another)
            WHERE k.is_another AND a.status <> r.status
                AND (a.status IN ('SUCCEEDED', 'DISCARDED') OR r.status IN ('SUCCEEDED', 'DISCARDED'))
            GROUP BY 1, 2;
        END IF;

        -- What became of revived dead letters. An undo puts its own number into the row, and is not counted.
        IF were_revived THEN
            INSERT INTO public.revival_outcomes (operation_id, group_id, succeeded, failed)
            SELECT r.operation_id, r.group_id, count(*) FILTER (WHERE a.status = 'SUCCEEDED'),
                count(*) FILTER (WHERE a.status <> 'SUCCEEDED')
            FROM removed r JOIN added a ON a.id = r.id
            WHERE r.status = 'REVIVED' AND a.status <> 'REVIVED' AND a.operation_id = r.operation_id
            GROUP BY r.operation_id, r.group_id;
        END IF;
    END IF;

    WITH known AS MATERIALIZED (
        SELECT t.id, (SELECT g.state FROM public.failure_groups g WHERE g.id = t.id) AS state
        FROM unnest(touched) t (id)
    )
    SELECT array_agg(k.id) FILTER (WHERE k.state IS NULL), array_agg(k.id) FILTER (WHERE k.state = 'resolved')
    INTO missing, resolved
    FROM known k;

    -- The group's row appears with its first dead letter. Where another session is just making it we do not
    -- wait for its commit; should that never come, the next fold makes the row.
    IF missing IS NOT NULL THEN
        missing := ARRAY(
            SELECT m FROM unnest(missing) m WHERE pg_try_advisory_xact_lock(1145852244, (m % 256)::integer)
        );
        INSERT INTO public.failure_groups (id, event_type, error_category, error_class, message, frames,
            fingerprint_version, rule_id)
        SELECT f.group_id, f.event_type, f.error_category, f.error_class, made.message, made.frames,
            f.fingerprint_version, f.fingerprint_rule_id
        FROM (
            SELECT DISTINCT ON (a.group_id) a.group_id, a.event_type, a.error_category, a.error_class,
                a.error_reason, a.error_stacktrace, a.fingerprint_version, a.fingerprint_rule_id
            FROM added a WHERE a.group_id = ANY (missing)
            ORDER BY a.group_id, a.id
        ) f
        CROSS JOIN LATERAL public.dead_letter_classify(
            f.event_type, f.error_category, true, f.error_reason, f.error_stacktrace) made
        ON CONFLICT (id) DO NOTHING;
    END IF;

    -- It came back. Where another session says so at this moment, we need not.
    IF resolved IS NOT NULL THEN
        IF TG_OP = 'UPDATE' THEN
            resolved := ARRAY(
                SELECT DISTINCT a.group_id FROM added a JOIN removed r ON r.id = a.id
                WHERE a.group_id = ANY (resolved) AND a.occurrences > r.occurrences
            );
        ELSE
            -- what comes back from the archive did not fail again
            resolved := ARRAY(
                SELECT DISTINCT a.group_id FROM added a
                WHERE a.group_id = ANY (resolved) AND a.status NOT IN ('SUCCEEDED', 'DISCARDED')
            );
        END IF;
        WITH changed AS (
            UPDATE public.failure_groups g
            SET state = 'regressed', state_changed_at = clock_timestamp(), state_changed_by = 'database'
            WHERE g.id = ANY (ARRAY(
                SELECT l.id FROM public.failure_groups l
                WHERE l.id = ANY (resolved) AND l.state = 'resolved'
                ORDER BY l.id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING g.id
        )
        INSERT INTO public.audit_log (actor, action, target, reason)
        SELECT 'database', 'regress', 'group:' || c.id, 'It was resolved, and came back.' FROM changed c;
    END IF;
    RETURN NULL;
END $$;
