-- What every row of dlq_events must hold. A trigger says it, the last of its table, and no CHECK: PostgreSQL prints the row
-- that breaks one, to its writer and into its own log, and a payload would stand there. And it reads each CHECK anew for
-- each statement: these cost a single INSERT as much as all the rest of it.
CREATE FUNCTION dlq_events_sound() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    broken CONSTANT text := CASE
        WHEN num_nulls(NEW.id, NEW.event_type, NEW.headers, NEW.error_reason, NEW.error_stacktrace, NEW.error_category,
            NEW.error_class, NEW.status, NEW.retry_count, NEW.retry_after, NEW.source, NEW.source_key, NEW.occurrences,
            NEW.first_failure_at, NEW.last_failure_at, NEW.dead_lettered_at, NEW.fingerprint_id,
            NEW.fingerprint_version, NEW.group_id, NEW.payload_version, NEW.revive_count, NEW.come_backs,
            NEW.crash_count, NEW.version, NEW.created_at, NEW.updated_at) > 0 THEN 'a NOT NULL'
        WHEN NEW.error_category NOT IN ('TRANSIENT', 'DEPENDENCY', 'PERMANENT', 'BUSINESS', 'UNKNOWN')
            THEN 'dlq_events_category'
        WHEN LEAST(NEW.retry_count, NEW.revive_count, NEW.come_backs, NEW.version, NEW.payload_version, NEW.crash_count) < 0
            OR GREATEST(NEW.retry_count, NEW.revive_count, NEW.come_backs, NEW.occurrences, NEW.version,
                NEW.payload_version) > 1000000000
            OR NEW.crash_count > 30000 OR NEW.fingerprint_version < 1 OR NEW.occurrences < 1 THEN 'dlq_events_counts'
        WHEN jsonb_typeof(NEW.headers) <> 'object' THEN 'dlq_events_headers_object'
        -- without a lease nobody would ever take it back
        WHEN NEW.status = 'RETRYING' AND (NEW.lease_token IS NULL OR NEW.lease_until IS NULL) THEN 'dlq_events_leased'
        WHEN LEAST(NEW.retry_after, NEW.created_at, NEW.dead_lettered_at, NEW.first_failure_at, NEW.last_failure_at,
                NEW.lease_until, NEW.begun_at, NEW.revived_at, NEW.updated_at, NEW.reclassified_at)
                <= '1900-01-01 00:00:00+00'::timestamptz
            OR GREATEST(NEW.retry_after, NEW.created_at, NEW.dead_lettered_at, NEW.first_failure_at,
                NEW.last_failure_at, NEW.lease_until, NEW.begun_at, NEW.revived_at, NEW.updated_at, NEW.reclassified_at)
                >= '9999-01-01 00:00:00+00'::timestamptz THEN 'dlq_events_moments'
        -- no page has an address for a number below zero
        WHEN LEAST(NEW.id, NEW.group_id, NEW.fingerprint_id) < 0 THEN 'dlq_events_numbers'
        WHEN NEW.status NOT IN ('PENDING', 'RETRYING', 'SUCCEEDED', 'EXHAUSTED', 'REVIVED', 'DISCARDED', 'QUARANTINED')
            THEN 'dlq_events_status' END;
    missing text;
BEGIN
    IF broken IS NULL THEN
        RETURN NEW;
    END IF;
    IF broken = 'a NOT NULL' THEN
        SELECT a.attname INTO missing FROM pg_attribute a
        WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND a.attnotnull AND to_jsonb(NEW) ->> a.attname IS NULL
        ORDER BY a.attnum LIMIT 1;
        RAISE EXCEPTION 'null value in column "%" of relation "%" violates not-null constraint', missing, TG_TABLE_NAME
            USING ERRCODE = 'not_null_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = missing;
    END IF;
    RAISE EXCEPTION 'new row for relation "%" violates check constraint "%"', TG_TABLE_NAME, broken
        USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_sound() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_sound() IS
    'Refuses a row that no page could show or nobody could take back, in the words that PostgreSQL has for a '
    'constraint, but without the row.';

CREATE TRIGGER zz_dlq_events_sound BEFORE INSERT OR UPDATE ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_sound();
