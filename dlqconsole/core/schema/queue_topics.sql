-- Topics: who sends to a routing key need not know the queues. Each queue that is bound to it gets the message.

CREATE TABLE queue_topics (
    pattern varchar(255) NOT NULL,
    queue varchar(255) NOT NULL,
    created_at moment NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT queue_topics_pkey PRIMARY KEY (pattern, queue),
    CONSTRAINT queue_topics_pattern CHECK (pattern ~ '^([A-Za-z0-9_-]+|[*]|#)([.]([A-Za-z0-9_-]+|[*]|#))*$')
);
COMMENT ON TABLE queue_topics IS
    'Which queues get what is sent to a routing key. Words of a pattern have dots between them; * is any one word, # '
    'any number of words, also none.';
COMMENT ON INDEX queue_topics_pkey IS 'send to a topic, which reads them all; one binding, for who makes or ends it';

CREATE FUNCTION topic_matches(pattern text, routing_key text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    -- with a dot before each word, a wildcard stands for words with their dots
    RETURN '.' || routing_key ~ ('^' || replace(replace(replace('.' || pattern,
        '.', '\.'), '\.*', '\.[^.]+'), '\.#', '(\.[^.]+)*') || '$');
REVOKE EXECUTE ON FUNCTION topic_matches(text, text) FROM PUBLIC;
COMMENT ON FUNCTION topic_matches(text, text) IS 'Whether what is sent to a routing key goes to queues of the pattern.';

CREATE FUNCTION queue_topic_bindings(routing_key text DEFAULT NULL) RETURNS TABLE (
    pattern text, queue text, created_at timestamptz
) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT t.pattern, t.queue, t.created_at FROM queue_topics t
    WHERE routing_key IS NULL OR topic_matches(t.pattern, routing_key)
    ORDER BY t.pattern, t.queue
$$;
REVOKE EXECUTE ON FUNCTION queue_topic_bindings(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_topic_bindings(text) IS
    'The patterns and their queues: all, or those that a routing key reaches.';

CREATE FUNCTION queue_send_topic(
    routing_key text, payload jsonb, headers jsonb DEFAULT '{}', delay_seconds double precision DEFAULT 0,
    priority integer DEFAULT 0, dedupe_key text DEFAULT NULL, group_key text DEFAULT NULL
) RETURNS TABLE (queue text, id bigint) LANGUAGE sql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT t.queue, queue_send(t.queue, payload, headers, delay_seconds, priority, dedupe_key, group_key)
    FROM (SELECT DISTINCT b.queue FROM queue_topic_bindings(coalesce(routing_key, '')) b ORDER BY b.queue) t
$$;
REVOKE EXECUTE ON FUNCTION queue_send_topic(text, jsonb, jsonb, double precision, integer, text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_send_topic(text, jsonb, jsonb, double precision, integer, text, text) IS
    'Puts a message on each queue that the routing key reaches, once, in your transaction: all of them or none. You must '
    'be allowed to send to each. Returns the queues with the messages'' ids; no row where the key reaches none.';

CREATE FUNCTION topic_set(pattern text, queue text, is_bound boolean, actor text, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
BEGIN
    IF is_bound THEN
        INSERT INTO queue_topics (pattern, queue) VALUES (topic_set.pattern, topic_set.queue) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM queue_topics t WHERE t.pattern = topic_set.pattern AND t.queue = topic_set.queue;
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO audit_log (actor, action, target, reason, detail)
    VALUES (topic_set.actor, CASE WHEN is_bound THEN 'bind' ELSE 'unbind' END, 'queue:' || topic_set.queue,
        topic_set.reason, jsonb_build_object('pattern', topic_set.pattern));
    RETURN true;
EXCEPTION WHEN check_violation THEN
    RAISE EXCEPTION 'No routing key is like %: a pattern has words of letters, digits, dashes and underscores with dots '
        'between them, and a word may be * or #.', quote_literal(topic_set.pattern) USING ERRCODE = 'check_violation';
END $$;
REVOKE EXECUTE ON FUNCTION topic_set(text, text, boolean, text, text) FROM PUBLIC;
COMMENT ON FUNCTION topic_set(text, text, boolean, text, text) IS
    'Binds a queue to a pattern, or ends that, with a line in the audit log. False: it was so already.';

CREATE FUNCTION queue_bind(pattern text, queue text, reason text DEFAULT '') RETURNS boolean LANGUAGE sql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$ SELECT topic_set(pattern, queue, true, 'sql:' || session_user, reason) $$;
REVOKE EXECUTE ON FUNCTION queue_bind(text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_bind(text, text, text) IS
    'From now on the queue gets what is sent to routing keys of the pattern. False: it did already.';

CREATE FUNCTION queue_unbind(pattern text, queue text, reason text DEFAULT '') RETURNS boolean LANGUAGE sql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$ SELECT topic_set(pattern, queue, false, 'sql:' || session_user, reason) $$;
REVOKE EXECUTE ON FUNCTION queue_unbind(text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_unbind(text, text, text) IS
    'Ends a binding; what was sent stays on the queue. False: there was none.';
