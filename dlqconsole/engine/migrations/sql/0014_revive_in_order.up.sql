-- revive_dead_letter(id), second version: the message joins the group that the failed one was in, and no
-- operation answers for what becomes of it.
CREATE OR REPLACE FUNCTION revive_dead_letter(dead_letter_id bigint) RETURNS bigint LANGUAGE plpgsql
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

REVOKE EXECUTE ON FUNCTION revive_dead_letter(bigint) FROM PUBLIC;
