-- Settling a claim: extended, given back or completed; what has failed is in queue_failing.sql. Each shows the token
-- that the claim was given; what was claimed together has one token. The ids that come back were still yours.

CREATE FUNCTION queue_extend(ids bigint[], token uuid, lease_seconds double precision) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
    UPDATE message_queue m SET lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
    RETURNING m.id
$$;
REVOKE EXECUTE ON FUNCTION queue_extend(bigint[], uuid, double precision) FROM PUBLIC;
COMMENT ON FUNCTION queue_extend(bigint[], uuid, double precision) IS
    'Lengthens leases: they end in lease_seconds from now. Returns the ids that were still yours.';

CREATE FUNCTION queue_release(ids bigint[], token uuid, delay_seconds double precision DEFAULT 0) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
    UPDATE message_queue m
    SET status = CASE WHEN delay_seconds > 0 THEN 'scheduled' ELSE 'pending' END,
        next_retry_at = CASE WHEN delay_seconds > 0
            THEN clock_timestamp() + make_interval(secs => delay_seconds) ELSE m.next_retry_at END,
        retry_count = greatest(m.retry_count - 1, 0),
        owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL
    WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
    RETURNING m.id
$$;
REVOKE EXECUTE ON FUNCTION queue_release(bigint[], uuid, double precision) FROM PUBLIC;
COMMENT ON FUNCTION queue_release(bigint[], uuid, double precision) IS
    'Gives messages back that you did not begin, for now or for later. The attempt is not counted. Returns the ids '
    'that were still yours.';

CREATE FUNCTION queue_put_back(ids bigint[], token uuid, event_type text, delay_seconds double precision)
    RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    its_queue text;
    number integer;
BEGIN
    -- As it was, but for the time: it stands where no claim looks until it is due, or until a consumer that has the
    -- handler calls it.
    RETURN QUERY
    UPDATE message_queue m
    SET status = 'scheduled', next_retry_at = clock_timestamp() + make_interval(secs => delay_seconds),
        unhandled_type = queue_put_back.event_type, retry_count = greatest(m.retry_count - 1, 0),
        owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL
    WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
    RETURNING m.id;
    GET DIAGNOSTICS number = ROW_COUNT;
    -- the queue's rate is for what is handled
    SELECT m.queue INTO its_queue FROM message_queue m WHERE m.id = ids[1];
    PERFORM queue_tokens_return(its_queue, number);
END $$;
REVOKE EXECUTE ON FUNCTION queue_put_back(bigint[], uuid, text, double precision) FROM PUBLIC;
COMMENT ON FUNCTION queue_put_back(bigint[], uuid, text, double precision) IS
    'Puts messages back that you have no handler for, all of one event type: for a consumer that has it, else for '
    'delay_seconds later. The attempt is not counted. Returns the ids that were still yours.';

CREATE FUNCTION queue_note_outcomes(
    queue text, owner text, completed integer DEFAULT 0, retried integer DEFAULT 0, dead_lettered integer DEFAULT 0
) RETURNS void LANGUAGE sql
    SET search_path FROM CURRENT
AS $$
    INSERT INTO queue_activity AS a (queue, minute, consumer, completed, retried, dead_lettered)
    VALUES (queue_note_outcomes.queue, date_trunc('minute', clock_timestamp()), owner,
        queue_note_outcomes.completed, queue_note_outcomes.retried, queue_note_outcomes.dead_lettered)
    ON CONFLICT (queue, minute, consumer) DO UPDATE SET completed = a.completed + excluded.completed,
        retried = a.retried + excluded.retried, dead_lettered = a.dead_lettered + excluded.dead_lettered
$$;
REVOKE EXECUTE ON FUNCTION queue_note_outcomes(text, text, integer, integer, integer) FROM PUBLIC;
COMMENT ON FUNCTION queue_note_outcomes(text, text, integer, integer, integer) IS
    'Adds to what a consumer did with a queue in this minute. A row is one consumer''s: nobody waits for it.';

CREATE FUNCTION message_heal(ids bigint[], token uuid, how text DEFAULT '') RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
AS $$
DECLARE
    successes attempt[];
BEGIN
    WITH done AS MATERIALIZED (
        SELECT m.id, m.queue, m.dlq_event_id, m.revive_seq, m.owner, m.dequeued_time FROM message_queue m
        WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
        ORDER BY m.id FOR UPDATE
    ), healed AS (
        UPDATE dlq_events d SET status = 'SUCCEEDED'
        FROM done g
        WHERE d.id = g.dlq_event_id AND d.revive_count = g.revive_seq AND d.status = 'REVIVED'
        RETURNING d.id, g.queue || '/' || g.id AS message, g.owner AS worker, g.dequeued_time
    )
    SELECT array_agg(attempt('revive', 'succeeded', id, message, worker, dequeued_time, reason => how)) INTO successes
    FROM healed;
    PERFORM attempts_add(successes);
