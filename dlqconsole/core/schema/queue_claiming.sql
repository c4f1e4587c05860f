-- What a consumer in SQL claims by: queue_take, and the chores that our consumers do themselves.

CREATE FUNCTION queue_stage(queue text) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    moment CONSTANT timestamptz := clock_timestamp();
    number bigint;
BEGIN
    -- Said as one range of the queue's own index: an equality would let the planner walk over what has come due on
    -- others.
    UPDATE message_queue m SET status = 'pending'
    WHERE id = ANY (ARRAY(
        SELECT id FROM message_queue
        WHERE queue >= queue_stage.queue AND (queue, next_retry_at) <= (queue_stage.queue, moment)
            AND phase = 'scheduled'
        ORDER BY queue, next_retry_at
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS number = ROW_COUNT;
    RETURN number;
END $$;
REVOKE EXECUTE ON FUNCTION queue_stage(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_stage(text) IS
    'Makes messages of a queue claimable that have come due, a thousand at most; their number.';

CREATE FUNCTION queue_owner(owner text) RETURNS text LANGUAGE sql STABLE
    RETURN left(coalesce(nullif(owner, ''), session_actor() || ' ' || pg_backend_pid()), 200);
REVOKE EXECUTE ON FUNCTION queue_owner(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_owner(text) IS
    'By what name a consumer is known: its own, else its account, program and session.';

CREATE FUNCTION queue_call_forgotten(queue text) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    keys text[];
    last text := '';
    called bigint := 0;
BEGIN
    -- When a message leaves its table, a trigger calls the next of its group, but cannot see messages that are sent in
    -- the same moment. From key to key by index, however many messages each has.
    LOOP
        WITH RECURSIVE next AS (
            (SELECT m.group_key FROM message_queue m
             WHERE m.queue = queue_call_forgotten.queue AND m.group_key > last ORDER BY m.group_key LIMIT 1)
            UNION ALL
            SELECT (SELECT m.group_key FROM message_queue m
                    WHERE m.queue = queue_call_forgotten.queue AND m.group_key > n.group_key
                    ORDER BY m.group_key LIMIT 1)
            FROM next n WHERE n.group_key IS NOT NULL
        )
        SELECT array_agg(page.group_key ORDER BY page.group_key) INTO keys
        FROM (SELECT n.group_key FROM next n WHERE n.group_key IS NOT NULL LIMIT 1000) page;
        EXIT WHEN keys IS NULL;
        called := called + message_queue_call_next(
            array_fill(queue_call_forgotten.queue, ARRAY[cardinality(keys)]), keys);
        last := keys[cardinality(keys)];
    END LOOP;
    RETURN called;
END $$;
REVOKE EXECUTE ON FUNCTION queue_call_forgotten(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_call_forgotten(text) IS
    'Calls heads of groups whose predecessor left while they were being sent; their number.';

CREATE FUNCTION queue_note_consumer(queue text, owner text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    IF EXISTS (
        SELECT FROM handler_reports r
        WHERE r.worker = queue_note_consumer.owner AND queue_note_consumer.queue = ANY (r.queues)
            AND r.seen_at > clock_timestamp() - interval '5 seconds'
    ) THEN
        RETURN;
    END IF;
    INSERT INTO handler_reports AS r (worker, role, queues, event_types, rehearsable, unhandled, seen_at)
    VALUES (queue_note_consumer.owner, 'sql', ARRAY[queue_note_consumer.queue], '{}', '{}', '{}', clock_timestamp())
    ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at,
        queues = ARRAY(SELECT unnest(r.queues) UNION SELECT unnest(excluded.queues))
    WHERE r.role = 'sql';
    DELETE FROM handler_reports
    WHERE worker = ANY (ARRAY(
        SELECT r.worker FROM handler_reports r
        WHERE r.seen_at < clock_timestamp() - interval '10 minutes' FOR UPDATE SKIP LOCKED
    ));
    PERFORM queue_call_forgotten(queue_note_consumer.queue);
END $$;
REVOKE EXECUTE ON FUNCTION queue_note_consumer(text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_note_consumer(text, text) IS
    'Notes every few seconds that a consumer in SQL runs, and does the queue''s chores.';

CREATE FUNCTION queue_can_claim(queue text, condition jsonb, group_key text) RETURNS boolean LANGUAGE sql STABLE
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
AS $$
    SELECT p.paused IS NOT TRUE AND (
            SELECT least(greatest(p.rate_limit, 1), t.tokens + p.rate_limit
                * greatest(0, extract(epoch FROM clock_timestamp() - t.filled_at))) >= 1
            FROM queue_tokens t WHERE t.queue = queue_can_claim.queue
        ) IS NOT FALSE AND (EXISTS (
            SELECT FROM message_queue m
            WHERE m.queue = queue_can_claim.queue AND m.phase = 'live'
                AND (m.status = 'pending' OR m.lease_until < clock_timestamp())
                AND (condition IS NULL OR m.payload @> condition)
                AND (queue_can_claim.group_key IS NULL OR m.group_key = queue_can_claim.group_key)
        ) OR EXISTS (
            SELECT FROM message_queue m
            WHERE m.queue >= queue_can_claim.queue AND m.phase = 'scheduled'
                AND (m.queue, m.next_retry_at) <= (queue_can_claim.queue, clock_timestamp())
                AND (condition IS NULL OR m.payload @> condition)
                AND (queue_can_claim.group_key IS NULL OR m.group_key = queue_can_claim.group_key)
        ))
    FROM (SELECT) one LEFT JOIN queues p ON p.name = queue_can_claim.queue
$$;
REVOKE EXECUTE ON FUNCTION queue_can_claim(text, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_can_claim(text, jsonb, text) IS
    'Whether a claim would very likely get a message now. It only reads, so whoever waits locks nothing.';

CREATE FUNCTION queue_claim(
    queue text, number integer DEFAULT 1, lease_seconds double precision DEFAULT NULL, owner text DEFAULT NULL,
    wait_seconds double precision DEFAULT 0, condition jsonb DEFAULT NULL, group_key text DEFAULT NULL,
    blameless boolean DEFAULT false
) RETURNS SETOF queued_message LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    its_owner CONSTANT text := queue_owner(owner);
    until timestamptz := clock_timestamp() + make_interval(secs => least(coalesce(wait_seconds, 0), 60));
    claim queued_message;
    claims integer := 0;
    met boolean;
    again boolean := false;
BEGIN
    -- A session whose program was killed must not claim. PostgreSQL looks for the program from the next statement on.
    IF until > clock_timestamp() AND current_setting('client_connection_check_interval') = '0' THEN
        PERFORM set_config('client_connection_check_interval', '1s', false);
        until := clock_timestamp();
    END IF;
    -- Nothing is written until there is something to claim: what this transaction locks, others wait for.
    WHILE clock_timestamp() < until AND NOT queue_can_claim(queue_claim.queue, queue_claim.condition, queue_claim.group_key)
    LOOP
        PERFORM pg_sleep(0.05);
    END LOOP;
    PERFORM queue_note_consumer(queue_claim.queue, its_owner);
    LOOP
        -- first what has come due: on a busy queue it would wait for ever
        met := queue_stage(queue_claim.queue) > 0;
        FOR claim IN SELECT * FROM queue_take(queue_claim.queue, queue_claim.number, queue_claim.lease_seconds,
            its_owner, queue_claim.condition, queue_claim.group_key, blameless => queue_claim.blameless)
        LOOP
            met := true;
            IF claim.crash_count >= most_crashes() THEN
                PERFORM message_quarantine(claim.id, claim.token);
            ELSE
                claims := claims + 1;
                RETURN NEXT claim;
            END IF;
        END LOOP;
        EXIT WHEN claims > 0;
        CONTINUE WHEN met;
        EXIT WHEN again;
        again := true;
        -- Producers wake who waits. NOTIFY takes a lock of the whole cluster, so nobody is woken who has enough to do.
        INSERT INTO queue_sleepers AS s (queue, consumer, until)
        VALUES (queue_claim.queue, its_owner, clock_timestamp() + interval '1 minute')
        ON CONFLICT (queue, consumer) DO UPDATE SET until = excluded.until
        WHERE s.until < clock_timestamp() + interval '30 seconds';
        -- This row was known to all who send from now on, or they are refused the lock and wake us: look once more.
        -- Where somebody holds it who may not have seen us, the next claim finds what he sends.
        EXIT WHEN NOT FOUND OR NOT pg_try_advisory_xact_lock(1145852241, hashtext(queue_claim.queue));
    END LOOP;
    IF claims > 0 THEN
        UPDATE queue_sleepers s SET until = '-infinity'
        WHERE s.queue = queue_claim.queue AND s.consumer = its_owner AND s.until > clock_timestamp();
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION queue_claim(text, integer, double precision, text, double precision, jsonb, text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_claim(text, integer, double precision, text, double precision, jsonb, text, boolean) IS
    'Claims up to number due messages, in the queue''s order: yours for lease_seconds, by default the queue''s. '
    'Waits up to wait_seconds, 60 at most, for the first; without a row, another consumer was quicker. The first call '
    'of a session does not wait where client_connection_check_interval is 0: it sets it, so that no session waits whose '
    'program is gone. condition: only what payload @> condition finds; group_key: only of this group; blameless: should you die, no message is '
    'charged with it. Commit before you begin to work: only then is the attempt counted. After a claim in vain you '
    'are woken for a minute: LISTEN message_queue, and the notice''s text is the queue''s name.';

CREATE FUNCTION queue_claimed(token uuid, first_id bigint, last_id bigint) RETURNS SETOF queued_message LANGUAGE sql
    STABLE SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT m.id, m.payload, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.priority, m.lease_token,
        m.group_key::text, m.dlq_event_id, m.crash_count, false, m.turn
    FROM message_queue m
    WHERE m.id BETWEEN first_id AND last_id AND m.lease_token = token AND m.status = 'processing'
    ORDER BY m.id
$$;
REVOKE EXECUTE ON FUNCTION queue_claimed(uuid, bigint, bigint) FROM PUBLIC;
COMMENT ON FUNCTION queue_claimed(uuid, bigint, bigint) IS
    'What of a claim is held still, by number: for the workers of a program that has claimed for all of them.';

CREATE FUNCTION queue_pop(queue text, number integer DEFAULT 1, owner text DEFAULT NULL)
    RETURNS SETOF queued_message LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
AS $$
DECLARE
    claims queued_message[];
    ids bigint[];
BEGIN
    PERFORM queue_stage(queue);
    claims := ARRAY(SELECT c FROM queue_take(queue, number, NULL, queue_owner(owner)) c);
    ids := ARRAY(SELECT c.id FROM unnest(claims) c);
    IF EXISTS (SELECT FROM unnest(claims) c WHERE c.dlq_event_id IS NOT NULL) THEN
        PERFORM message_heal(ids, claims[1].token, 'Popped, without a handler of ours: taken at most once');
    END IF;
    DELETE FROM message_queue m WHERE m.id = ANY (ids) AND m.lease_token = claims[1].token;
    RETURN QUERY SELECT * FROM unnest(claims);
END $$;
REVOKE EXECUTE ON FUNCTION queue_pop(text, integer, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_pop(text, integer, text) IS
    'Takes up to number due messages off a queue for good, at most once: what you lose then is lost. A revived dead '
    'letter among them has SUCCEEDED. Use queue_claim for what must not be lost.';
