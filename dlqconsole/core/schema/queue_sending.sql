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
        INSERT INTO message_queue_unlogged (queue, payload, payload_raw, headers, priority, max_retries, next_retry_at,
            dedupe_key, group_key)
        VALUES (queue_send.queue, queue_send.payload, queue_send.payload_raw, coalesce(queue_send.headers, '{}'),
            queue_send.priority, queue_send.max_retries, due, queue_send.dedupe_key, queue_send.group_key)
        ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
        RETURNING id INTO message_id;
    ELSE
        INSERT INTO message_queue (queue, payload, payload_raw, headers, priority, max_retries, next_retry_at,
            dedupe_key, group_key)
        VALUES (queue_send.queue, queue_send.payload, queue_send.payload_raw, coalesce(queue_send.headers, '{}'),
            queue_send.priority, queue_send.max_retries, due, queue_send.dedupe_key, queue_send.group_key)
        ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
        RETURNING id INTO message_id;
    END IF;
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
        RETURN QUERY
        INSERT INTO message_queue_unlogged (queue, payload, headers, priority, next_retry_at, group_key)
        SELECT queue_send_many.queue, p.payload, coalesce(queue_send_many.headers, '{}'), queue_send_many.priority,
            due, queue_send_many.group_key
        FROM jsonb_array_elements(queue_send_many.payloads) WITH ORDINALITY p (payload, place) ORDER BY p.place
        RETURNING id;
    ELSE
        RETURN QUERY
        INSERT INTO message_queue (queue, payload, headers, priority, next_retry_at, group_key)
        SELECT queue_send_many.queue, p.payload, coalesce(queue_send_many.headers, '{}'), queue_send_many.priority,
            due, queue_send_many.group_key
        FROM jsonb_array_elements(queue_send_many.payloads) WITH ORDINALITY p (payload, place) ORDER BY p.place
        RETURNING id;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION queue_send_many(text, jsonb, jsonb, double precision, integer, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_send_many(text, jsonb, jsonb, double precision, integer, text) IS
    'Puts the elements of a JSON array on a queue, a message each, in their order; their ids.';