END $$;
REVOKE EXECUTE ON FUNCTION message_heal(bigint[], uuid, text) FROM PUBLIC;
COMMENT ON FUNCTION message_heal(bigint[], uuid, text) IS
    'The revived dead letters of these messages have SUCCEEDED; how is said where no handler of ours ran. Called '
    'before the messages go: their trigger settles only what is REVIVED still.';

CREATE FUNCTION message_remove(ids bigint[], token uuid, archive boolean, records event_record[] DEFAULT NULL,
    note boolean DEFAULT false) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET enable_bitmapscan = off
    SET jit = off
AS $$
DECLARE
    number integer;
    its_queue text;
    its_owner text;
BEGIN
    IF note THEN  -- claimed together, so of one queue
        SELECT m.queue, m.owner INTO its_queue, its_owner FROM message_queue m
        WHERE m.id = ANY (ids) AND m.lease_token = token LIMIT 1;
        archive := coalesce(archive, (SELECT q.retention = 'archive' FROM queues q WHERE q.name = its_queue), false);
    END IF;
    -- Almost no message is a revival, and none in the unlogged table.
    IF EXISTS (SELECT FROM ONLY message_queue m WHERE m.id = ANY (ids) AND m.dlq_event_id IS NOT NULL) THEN
        PERFORM message_heal(ids, token, CASE
            WHEN records IS NOT NULL THEN ''
            WHEN archive THEN 'Completed by its consumer, without a handler of ours; its message is archived'
            ELSE 'Completed by its consumer, without a handler of ours' END);
    END IF;
    IF records IS NULL AND NOT archive THEN
        RETURN QUERY
        DELETE FROM ONLY message_queue m
        WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
        RETURNING m.id;
        GET DIAGNOSTICS number = ROW_COUNT;
        IF number < cardinality(ids) THEN
            RETURN QUERY
            DELETE FROM message_queue_unlogged m
            WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
            RETURNING m.id;
        END IF;
    ELSE
        RETURN QUERY
        WITH gone AS (
            DELETE FROM message_queue m
            WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
            RETURNING m.id, m.dlq_event_id, m.payload, m.payload_raw, CASE WHEN archive THEN m END AS message
        ), kept AS MATERIALIZED (
            SELECT records_keep(array_agg(event_record(r.event_type, r.source, r.source_key, r.occurred_at, r.record,
                -- what was revived may have been edited: it is known by its dead letter
                CASE WHEN g.dlq_event_id IS NULL THEN r.digest END))) AS others
            FROM unnest(ids, records) r (id, event_type, source, source_key, occurred_at, record, digest)
            JOIN gone g USING (id)
            WHERE records IS NOT NULL
        ), beside AS MATERIALIZED (
            -- other bytes under a known source and key: another event, whose record stands beside the first one's
            SELECT records_keep(array_agg(event_record(o.event_type, o.source,
                dead_letter_key(o.source_key, g.payload, g.payload_raw), o.occurred_at, o.record, o.digest)))
            FROM kept, unnest(kept.others) o
            JOIN unnest(ids, records) r (id, event_type, source, source_key, occurred_at, record, digest)
                USING (source, source_key, digest)
            JOIN gone g ON g.id = r.id
        ), archived AS MATERIALIZED (
            SELECT message_archive_add(array_agg(g.message)) FROM gone g WHERE archive
        )
        SELECT g.id FROM gone g, beside, archived;
    END IF;
    IF its_queue IS NOT NULL THEN
        PERFORM queue_note_outcomes(its_queue, its_owner, completed => cardinality(ids));
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION message_remove(bigint[], uuid, boolean, event_record[], boolean) FROM PUBLIC;
COMMENT ON FUNCTION message_remove(bigint[], uuid, boolean, event_record[], boolean) IS
    'Claimed messages leave their queue, into the archive or not; records: what handlers made of them, in the order '
    'of ids. The revived dead letters among them have SUCCEEDED. note: also for the queue''s figures, and archive NULL: '
    'as its policy says. Returns the ids that were still the caller''s.';

CREATE FUNCTION queue_complete(ids bigint[], token uuid) RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$ SELECT message_remove(ids, token, NULL, note => true) $$;
REVOKE EXECUTE ON FUNCTION queue_complete(bigint[], uuid) FROM PUBLIC;
COMMENT ON FUNCTION queue_complete(bigint[], uuid) IS
    'The messages are done: they leave the queue, into the archive where its policy says so. A revived dead letter '
    'among them has SUCCEEDED. Returns the ids that were still yours; one that is missing lost its lease.';

CREATE FUNCTION queue_archive(ids bigint[], token uuid) RETURNS SETOF bigint LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$ SELECT message_remove(ids, token, true, note => true) $$;
REVOKE EXECUTE ON FUNCTION queue_archive(bigint[], uuid) FROM PUBLIC;
COMMENT ON FUNCTION queue_archive(bigint[], uuid) IS
    'As queue_complete, and into the archive whatever the queue''s policy.';
