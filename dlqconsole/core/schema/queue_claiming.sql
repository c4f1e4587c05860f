-- Claiming: a message is yours until its lease runs out. Whoever completes, extends or gives back shows the token;
-- where that changes nothing, the lease was lost and somebody else has the message.

CREATE TYPE queued_message AS (
    id bigint,
    payload jsonb,
    payload_raw bytea,
    headers jsonb,
    retry_count integer,
    max_retries integer,
    priority smallint,
    token uuid,
    group_key text,
    dlq_event_id bigint,
    crash_count smallint,
    archives boolean,
    turn integer
);
COMMENT ON TYPE queued_message IS
    'A claimed message. payload is NULL where JSON cannot hold it: then payload_raw has the exact bytes. '
    'retry_count: attempts begun, this one included. max_retries: its own; NULL: the queue''s. token: proves the '
    'claim. dlq_event_id: the dead letter that it revives. archives: its queue keeps what was completed.';

CREATE FUNCTION message_event_type(queue text, payload jsonb, headers jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN CASE WHEN jsonb_typeof(payload) = 'object' AND payload ? 'specversion' THEN payload ->> 'type'
        ELSE coalesce(headers ->> 'ce_type', queue) END;
REVOKE EXECUTE ON FUNCTION message_event_type(text, jsonb, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION message_event_type(text, jsonb, jsonb) IS
    'Of which type a message''s event is, as whoever runs its handler reads it.';

-- The bucket holds one second's worth of claims, at least one.
CREATE FUNCTION queue_tokens_take(queue text, wanted integer, rate double precision) RETURNS integer LANGUAGE sql
    SET search_path FROM CURRENT
AS $$
    INSERT INTO queue_tokens AS t (queue, taken, tokens, filled_at)
    SELECT queue_tokens_take.queue, n, full_bucket - n, clock_timestamp()
    FROM (SELECT greatest(rate, 1) AS full_bucket) b, LATERAL (SELECT least(wanted, floor(full_bucket)) AS n) w
    ON CONFLICT (queue) DO UPDATE SET (taken, tokens, filled_at) = (
        SELECT n, filled - n, clock_timestamp()
        FROM (SELECT least(greatest(rate, 1),
                t.tokens + greatest(0, extract(epoch FROM clock_timestamp() - t.filled_at)) * rate) AS filled) f,
            LATERAL (SELECT least(wanted, floor(filled)) AS n) w
    )
    RETURNING taken
$$;
REVOKE EXECUTE ON FUNCTION queue_tokens_take(text, integer, double precision) FROM PUBLIC;
COMMENT ON FUNCTION queue_tokens_take(text, integer, double precision) IS
    'How many of the wanted claims the queue''s rate, in claims a second, allows now.';

CREATE FUNCTION queue_tokens_return(queue text, unused integer) RETURNS void LANGUAGE sql
    SET search_path FROM CURRENT
AS $$
    UPDATE queue_tokens t SET tokens = t.tokens + unused WHERE t.queue = queue_tokens_return.queue
$$;
REVOKE EXECUTE ON FUNCTION queue_tokens_return(text, integer) FROM PUBLIC;
COMMENT ON FUNCTION queue_tokens_return(text, integer) IS 'Gives back tokens for which there was no message.';

CREATE FUNCTION queue_stage(queue text) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
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

CREATE FUNCTION message_is_chosen(queue text, payload jsonb, headers jsonb, untried boolean, only_types text[],
    without_types text[], again_without_types text[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    event_type CONSTANT text := CASE WHEN payload IS NOT NULL THEN message_event_type(queue, payload, headers) END;
BEGIN
    RETURN (only_types IS NULL OR coalesce(event_type = ANY (only_types), false))
        AND (without_types IS NULL OR event_type IS NULL
            OR event_type <> ALL (without_types) AND (untried OR event_type <> ALL (again_without_types)));
END $$;
REVOKE EXECUTE ON FUNCTION message_is_chosen(text, jsonb, jsonb, boolean, text[], text[], text[]) FROM PUBLIC;
COMMENT ON FUNCTION message_is_chosen(text, jsonb, jsonb, boolean, text[], text[], text[]) IS
    'Whether a consumer that breakers keep from some event types takes this message. without_types also lets through '
    'what is no JSON, whose type cannot be told here; of again_without_types only the untried are taken.';

CREATE FUNCTION message_take_over(ids bigint[]) RETURNS void LANGUAGE sql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
AS $$
    -- Of several that a consumer held when it died nobody knows which it had begun: none is charged, and the first that
    -- is alone in a consumer's hands when that dies, too, is charged with both.
    UPDATE message_queue m
    SET crash_count = m.crash_count + m.charge, charge = CASE WHEN m.charge = 0 THEN 2 ELSE 1 END,
        last_error = 'the consumer ' || coalesce(m.owner, '?') || ' stopped while holding this message'
    WHERE m.id = ANY (ids) AND m.status = 'processing'
$$;
REVOKE EXECUTE ON FUNCTION message_take_over(bigint[]) FROM PUBLIC;
COMMENT ON FUNCTION message_take_over(bigint[]) IS
    'Counts the crash of the consumers that held these messages. Whoever calls has locked them, and claims them now.';

-- The planner has one way only: by the index, in the queue's order. A plan made while the queue was empty must suit a
-- million messages. Two statements, each as short as may be: to begin one costs more than to claim a message by it.
CREATE FUNCTION queue_take(
    queue text, number integer, lease_seconds double precision, owner text, condition jsonb DEFAULT NULL,
    group_key text DEFAULT NULL, from_turn integer DEFAULT -65535, from_id bigint DEFAULT 0,
    only_types text[] DEFAULT NULL, without_types text[] DEFAULT NULL, again_without_types text[] DEFAULT '{}',
    blameless boolean DEFAULT false
) RETURNS SETOF queued_message LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    policy queues;
    -- LIMIT NULL would be all of them
    allowance integer := least(greatest(coalesce(number, 1), 0), 10000);
    every_type CONSTANT boolean := only_types IS NULL AND without_types IS NULL;
    moment CONSTANT timestamptz := clock_timestamp();
    fifo boolean;
    archives boolean;
    due bigint[];
    crashes integer[];
    alone boolean;
    until timestamptz;
    its_token uuid;
    claims integer := 0;
BEGIN
    SELECT * INTO policy FROM queues q WHERE q.name = queue_take.queue;
    IF policy.unlogged THEN
        RETURN QUERY SELECT * FROM queue_take_unlogged(queue_take.queue, number, lease_seconds, owner, condition,
            queue_take.group_key, from_turn, from_id, only_types, without_types, again_without_types, blameless);
        RETURN;
    END IF;
    IF policy.paused THEN
        RETURN;
    END IF;
    IF policy.rate_limit IS NOT NULL THEN
        allowance := queue_tokens_take(queue_take.queue, allowance, policy.rate_limit);
        IF allowance <= 0 THEN
            RETURN;
        END IF;
    END IF;
    fifo := coalesce(policy.fifo_groups, true);
    SELECT array_agg(d.id), array_agg(d.crashes) INTO due, crashes
    FROM (
        -- What a dead consumer holds still stands here, its lease run out, and is taken over.
        SELECT m.id, m.crash_count + (m.status = 'processing')::int AS crashes
        FROM ONLY message_queue m
        WHERE m.queue = queue_take.queue AND m.phase = 'live' AND (m.turn, m.id) >= (from_turn, from_id)
            AND (m.status = 'pending' OR m.lease_until < moment)
            AND (queue_take.condition IS NULL OR m.payload @> queue_take.condition)
            AND (queue_take.group_key IS NULL OR m.group_key = queue_take.group_key)
            AND (every_type OR message_is_chosen(m.queue, m.payload, m.headers,
                m.retry_count = 0 AND m.dlq_event_id IS NULL, only_types, without_types, again_without_types))
            AND (
                m.group_key IS NULL
                OR NOT fifo
                -- The one of its group that may be taken. What is in flight is taken over, its lease run out, even
                -- where an earlier one was committed after it had begun: else each would wait for the other.
                OR (m.status = 'processing' OR NOT EXISTS (
                    SELECT 1 FROM ONLY message_queue e
                    WHERE e.queue = m.queue AND e.group_key = m.group_key
                        AND (e.group_key, e.id) < (m.group_key, m.id)  -- by the groups' own index
                )) AND NOT EXISTS (
                    SELECT 1 FROM ONLY message_queue e
                    WHERE e.queue = m.queue AND e.group_in_flight = m.group_key AND e.id <> m.id
                )
            )
        ORDER BY m.turn, m.id
        LIMIT allowance
        FOR UPDATE OF m SKIP LOCKED
    ) d;
    alone := cardinality(due) = 1 OR crashes[1] > 0;
    IF 0 < ANY (crashes) THEN
        IF NOT blameless THEN
            -- What was in a consumer's hands when it died is claimed alone: one of them may have killed it, and the
            -- others must not be blamed with it a second time.
            due := CASE WHEN crashes[1] > 0 THEN due[1:1]
                ELSE ARRAY(SELECT u.id FROM unnest(due, crashes) u (id, crashes) WHERE u.crashes = 0) END;
        END IF;
        PERFORM message_take_over(due);
    END IF;
    IF due IS NOT NULL THEN
        archives := coalesce(policy.retention = 'archive', false);
        until := clock_timestamp()
            + make_interval(secs => coalesce(queue_take.lease_seconds, policy.lease_seconds, 60));
        its_token := gen_random_uuid();  -- one for all that is claimed now
        RETURN QUERY
        WITH claimed AS (
            UPDATE ONLY message_queue m
            SET status = 'processing', retry_count = m.retry_count + 1, owner = queue_take.owner,
                lease_token = its_token, lease_until = until, dequeued_time = clock_timestamp(),
                charge = CASE WHEN blameless THEN 0 WHEN m.status = 'processing' THEN m.charge
                    WHEN alone THEN 1 ELSE 0 END,
                group_in_flight = CASE WHEN fifo THEN m.group_key END
            WHERE m.id = ANY (due)
            RETURNING m.id, m.payload, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.priority, its_token,
                m.group_key::text, m.dlq_event_id, m.crash_count, archives, m.turn
        )
        SELECT * FROM claimed c ORDER BY c.turn, c.id;
        GET DIAGNOSTICS claims = ROW_COUNT;
    END IF;
    IF policy.rate_limit IS NOT NULL AND claims < allowance THEN
        PERFORM queue_tokens_return(queue_take.queue, allowance - claims);
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION queue_take(text, integer, double precision, text, jsonb, text, integer, bigint, text[], text[], text[], boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_take(text, integer, double precision, text, jsonb, text, integer, bigint, text[], text[], text[], boolean) IS
    'Claims due messages of a queue that is not paused, in its order, as many as its rate allows. from_turn and '
    'from_id: where the caller''s last claim ended. The types are for a consumer that breakers keep from some. A '
    'consumer that does its chores itself calls this; any other one calls queue_claim.';

-- An unlogged queue has messages in both tables. The same function, which stands once: over both a claim takes a fifth
-- longer.
DO $$
BEGIN
    EXECUTE replace(replace(regexp_replace(pg_get_functiondef('queue_take'::regproc), '\mqueue_take\M',
        'queue_take_unlogged', 'g'), 'ONLY message_queue', 'message_queue'), 'IF policy.unlogged', 'IF false');
END $$;
REVOKE EXECUTE ON FUNCTION queue_take_unlogged(text, integer, double precision, text, jsonb, text, integer, bigint, text[], text[], text[], boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_take_unlogged(text, integer, double precision, text, jsonb, text, integer, bigint, text[], text[], text[], boolean) IS
    'The claim of an unlogged queue, made of queue_take.';

CREATE FUNCTION queue_owner(owner text) RETURNS text LANGUAGE sql STABLE
    RETURN left(coalesce(nullif(owner, ''), session_actor() || ' ' || pg_backend_pid()), 200);
REVOKE EXECUTE ON FUNCTION queue_owner(text) FROM PUBLIC;
COMMENT ON FUNCTION queue_owner(text) IS
    'By what name a consumer is known: its own, else its account, program and session.';

CREATE FUNCTION queue_call_forgotten(queue text) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
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
