-- Dead letters are counted whoever writes them. A writer only adds rows to dead_letter_deltas, so writers share
-- no row, never wait for each other and cannot deadlock; dlqconsole.engine.rollups folds them into the tables.

ALTER TABLE dead_letter_counts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE dead_letter_hours SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE dead_letter_deltas (
    hour timestamptz NOT NULL,
    group_id bigint NOT NULL,
    event_type text NOT NULL,
    error_category text NOT NULL,
    queue text NOT NULL,
    status text NOT NULL,
    letters bigint NOT NULL,
    occurrences bigint NOT NULL,
    first_at timestamptz,
    last_at timestamptz
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000
);
COMMENT ON TABLE dead_letter_deltas IS
    'What one statement changed in the counts, until it is folded. Without an index: it is read whole, and soon '
    'emptied.';
COMMENT ON COLUMN dead_letter_deltas.letters IS 'more, or less than zero';

CREATE VIEW dead_letter_totals AS
    SELECT group_id, event_type::text, error_category::text, queue::text, status::text, letters, occurrences,
        first_at, last_at
    FROM dead_letter_counts
    UNION ALL
    SELECT group_id, event_type, error_category, queue, status, letters, occurrences, first_at, last_at
    FROM dead_letter_deltas;
COMMENT ON VIEW dead_letter_totals IS
    'The figures, exact in every snapshot: what was folded and what was not yet.';

CREATE VIEW dead_letter_trend AS
    SELECT group_id, hour, status::text, letters FROM dead_letter_hours
    UNION ALL
    SELECT group_id, hour, status, letters FROM dead_letter_deltas;
COMMENT ON VIEW dead_letter_trend IS 'The same hour by hour.';

-- SECURITY DEFINER: a producer needs no right but to insert. A session keeps the plans of its functions, and what
-- was added has no statistics: so failure_groups is asked by key, and rows are paired by hash, never one by one.
CREATE FUNCTION dlq_events_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
            INSERT INTO public.revival_outcomes (operation_id, succeeded, failed)
            SELECT r.operation_id, count(*) FILTER (WHERE a.status = 'SUCCEEDED'),
                count(*) FILTER (WHERE a.status <> 'SUCCEEDED')
            FROM removed r JOIN added a ON a.id = r.id
            WHERE r.status = 'REVIVED' AND a.status <> 'REVIVED' AND a.operation_id = r.operation_id
            GROUP BY r.operation_id;
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
COMMENT ON FUNCTION dlq_events_counted() IS
    'Counts what a statement did to dead letters, whoever wrote them: it only adds to dead_letter_deltas, so that '
    'writers share no row. Makes the rows of new groups, says when a resolved group came back, and marks the hours of '
    'what is closed or open again.';

CREATE FUNCTION dlq_events_emptied() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_emptied serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'dlq_events can only be truncated at the isolation level READ COMMITTED: an older snapshot does not see all that was counted'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    PERFORM pg_advisory_xact_lock(1145852243);
    DELETE FROM public.dead_letter_deltas;
    DELETE FROM public.dead_letter_counts;
    DELETE FROM public.dead_letter_hours;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dlq_events_emptied() IS
    'Empties the counts with dlq_events. Nobody writes while a table is truncated; who folds at this moment is '
    'waited for.';

CREATE TRIGGER dlq_events_counted_added AFTER INSERT ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_counted();
CREATE TRIGGER dlq_events_counted_changed AFTER UPDATE ON dlq_events
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_counted();
CREATE TRIGGER dlq_events_counted_removed AFTER DELETE ON dlq_events
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_counted();
CREATE TRIGGER dlq_events_emptied AFTER TRUNCATE ON dlq_events
    FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_emptied();

-- Which hours of events came or changed. Whoever makes a report of a day asks here whether anything of that day came
-- later than he looked. A mark is made in the transaction of what it marks: it is seen when that is seen, however long
-- that took.
CREATE TABLE event_changes (
    part text NOT NULL,
    hour timestamptz NOT NULL,
    changes bigint NOT NULL,
    removed bigint NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000
);
COMMENT ON TABLE event_changes IS
    'What one statement did to the events of an hour, until it is folded. Without an index: it is read whole, and soon '
    'emptied.';
COMMENT ON COLUMN event_changes.part IS
    '"enriched" and "dead": records and dead letters, by when the event occurred; "failed": dead letters, by created_at';
COMMENT ON COLUMN event_changes.hour IS '-infinity: of events that do not say when they occurred';
COMMENT ON COLUMN event_changes.removed IS 'purged or archived: what a report would not find any more';

