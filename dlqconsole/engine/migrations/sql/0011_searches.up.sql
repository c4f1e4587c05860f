-- What people search by: words of reasons (trigrams), and the ids that an event goes by.

DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'Searching needs the extension pg_trgm, and % may not create it in this database.'
            ' As its owner or a superuser: CREATE EXTENSION pg_trgm SCHEMA public; then migrate again.', current_user
            USING ERRCODE = 'insufficient_privilege';
    WHEN undefined_file OR feature_not_supported THEN
        RAISE EXCEPTION 'Searching needs the extension pg_trgm, which this server lacks: install PostgreSQL''s contrib'
            ' (postgresql-contrib), then migrate again.' USING ERRCODE = 'undefined_file';
END $$;

CREATE FUNCTION dead_letter_ids(source_key text, message_id bigint, headers jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    ids text[] := ARRAY[lower(left(source_key, 200))];
BEGIN
    IF message_id IS NOT NULL THEN
        ids := ids || message_id::text;
    END IF;
    IF headers = '{}' OR jsonb_typeof(headers) <> 'object' THEN
        RETURN ids;
    END IF;
    RETURN ids || ARRAY(
        SELECT lower(left(CASE WHEN lower(h.key) = 'traceparent' THEN split_part(h.value, '-', 2) ELSE h.value END, 200))
        FROM jsonb_each_text(headers) h
        WHERE h.value <> '' AND lower(h.key) ~
            '^(?:traceparent|(?:.*[^a-z])?(?:message|correlation|trace|request|event)[-_. ]?id)$');
END $$;
COMMENT ON FUNCTION dead_letter_ids(text, bigint, jsonb) IS
    'What a dead letter is looked up by, in small letters: its source key, the number of its message, and of its headers'
    ' message, correlation, trace, request and event ids, and the trace id in a traceparent.';
