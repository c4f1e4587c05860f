-- An UPDATE of what an error says is the error saying it anew. An UPDATE that writes reclassified_at brings its own
-- classification: reclassify_dead_letters, and the undo of it.
CREATE OR REPLACE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made dead_letter_class;
    said text;
    fixed boolean := false;
BEGIN
    IF NEW.dead_lettered_at IS DISTINCT FROM OLD.dead_lettered_at THEN
        RAISE EXCEPTION 'dead letter %: dead_lettered_at never changes', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    NEW.version := OLD.version + 1;
    NEW.updated_at := clock_timestamp();
    IF NEW.reclassified_at IS DISTINCT FROM OLD.reclassified_at THEN
        RETURN NEW;
    END IF;
    IF NEW.error_category IS DISTINCT FROM OLD.error_category OR NEW.error_reason IS DISTINCT FROM OLD.error_reason
        OR NEW.event_type IS DISTINCT FROM OLD.event_type
        OR NEW.error_stacktrace IS DISTINCT FROM OLD.error_stacktrace
    THEN
        said := NEW.error_category;
    ELSIF NEW.occurrences > OLD.occurrences THEN
        -- it failed anew in the same words: its group may have been merged meanwhile
        said := NEW.error_category;
        fixed := true;
    ELSE
        RETURN NEW;
    END IF;
    NEW.error_reason := coalesce(NEW.error_reason, '');
    NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
    said := coalesce(said, 'UNKNOWN');
    made := public.dead_letter_classify(NEW.event_type, said, fixed, NEW.error_reason, NEW.error_stacktrace);
    IF OLD.fingerprint_version < 2 THEN
        made.group_id := public.dead_letter_carry_merge(OLD.group_id, made.fingerprint_id, made.group_id);
    END IF;
    NEW.error_class := made.error_class;
    NEW.error_category := made.category;
    IF NOT fixed THEN
        NEW.said_category := CASE WHEN made.category <> said THEN said END;
        NEW.category_rule_id := made.category_rule_id;
    END IF;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_rule_id := made.fingerprint_rule_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    RETURN NEW;
END $$;

-- A merge was of a fingerprint of an older version: it goes for the one that the dead letter has now, too.
CREATE OR REPLACE FUNCTION dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint)
    RETURNS bigint LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    target bigint;
BEGIN
    SELECT m.group_id INTO target FROM public.group_merges m
    WHERE m.fingerprint_id = old_group OR m.group_id = old_group
    ORDER BY m.fingerprint_id = old_group DESC LIMIT 1;
    IF target IS NOT NULL AND fingerprint <> target THEN
        INSERT INTO public.group_merges (fingerprint_id, group_id, actor, reason)
        SELECT fingerprint, target, m.actor, m.reason FROM public.group_merges m
        WHERE m.fingerprint_id = old_group OR m.group_id = old_group
        ORDER BY m.fingerprint_id = old_group DESC LIMIT 1
        ON CONFLICT DO NOTHING;
    END IF;
    -- looked up here: the statement that calls may have carried a merge of this fingerprint with an earlier row
    RETURN coalesce((SELECT m.group_id FROM public.group_merges m WHERE m.fingerprint_id = fingerprint), its_group);
END $$;

-- reclassify_dead_letters(ids): ask the rules again, from what the error itself said; or, with a category, put them
-- into that one. Returns those whose category, rules or group changed. The category that the error itself said is kept.
CREATE FUNCTION reclassify_dead_letters(
    ids bigint[], into_category text DEFAULT NULL, by_operation bigint DEFAULT NULL
) RETURNS TABLE (id bigint, error_category text, group_id bigint) LANGUAGE sql
    SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH locked AS MATERIALIZED (
        SELECT * FROM public.dlq_events WHERE id = ANY (ids) ORDER BY id FOR UPDATE
    ), judged AS MATERIALIZED (
        SELECT l.id, coalesce(l.said_category, l.error_category) AS said, made.error_class, made.category,
            made.category_rule_id, made.fingerprint_id, made.fingerprint_rule_id, made.group_id
        FROM locked l CROSS JOIN LATERAL public.dead_letter_classify(
            l.event_type, coalesce(into_category, l.said_category, l.error_category), into_category IS NOT NULL,
            l.error_reason, l.error_stacktrace) made
        WHERE l.fingerprint_version <> 2 OR made.category <> l.error_category
            OR made.fingerprint_id <> l.fingerprint_id OR made.group_id <> l.group_id
            OR made.category_rule_id IS DISTINCT FROM l.category_rule_id
            OR made.fingerprint_rule_id IS DISTINCT FROM l.fingerprint_rule_id
    )
    UPDATE public.dlq_events d
    SET reclassified_at = clock_timestamp(), error_class = j.error_class, error_category = j.category,
        said_category = nullif(j.said, j.category), category_rule_id = j.category_rule_id,
        fingerprint_id = j.fingerprint_id, fingerprint_rule_id = j.fingerprint_rule_id, fingerprint_version = 2,
        group_id = CASE WHEN d.fingerprint_version < 2
            THEN public.dead_letter_carry_merge(d.group_id, j.fingerprint_id, j.group_id) ELSE j.group_id END,
        -- what became of a revival is counted for the operation that revived
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE coalesce(by_operation, d.operation_id) END
    FROM judged j
    WHERE d.id = j.id AND d.id = ANY (ARRAY(SELECT id FROM judged))
    RETURNING d.id, d.error_category::text, d.group_id
$$;

REVOKE EXECUTE ON FUNCTION reclassify_dead_letters(bigint[], text, bigint) FROM PUBLIC;

CREATE INDEX message_queue_unlogged_held ON message_queue_unlogged (queue, id) WHERE phase = 'held';