CREATE TABLE event_hours (
    part text NOT NULL,
    hour timestamptz NOT NULL,
    changes bigint NOT NULL,
    removed bigint NOT NULL,
    CONSTRAINT event_hours_pkey PRIMARY KEY (part, hour)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE event_hours IS 'How many events of an hour came or changed, and how many were taken away, ever.';

CREATE VIEW event_hours_now AS
    SELECT part, hour, changes, removed FROM event_hours
    UNION ALL
    SELECT part, hour, changes, removed FROM event_changes;
COMMENT ON VIEW event_hours_now IS 'The same, exact in every snapshot: what was folded and what was not yet.';

CREATE FUNCTION event_changes_noted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    is_new CONSTANT integer := (TG_OP = 'INSERT')::integer;
BEGIN
    IF TG_RELID NOT IN ('public.dlq_events'::regclass, 'public.enriched_events'::regclass) THEN
        RAISE EXCEPTION 'event_changes_noted serves no other table than dlq_events and enriched_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_RELID = 'public.enriched_events'::regclass THEN
        INSERT INTO public.event_changes
        SELECT 'enriched', coalesce(date_trunc('hour', c.occurred_at, 'UTC'), '-infinity'), count(*) * is_new,
            count(*) * (1 - is_new)
        FROM concerned c GROUP BY 2;
    ELSE
        INSERT INTO public.event_changes
        SELECT k.part, k.hour, count(*) * is_new, count(*) * (1 - is_new)
        FROM concerned c CROSS JOIN LATERAL (VALUES
            ('dead', coalesce(date_trunc('hour', c.occurred_at, 'UTC'), '-infinity')),
            ('failed', date_trunc('hour', c.created_at, 'UTC'))
        ) k (part, hour)
        GROUP BY 1, 2;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION event_changes_noted() IS 'Notes the hours of events that came, or were taken away.';

CREATE FUNCTION event_change_noted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'event_change_noted serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO public.event_changes
    SELECT DISTINCT k.part, coalesce(date_trunc('hour', k.moment, 'UTC'), '-infinity'), 1, 0
    FROM (VALUES ('dead', OLD.occurred_at), ('dead', NEW.occurred_at), ('failed', NEW.created_at)) k (part, moment);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION event_change_noted() IS
    'Notes that a dead letter is something else to a report: edited, or classified anew.';

CREATE FUNCTION event_changes_emptied() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    parts CONSTANT text[] := CASE WHEN TG_RELID = 'public.enriched_events'::regclass THEN ARRAY['enriched']
        ELSE ARRAY['dead', 'failed'] END;
BEGIN
    IF TG_RELID NOT IN ('public.dlq_events'::regclass, 'public.enriched_events'::regclass) THEN
        RAISE EXCEPTION 'event_changes_emptied serves no other table than dlq_events and enriched_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM public.event_changes WHERE part = ANY (parts);
    DELETE FROM public.event_hours WHERE part = ANY (parts);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION event_changes_emptied() IS 'Forgets the hours of a table that is truncated.';

CREATE TRIGGER event_changes_added AFTER INSERT ON enriched_events
    REFERENCING NEW TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION event_changes_noted();
CREATE TRIGGER event_changes_removed AFTER DELETE ON enriched_events
    REFERENCING OLD TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION event_changes_noted();
CREATE TRIGGER event_changes_emptied AFTER TRUNCATE ON enriched_events
    FOR EACH STATEMENT EXECUTE FUNCTION event_changes_emptied();
CREATE TRIGGER event_changes_added AFTER INSERT ON dlq_events
    REFERENCING NEW TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION event_changes_noted();
CREATE TRIGGER event_changes_removed AFTER DELETE ON dlq_events
    REFERENCING OLD TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION event_changes_noted();
CREATE TRIGGER event_changes_emptied AFTER TRUNCATE ON dlq_events
    FOR EACH STATEMENT EXECUTE FUNCTION event_changes_emptied();
-- A row trigger, whose condition costs a claim next to nothing. What is closed or open again comes by the thousand, and
-- dlq_events_counted marks it.
CREATE TRIGGER event_change_noted AFTER UPDATE ON dlq_events FOR EACH ROW
    WHEN (
        (OLD.status = 'SUCCEEDED') = (NEW.status = 'SUCCEEDED')
        AND (OLD.status = 'DISCARDED') = (NEW.status = 'DISCARDED')
        AND (OLD.payload_version <> NEW.payload_version OR OLD.group_id <> NEW.group_id
            OR OLD.error_class <> NEW.error_class OR OLD.error_category <> NEW.error_category
            OR OLD.event_type <> NEW.event_type OR OLD.queue IS DISTINCT FROM NEW.queue
            OR OLD.occurred_at IS DISTINCT FROM NEW.occurred_at OR OLD.first_failure_at <> NEW.first_failure_at)
    )
    EXECUTE FUNCTION event_change_noted();
