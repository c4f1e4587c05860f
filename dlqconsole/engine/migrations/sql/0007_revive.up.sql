-- revive_dead_letter(id): put one dead letter back on its queue, from any language. One statement: dead letter, message
-- and audit row change together. SECURITY INVOKER and a pinned search_path (pg_temp last): no shadow table can stand
-- in for ours.
CREATE FUNCTION revive_headers(headers jsonb, event_type text, source text, source_key text, payload jsonb)
    RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    -- A CloudEvent names itself; anything else is told who it is by headers. Notes of the earlier
    -- failure (x-death and its like) do not travel with the new message.
    RETURN (
        SELECT coalesce(jsonb_object_agg(h.key, h.value), '{}'::jsonb)
        FROM jsonb_each(headers) h
        WHERE h.key NOT ILIKE 'x-death%' AND h.key NOT ILIKE 'dlq\_%'
    ) || CASE
        WHEN payload IS NOT NULL AND jsonb_typeof(payload) = 'object' AND payload ? 'specversion' THEN '{}'::jsonb
        ELSE jsonb_build_object('ce_type', event_type, 'ce_source', source, 'ce_id', source_key)
    END;
COMMENT ON FUNCTION revive_headers(jsonb, text, text, text, jsonb) IS
    'The headers of a revived message. A CloudEvent names itself; anything else is told who it is by headers. Notes '
    'of the earlier failure (x-death and its like) do not travel with the new message.';

CREATE FUNCTION revive_dead_letter(dead_letter_id bigint) RETURNS bigint LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    message_id bigint;
BEGIN
    WITH revived AS (
        UPDATE public.dlq_events d
        SET status = 'REVIVED', revive_count = d.revive_count + 1, revived_at = clock_timestamp(),
            operation_id = NULL
        WHERE d.id = dead_letter_id AND d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        RETURNING d.*
    ), sent AS (
        INSERT INTO public.message_queue (queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq)
        SELECT coalesce(nullif(r.queue, ''), r.event_type), r.payload,
            CASE WHEN r.payload IS NULL THEN coalesce(r.payload_raw, ''::bytea) ELSE r.payload_raw END,
            public.revive_headers(r.headers, r.event_type, r.source, r.source_key, r.payload),
            r.group_key, r.id, r.revive_count
        FROM revived r
        RETURNING id
    ), noted AS (
        INSERT INTO public.audit_log (actor, action, target, reason, detail)
        SELECT 'sql:' || session_user, 'revive', 'dead_letter:' || r.id, 'revive_dead_letter()',
            jsonb_build_object('message_id', s.id, 'revive_count', r.revive_count)
        FROM revived r, sent s
    )
    SELECT id INTO message_id FROM sent;
    RETURN message_id;
END $$;
COMMENT ON FUNCTION revive_dead_letter(bigint) IS
    'Puts a dead letter back on its queue, in the group that the failed message was in. Returns the new message''s '
    'id, or NULL when it was not revivable: calling it twice never makes two messages.';
REVOKE EXECUTE ON FUNCTION revive_dead_letter(bigint) FROM PUBLIC;
