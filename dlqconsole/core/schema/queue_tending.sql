-- What else may be done to messages: looked at, counted, moved in time, and taken away while nobody holds them.

CREATE FUNCTION queue_peek(queue text, number integer DEFAULT 10, after_id bigint DEFAULT 0) RETURNS TABLE (
    id bigint, status text, payload jsonb, payload_raw bytea, headers jsonb, priority smallint, group_key text,
    retry_count integer, next_retry_at timestamptz, owner text, lease_until timestamptz, last_error text,
    created_at timestamptz
) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT m.id, m.status, m.payload, m.payload_raw, m.headers, m.priority, m.group_key, m.retry_count,
        m.next_retry_at, m.owner, m.lease_until, m.last_error, m.created_at
    FROM message_queue m
    WHERE m.queue = queue_peek.queue AND m.id > queue_peek.after_id
    ORDER BY m.id
    LIMIT least(queue_peek.number, 1000)
$$;
REVOKE EXECUTE ON FUNCTION queue_peek(text, integer, bigint) FROM PUBLIC;
COMMENT ON FUNCTION queue_peek(text, integer, bigint) IS
    'Messages of a queue by number, whatever their state, without claiming them: up to number, 1,000 at most, after '
    'after_id.';

CREATE FUNCTION queue_metrics(queue text) RETURNS TABLE (
    visible bigint, in_flight bigint, scheduled bigint, waiting bigint, held bigint, oldest_due_seconds float8,
    completed_per_minute float8, consumers bigint, paused boolean, newest_seconds float8, handled_this_week bigint,
    counted_at timestamptz
) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT live.visible, live.in_flight, (
            SELECT count(*) FROM (
                SELECT FROM message_queue m
                WHERE m.queue = queue_metrics.queue AND m.phase = 'scheduled' LIMIT 100000
            ) counted
        ), (
            SELECT count(*) FROM (
                SELECT FROM message_queue m
                WHERE m.queue = queue_metrics.queue AND m.group_key IS NOT NULL AND m.status = 'waiting' LIMIT 100000
            ) counted
        ), (
            SELECT count(*) FROM (
                SELECT FROM message_queue m WHERE m.queue = queue_metrics.queue AND m.phase = 'held' LIMIT 100000
            ) counted
        ), live.oldest_due_seconds, (
            SELECT coalesce(sum(a.completed), 0)::float8 / 5 FROM queue_activity a
            WHERE a.queue = queue_metrics.queue AND a.minute < date_trunc('minute', clock_timestamp())
                AND a.minute >= date_trunc('minute', clock_timestamp()) - interval '5 minutes'
        ), (
            SELECT count(*) FROM handler_reports r
            WHERE queue_metrics.queue = ANY (r.queues) AND r.seen_at > clock_timestamp() - interval '2 minutes'
        ), (queue_policy(queue_metrics.queue)).paused, live.newest_seconds, (
            SELECT coalesce(sum(a.completed + a.dead_lettered), 0)::bigint FROM queue_activity a
            WHERE a.queue = queue_metrics.queue
        ), clock_timestamp()
    FROM (
        SELECT count(*) FILTER (WHERE m.status = 'pending' OR m.lease_until < clock_timestamp()) AS visible,
            count(*) FILTER (WHERE m.status = 'processing' AND m.lease_until >= clock_timestamp()) AS in_flight,
            extract(epoch FROM clock_timestamp() - min(CASE WHEN m.status = 'pending'
                THEN greatest(m.created_at, m.next_retry_at) WHEN m.lease_until < clock_timestamp() THEN m.lease_until
                END))::float8 AS oldest_due_seconds,
            extract(epoch FROM clock_timestamp() - max(m.created_at))::float8 AS newest_seconds
        FROM (
            SELECT m.status, m.lease_until, m.created_at, m.next_retry_at FROM message_queue m
            WHERE m.queue = queue_metrics.queue AND m.phase = 'live' ORDER BY m.turn, m.id LIMIT 100000
        ) m
    ) live
