-- What may be searched in is made by a worker, for masking is Python: triggers only say which dead letters are new or
-- have changed. SECURITY DEFINER: a producer needs no right but to insert.

CREATE FUNCTION dead_letter_digest(event_type text, source_key text, error_reason text, payload jsonb) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN md5(concat(event_type, chr(10), source_key, chr(10), error_reason, chr(10), payload::text))::uuid;
COMMENT ON FUNCTION dead_letter_digest(text, text, text, jsonb) IS
    'Tells the texts that were looked at from others: what has changed since is not found until it is looked at again.';

CREATE FUNCTION dlq_events_unsearched() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_unsearched serves dlq_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO public.dead_letter_unsearched (dead_letter_id) SELECT id FROM added ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO public.dead_letter_unsearched (dead_letter_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM public.dead_letter_searches s USING removed r WHERE s.dead_letter_id = r.id;
        DELETE FROM public.dead_letter_unsearched u USING removed r WHERE u.dead_letter_id = r.id;
    ELSE
        DELETE FROM public.dead_letter_searches;
        DELETE FROM public.dead_letter_unsearched;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dlq_events_unsearched() IS
    'Says which dead letters are to be looked at before they can be searched; forgets those that are gone.';
REVOKE EXECUTE ON FUNCTION dlq_events_unsearched() FROM PUBLIC;

CREATE TRIGGER dlq_events_unsearched_added AFTER INSERT ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_unsearched();
CREATE TRIGGER dlq_events_unsearched_changed AFTER UPDATE OF event_type, source_key, error_reason, payload ON dlq_events
    FOR EACH ROW WHEN (
        OLD.event_type IS DISTINCT FROM NEW.event_type OR OLD.source_key IS DISTINCT FROM NEW.source_key
        OR OLD.error_reason IS DISTINCT FROM NEW.error_reason OR OLD.payload IS DISTINCT FROM NEW.payload)
    EXECUTE FUNCTION dlq_events_unsearched();
CREATE TRIGGER dlq_events_unsearched_removed AFTER DELETE ON dlq_events
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_unsearched();
CREATE TRIGGER dlq_events_unsearched_emptied AFTER TRUNCATE ON dlq_events
    FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_unsearched();
