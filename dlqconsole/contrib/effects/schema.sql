-- The ledger of effects: what a program did to the world for an event, written down before and after.

CREATE TABLE event_effects (
    name varchar(255) NOT NULL,
    key varchar(1024) NOT NULL,
    source varchar(1024) NOT NULL,
    source_key varchar(1024) NOT NULL,
    begun_at moment NOT NULL DEFAULT clock_timestamp(),
    done_at moment,
    told_by text NOT NULL DEFAULT '',
    CONSTRAINT event_effects_pkey PRIMARY KEY (name, key),
    CONSTRAINT event_effects_name CHECK (name <> '' AND key <> '')
);
COMMENT ON TABLE event_effects IS 'Effects of events outside of their program, each at most once by its name and key.';
COMMENT ON COLUMN event_effects.name IS 'of the effect, as stripe.charge';
COMMENT ON COLUMN event_effects.key IS 'makes it one of its name, as the number of the order';
COMMENT ON COLUMN event_effects.source IS 'the event''s, as its dead letter has it';
COMMENT ON COLUMN event_effects.source_key IS 'the event''s, as its dead letter has it';
COMMENT ON COLUMN event_effects.done_at IS 'NULL: begun, and nobody knows whether it was done';
COMMENT ON COLUMN event_effects.told_by IS 'the role of the database that began it';
COMMENT ON INDEX event_effects_pkey IS 'a program that begins an effect, or says that it is done';

CREATE INDEX event_effects_event ON event_effects (source, source_key);
COMMENT ON INDEX event_effects_event IS 'the effects of dead letters, before they are revived; a purge takes them along';
CREATE INDEX event_effects_begun ON event_effects (begun_at);
COMMENT ON INDEX event_effects_begun IS 'what is old enough to go; what is unknown, oldest first';

CREATE FUNCTION effect_begin(name text, key text, source text, source_key text) RETURNS text LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    is_done boolean;
BEGIN
    IF coalesce(name, '') = '' OR coalesce(key, '') = '' OR source IS NULL OR source_key IS NULL THEN
        RAISE EXCEPTION 'effect_begin needs the name and the key of the effect, and the source and source_key of its event'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- in a function with its owner's rights current_user is the owner
    INSERT INTO event_effects (name, key, source, source_key, told_by)
    VALUES (effect_begin.name, effect_begin.key, effect_begin.source, effect_begin.source_key, session_user)
    ON CONFLICT ON CONSTRAINT event_effects_pkey DO NOTHING;
    IF FOUND THEN
        RETURN 'new';
    END IF;
    SELECT e.done_at IS NOT NULL INTO is_done FROM event_effects e
    WHERE e.name = effect_begin.name AND e.key = effect_begin.key;
    RETURN CASE WHEN is_done THEN 'done' ELSE 'unknown' END;
END $$;
REVOKE EXECUTE ON FUNCTION effect_begin(text, text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION effect_begin(text, text, text, text) IS
    'Call it in a transaction of its own before an effect. new: do it, then call effect_done; done: skip it; unknown: '
    'somebody began it and never said how it ended.';

CREATE FUNCTION effect_done(name text, key text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE event_effects e SET done_at = clock_timestamp()
    WHERE e.name = effect_done.name AND e.key = effect_done.key AND e.done_at IS NULL;
    RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION effect_done(text, text) FROM PUBLIC;
COMMENT ON FUNCTION effect_done(text, text) IS 'Says that an effect that was begun is done; false: it was not begun, or is.';

CREATE FUNCTION effect_not_done(name text, key text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM event_effects e WHERE e.name = effect_not_done.name AND e.key = effect_not_done.key AND e.done_at IS NULL;
    RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION effect_not_done(text, text) FROM PUBLIC;
COMMENT ON FUNCTION effect_not_done(text, text) IS
    'Says that an effect that was begun did not happen: who comes next does it. false: it was not begun, or is done.';
