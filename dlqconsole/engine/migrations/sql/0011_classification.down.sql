CREATE FUNCTION dead_letter_group_id(event_type text, error_category text, error_class text, message text)
    RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('x' || left(md5(concat_ws(E'\x1f', '1', event_type, error_category, error_class, message)), 15))::bit(60)::bigint;

CREATE OR REPLACE FUNCTION dead_letter_error_class(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(left(substring(left(error_reason, 300) FROM '^([A-Za-z_][A-Za-z0-9_.]*[A-Za-z0-9_])(?::|$)'), 255), '');

CREATE OR REPLACE FUNCTION dead_letter_message(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN left(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    left(substring(error_reason FROM '[^\r\n]*'), 600),
                    '"[^"]*"|''[^'']*''|`[^`]*`', '<value>', 'g'),
                '[[:alnum:]_./:@%+-]*[0-9][[:alnum:]_/:@%+-]*(\.[[:alnum:]_/:@%+-]+)*', '<value>', 'g'),
            '\m[A-Z]{3}\M', '<code>', 'g'),
        300);

CREATE OR REPLACE FUNCTION dlq_events_complete() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    -- What names no source is known by its own number.
    IF NEW.source IS NULL OR NEW.source_key IS NULL THEN
        NEW.source := coalesce(NEW.source, 'sql');
        NEW.source_key := coalesce(NEW.source_key, 'dlq_events/' || NEW.id);
    END IF;
    NEW.error_class := public.dead_letter_error_class(NEW.error_reason);
    NEW.group_id := public.dead_letter_group_id(
        NEW.event_type, NEW.error_category, NEW.error_class, public.dead_letter_message(NEW.error_reason));
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NEW.dead_lettered_at IS DISTINCT FROM OLD.dead_lettered_at THEN
        RAISE EXCEPTION 'dead letter %: dead_lettered_at never changes', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    NEW.version := OLD.version + 1;
    NEW.updated_at := clock_timestamp();
    IF NEW.error_reason IS DISTINCT FROM OLD.error_reason
        OR NEW.error_category IS DISTINCT FROM OLD.error_category
        OR NEW.event_type IS DISTINCT FROM OLD.event_type
    THEN
        NEW.error_class := public.dead_letter_error_class(NEW.error_reason);
        NEW.group_id := public.dead_letter_group_id(
            NEW.event_type, NEW.error_category, NEW.error_class, public.dead_letter_message(NEW.error_reason));
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION dlq_events_group() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO public.failure_groups (id, event_type, error_category, error_class, message)
    SELECT DISTINCT ON (a.group_id)
        a.group_id, a.event_type, a.error_category, a.error_class, public.dead_letter_message(a.error_reason)
    FROM added a
    WHERE NOT EXISTS (SELECT 1 FROM public.failure_groups g WHERE g.id = a.group_id)
    ORDER BY a.group_id
    ON CONFLICT (id) DO NOTHING;
    RETURN NULL;
END $$;

DROP FUNCTION dead_letter_carry_merge(bigint, bigint, bigint);
DROP FUNCTION dead_letter_classify(text, text, boolean, text, text);
DROP TYPE dead_letter_class;
ALTER TABLE failure_rules
    DROP CONSTRAINT failure_rules_pattern,
    DROP CONSTRAINT failure_rules_sqlstate,
    DROP CONSTRAINT failure_rules_http_status,
    DROP CONSTRAINT failure_rules_fingerprint;
DROP FUNCTION failure_rule_pattern_is_sound(text);
DROP FUNCTION dead_letter_wildcards(text);
DROP FUNCTION dead_letter_hash(text);
DROP FUNCTION dead_letter_frames(text);
DROP FUNCTION dead_letter_message(text, text);
DROP FUNCTION dead_letter_http_status(text);
DROP FUNCTION dead_letter_sqlstate(text);
