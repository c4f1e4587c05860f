-- What must hold for dlq_events whoever writes to it.

ALTER TABLE dlq_events SET (
    fillfactor = 85,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.02
);

ALTER TABLE dlq_events ADD CONSTRAINT dlq_events_headers_object CHECK (jsonb_typeof(headers) = 'object');

-- "PlaneUnknown: tailnum N1 …" is of class PlaneUnknown; "connection refused: billing" has none.
CREATE FUNCTION dead_letter_error_class(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(left(substring(left(error_reason, 300) FROM '^([A-Za-z_][A-Za-z0-9_.]*[A-Za-z0-9_])(?::|$)'), 255), '');

-- The reason with its variable parts taken out, so that one cause is one group.
-- Version 1: quoted values, uuids, dates and times, every word with a digit in it (numbers, hex, ids, tail
-- numbers), and words of three capitals (airports, currencies). Only the first line, 300 characters of it.
CREATE FUNCTION dead_letter_message(error_reason text) RETURNS text
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

-- 60 bits of the hash: positive, and exact in JavaScript-free URLs. Deterministic, so that writers of
-- one fingerprint need no shared row.
CREATE FUNCTION dead_letter_group_id(event_type text, error_category text, error_class text, message text)
    RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('x' || left(md5(concat_ws(E'\x1f', '1', event_type, error_category, error_class, message)), 15))::bit(60)::bigint;

CREATE FUNCTION dlq_events_complete() RETURNS trigger LANGUAGE plpgsql
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

CREATE TRIGGER dlq_events_complete BEFORE INSERT ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_complete();

CREATE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql
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

CREATE TRIGGER dlq_events_changed BEFORE UPDATE ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_changed();

-- The group's row appears with its first dead letter. The id decides, so this takes no lock once it is there.
CREATE FUNCTION dlq_events_group() RETURNS trigger LANGUAGE plpgsql
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

CREATE TRIGGER dlq_events_group_added AFTER INSERT ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_group();
CREATE TRIGGER dlq_events_group_changed AFTER UPDATE ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_group();
