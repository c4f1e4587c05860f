-- Sending by function. A plain INSERT is a whole message, too: the rules stand in message_queue's trigger.

CREATE FUNCTION queue_send(
    queue text, payload jsonb, headers jsonb DEFAULT '{}', delay_seconds double precision DEFAULT 0,
    priority integer DEFAULT 0, dedupe_key text DEFAULT NULL, group_key text DEFAULT NULL,
    max_retries integer DEFAULT NULL, payload_raw bytea DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    message_id bigint;
    due CONSTANT timestamptz := clock_timestamp() + make_interval(secs => coalesce(queue_send.delay_seconds, 0));
BEGIN
    IF (SELECT q.unlogged FROM queues q WHERE q.name = queue_send.queue) THEN
        RETURN queue_send_unlogged(queue_send.queue, queue_send.payload, queue_send.headers, delay_seconds,
            queue_send.priority, queue_send.dedupe_key, queue_send.group_key, queue_send.max_retries,
            queue_send.payload_raw);
    END IF;
    INSERT INTO message_queue (queue, payload, payload_raw, headers, priority, max_retries, next_retry_at,
        dedupe_key, group_key)
    VALUES (queue_send.queue, queue_send.payload, queue_send.payload_raw, coalesce(queue_send.headers, '{}'),
        queue_send.priority, queue_send.max_retries, due, queue_send.dedupe_key, queue_send.group_key)
    ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
    RETURNING id INTO message_id;
    RETURN message_id;
END $$;
REVOKE EXECUTE ON FUNCTION queue_send(text, jsonb, jsonb, double precision, integer, text, text, integer, bytea) FROM PUBLIC;
COMMENT ON FUNCTION queue_send(text, jsonb, jsonb, double precision, integer, text, text, integer, bytea) IS
    'Puts a message on a queue, in your transaction. Returns its id; NULL where a live message of the queue has '
    'its dedupe_key. payload_raw: the exact bytes, where JSON cannot hold them.';

CREATE FUNCTION queue_send_many(
    queue text, payloads jsonb, headers jsonb DEFAULT '{}', delay_seconds double precision DEFAULT 0,
    priority integer DEFAULT 0, group_key text DEFAULT NULL
) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    due CONSTANT timestamptz :=
        clock_timestamp() + make_interval(secs => coalesce(queue_send_many.delay_seconds, 0));
BEGIN
    IF (SELECT q.unlogged FROM queues q WHERE q.name = queue_send_many.queue) THEN
        RETURN QUERY SELECT * FROM queue_send_many_unlogged(queue_send_many.queue, payloads, queue_send_many.headers,
            delay_seconds, queue_send_many.priority, queue_send_many.group_key);
        RETURN;
    END IF;
    RETURN QUERY
    INSERT INTO message_queue (queue, payload, headers, priority, next_retry_at, group_key)
    SELECT queue_send_many.queue, p.payload, coalesce(queue_send_many.headers, '{}'), queue_send_many.priority,
        due, queue_send_many.group_key
    FROM jsonb_array_elements(queue_send_many.payloads) WITH ORDINALITY p (payload, place) ORDER BY p.place
    RETURNING id;
END $$;
REVOKE EXECUTE ON FUNCTION queue_send_many(text, jsonb, jsonb, double precision, integer, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_send_many(text, jsonb, jsonb, double precision, integer, text) IS
    'Puts the elements of a JSON array on a queue, a message each, in their order; their ids.';

-- To an unlogged queue. The same functions, which stand once.
DO $$
DECLARE
    sending text;
BEGIN
    FOREACH sending IN ARRAY ARRAY['queue_send', 'queue_send_many'] LOOP
        EXECUTE replace(replace(regexp_replace(pg_get_functiondef(sending::regproc), '\m' || sending || '\M',
            sending || '_unlogged', 'g'), 'INTO message_queue ', 'INTO message_queue_unlogged '),
            'IF (', 'IF false AND (');
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION queue_send_unlogged(text, jsonb, jsonb, double precision, integer, text, text, integer, bytea) FROM PUBLIC;
COMMENT ON FUNCTION queue_send_unlogged(text, jsonb, jsonb, double precision, integer, text, text, integer, bytea) IS
    'queue_send to an unlogged queue, made of it.';
REVOKE EXECUTE ON FUNCTION queue_send_many_unlogged(text, jsonb, jsonb, double precision, integer, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_send_many_unlogged(text, jsonb, jsonb, double precision, integer, text) IS
    'queue_send_many to an unlogged queue, made of it.';
