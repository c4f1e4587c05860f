-- The claim: a message is yours until its lease runs out. Whoever completes, extends or gives back shows the token;
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
    SET jit = off
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
    SET jit = off
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
            RETURNING m.id, m.payload, m.payload_raw, m.headers, m.retry_count::integer, m.max_retries,
                m.priority, its_token, m.group_key::text, m.dlq_event_id, m.crash_count::smallint, archives, m.turn
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
