-- What may be searched in is made by a worker, for masking is Python: triggers only say which dead letters are new or
-- have changed. SECURITY DEFINER: a producer needs no right but to insert.

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
        -- One that waits already is locked and left as it is: a worker must not take it now, look at the text from
        -- before, and have what is committed afterwards pass for looked at.
        INSERT INTO public.dead_letter_unsearched AS u (dead_letter_id) VALUES (NEW.id)
        ON CONFLICT (dead_letter_id) DO UPDATE SET dead_letter_id = u.dead_letter_id WHERE false;
    ELSIF TG_OP = 'DELETE' THEN
        -- in this order: it waits for a worker that looks at one just now, then removes what that has kept
        DELETE FROM public.dead_letter_unsearched u USING removed r WHERE u.dead_letter_id = r.id;
        DELETE FROM public.dead_letter_searches s USING removed r WHERE s.dead_letter_id = r.id;
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
-- not even session_replication_role turns it off: else a new text would be searched as if it had been looked at
ALTER TABLE dlq_events ENABLE ALWAYS TRIGGER dlq_events_unsearched_changed;
CREATE TRIGGER dlq_events_unsearched_removed AFTER DELETE ON dlq_events
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_unsearched();
CREATE TRIGGER dlq_events_unsearched_emptied AFTER TRUNCATE ON dlq_events
    FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_unsearched();