$$;
REVOKE EXECUTE ON FUNCTION queue_metrics(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_metrics(text) IS
    'The figures of a queue. Each count ends at 100,000. completed_per_minute: over the last five full minutes; '
    'consumers: heard of in the last two; newest_seconds: of what is visible or in flight; handled_this_week: completed '
    'or dead-lettered, by the figures of seven days.';

CREATE FUNCTION queue_set_due(id bigint, due timestamptz) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    its_queue text;
BEGIN
    UPDATE message_queue m
    SET next_retry_at = due, status = CASE WHEN due > clock_timestamp() THEN 'scheduled' ELSE 'pending' END,
        unhandled_type = NULL
    WHERE m.id = queue_set_due.id AND m.status IN ('pending', 'scheduled')
    RETURNING m.queue INTO its_queue;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO audit_log (actor, action, target, detail)
    VALUES ('sql:' || session_user, 'set_due', 'message:' || queue_set_due.id,
        jsonb_build_object('queue', its_queue, 'due', due));
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION queue_set_due(bigint, timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION queue_set_due(bigint, timestamptz) IS
    'Says when a message that nobody holds is due, now or later. False: it is gone, somebody holds it, or it waits for '
    'another of its group.';

CREATE FUNCTION queue_delete(ids bigint[], reason text DEFAULT '', archive boolean DEFAULT false)
    RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN QUERY
    WITH gone AS (
        -- what a dead consumer held is nobody's
        DELETE FROM message_queue m
        WHERE m.id = ANY (ids)
            AND (m.status IN ('pending', 'scheduled', 'waiting') OR m.status = 'processing' AND m.lease_until < clock_timestamp())
        RETURNING m.id, m.queue, CASE WHEN archive THEN m END AS message
    ), archived AS MATERIALIZED (
        SELECT message_archive_add(array_agg(g.message)) FROM gone g WHERE archive
    ), noted AS (
        INSERT INTO audit_log (actor, action, target, reason, detail)
        SELECT 'sql:' || session_user, CASE WHEN archive THEN 'archive_message' ELSE 'delete_message' END,
            'message:' || g.id, queue_delete.reason, jsonb_build_object('queue', g.queue)
        FROM gone g
    )
    SELECT g.id FROM gone g, archived;
END $$;
REVOKE EXECUTE ON FUNCTION queue_delete(bigint[], text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_delete(bigint[], text, boolean) IS
    'Deletes messages that nobody holds, each with a line in the audit log; archive: into the archive. A revived dead '
    'letter among them returns to where it was. Returns the ids that went. What you hold you complete.';

CREATE FUNCTION queue_purge(queue text, reason text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    number bigint;
    keeps boolean := (queue_policy(queue_purge.queue)).retention = 'archive';
BEGIN
    WITH gone AS (
        DELETE FROM message_queue m
        WHERE m.queue = queue_purge.queue AND (m.status IN ('pending', 'scheduled', 'waiting')
            OR m.status = 'processing' AND m.lease_until < clock_timestamp())
        RETURNING CASE WHEN keeps THEN m END AS message
    ), archived AS MATERIALIZED (
        SELECT message_archive_add(array_agg(g.message)) FROM gone g WHERE keeps
    )
    SELECT count(*) INTO number FROM gone, archived;
    INSERT INTO audit_log (actor, action, target, reason, detail)
    VALUES ('sql:' || session_user, 'purge', 'queue:' || queue_purge.queue, queue_purge.reason,
        jsonb_build_object('messages', number));
    RETURN number;
END $$;
REVOKE EXECUTE ON FUNCTION queue_purge(text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_purge(text, text) IS
    'Takes all messages off a queue that nobody holds, into the archive where its policy says so; their number. One '
    'transaction: for many, use the console''s purge, which goes page by page and can be stopped.';

CREATE FUNCTION queue_create(queue text, unlogged boolean DEFAULT false) RETURNS boolean LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    IF queue_create.queue !~ '^[^:]{1,255}$' THEN
        RAISE EXCEPTION 'A queue cannot be called %: a name has 1 to 255 characters, and no colon, which names a queue of '
            'another system.', quote_literal(left(queue_create.queue, 60))
            USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO queues (name, unlogged) VALUES (queue_create.queue, queue_create.unlogged) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        INSERT INTO audit_log (actor, action, target, detail)
        VALUES ('sql:' || session_user, 'create', 'queue:' || queue_create.queue,
            jsonb_build_object('unlogged', queue_create.unlogged));
        RETURN true;
    END IF;
    RETURN false;
END $$;
REVOKE EXECUTE ON FUNCTION queue_create(text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_create(text, boolean) IS
    'Makes a queue with the default policy. False: it is there, and stays as it is. A queue needs no row; one that is '
    'listed has it.';

CREATE FUNCTION queue_list() RETURNS TABLE (queue text, unlogged boolean, created_at timestamptz) LANGUAGE sql STABLE
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$ SELECT q.name, q.unlogged, q.created_at FROM queues q ORDER BY q.name $$;
REVOKE EXECUTE ON FUNCTION queue_list() FROM PUBLIC;
COMMENT ON FUNCTION queue_list() IS 'The queues that somebody has created.';

CREATE FUNCTION queue_forget(queue text) RETURNS boolean LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    number bigint;
BEGIN
    WITH policy AS (DELETE FROM queues q WHERE q.name = queue_forget.queue RETURNING 1),
        figures AS (DELETE FROM queue_activity a WHERE a.queue = queue_forget.queue RETURNING 1),
        tokens AS (DELETE FROM queue_tokens t WHERE t.queue = queue_forget.queue),
        topics AS (DELETE FROM queue_topics t WHERE t.queue = queue_forget.queue)
    SELECT (SELECT count(*) FROM policy) + (SELECT count(*) FROM figures) INTO number;
    RETURN number > 0;
END $$;
REVOKE EXECUTE ON FUNCTION queue_forget(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_forget(text) IS
    'Removes what is known of a queue beside its messages: policy, figures, topics. Whether there was a policy or a '
    'figure. Its dead letters stay, and what it archived.';

CREATE FUNCTION queue_drop(queue text, reason text, force boolean DEFAULT false) RETURNS boolean LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM queues q WHERE q.name = queue_drop.queue FOR UPDATE;
    IF force THEN
        -- Nobody's any more: what was revived then returns to where it was, as from a purge.
        UPDATE message_queue m
        SET status = 'pending', owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL
        WHERE m.queue = queue_drop.queue AND m.status IN ('processing', 'held');
    END IF;
    PERFORM queue_purge(queue_drop.queue, queue_drop.reason);
    IF EXISTS (SELECT FROM message_queue m WHERE m.queue = queue_drop.queue) THEN
        RAISE EXCEPTION 'The queue % was not dropped: consumers hold messages of it, or the undo window of revived ones is '
            'open. Wait for their end, or say force => true.', quote_literal(queue_drop.queue)
            USING ERRCODE = 'object_in_use';
    END IF;
    IF NOT queue_forget(queue_drop.queue) THEN
        RETURN false;
    END IF;
    INSERT INTO audit_log (actor, action, target, reason)
    VALUES ('sql:' || session_user, 'drop', 'queue:' || queue_drop.queue, queue_drop.reason);
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION queue_drop(text, text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_drop(text, text, boolean) IS
    'Purges a queue and removes its policy, figures and topics. Its dead letters stay, and what it archived. False: '
    'there was no such queue. Refused while somebody holds a message of it; force: they lose their leases.';
