-- What becomes of a claimed message that has failed: it is tried again after a wait, or becomes a dead letter.

CREATE FUNCTION most_crashes() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;
REVOKE EXECUTE ON FUNCTION most_crashes() FROM PUBLIC;
COMMENT ON FUNCTION most_crashes() IS 'A message that has ended so many of its consumers is quarantined.';

CREATE FUNCTION most_timeouts() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5;
REVOKE EXECUTE ON FUNCTION most_timeouts() FROM PUBLIC;
COMMENT ON FUNCTION most_timeouts() IS 'Nor is an event tried again by a machine after so many timeouts.';

CREATE FUNCTION backoff_seconds(attempts integer, base double precision, factor double precision, cap double precision,
    jitter double precision) RETURNS double precision LANGUAGE sql VOLATILE PARALLEL SAFE
    -- 2 ** 20 seconds is twelve days: any sensible cap is reached long before, and no float overflows
    RETURN least(cap, base * factor ^ least(greatest(attempts, 1) - 1, 20)) * (1 - jitter + jitter * random());
REVOKE EXECUTE ON FUNCTION backoff_seconds(integer, double precision, double precision, double precision, double precision) FROM PUBLIC;
COMMENT ON FUNCTION backoff_seconds(integer, double precision, double precision, double precision, double precision) IS
    'The wait after so many failed attempts: base x factor^(attempts-1), at most cap. jitter is the share of it that '
    'is drawn by lot.';

CREATE TYPE failure_step AS (status text, delay_seconds double precision);
COMMENT ON TYPE failure_step IS
    'What a failure makes of a message: a dead letter in this status, or, where status is NULL, another attempt after '
    'so many seconds.';

CREATE FUNCTION failed_message_step(
    reason text, category text, fatal boolean, crashes integer, letter bigint, its_message text, attempts integer,
    max_retries integer, base double precision, factor double precision, cap double precision, jitter double precision
) RETURNS failure_step LANGUAGE plpgsql VOLATILE
    SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN CASE
        WHEN fatal AND crashes + 1 >= most_crashes()
            OR dead_letter_times_out(letter, its_message, reason, most_timeouts()) THEN ROW('QUARANTINED', NULL)::failure_step
        -- what may heal by itself; people look at the other categories
        WHEN category IN ('TRANSIENT', 'DEPENDENCY', 'UNKNOWN') AND attempts <= max_retries
            THEN ROW(NULL, backoff_seconds(attempts, base, factor, cap, jitter))::failure_step
        -- what cannot be read will not read better tomorrow
        WHEN dead_letter_error_class(reason) IN ('MalformedEvent', 'PayloadTooLarge') THEN ROW('QUARANTINED', NULL)::failure_step
        ELSE ROW('PENDING', NULL)::failure_step
    END;
END $$;
REVOKE EXECUTE ON FUNCTION failed_message_step(text, text, boolean, integer, bigint, text, integer, integer, double precision, double precision, double precision, double precision) FROM PUBLIC;
COMMENT ON FUNCTION failed_message_step(text, text, boolean, integer, bigint, text, integer, integer, double precision, double precision, double precision, double precision) IS
    'The next step of a message that has failed, on any queue. category: by the rules. crashes: earlier ones; NULL '
    'where its system counts none. letter: the dead letter that it revives. attempts: begun so far.';

CREATE TYPE message_identity AS (event_type text, source text, source_key text);
COMMENT ON TYPE message_identity IS 'Who a message''s event is. source and source_key are unique together.';

CREATE FUNCTION message_identity(message message_queue) RETURNS message_identity LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT CASE
            -- one that does not name itself well is known by its place
            WHEN e.ce ->> 'type' <> '' AND e.ce ->> 'source' <> '' AND e.ce ->> 'id' <> ''
                AND greatest(length(e.ce ->> 'type'), length(e.ce ->> 'source'), length(e.ce ->> 'id')) <= 512
                THEN ROW(e.ce ->> 'type', e.ce ->> 'source', e.ce ->> 'id')::message_identity
            ELSE ROW(e.queue, 'queue:' || e.queue, e.id::text)::message_identity END
        FROM (
            SELECT message.queue::text AS queue, message.id AS id, CASE
                WHEN jsonb_typeof(message.payload) = 'object' AND message.payload ? 'specversion' THEN (
                    -- attributes are texts
                    SELECT jsonb_object_agg(a.key, a.value) FROM jsonb_each(message.payload) a
                    WHERE a.key IN ('type', 'source', 'id') AND jsonb_typeof(a.value) = 'string')
                ELSE jsonb_build_object(
                    'type', coalesce(message.headers ->> 'ce_type', message.queue),
                    'source', coalesce(message.headers ->> 'ce_source', 'queue:' || message.queue),
                    'id', coalesce(message.headers ->> 'ce_id', message.id::text)) END AS ce
        ) e
    );
REVOKE EXECUTE ON FUNCTION message_identity(message_queue) FROM PUBLIC;
COMMENT ON FUNCTION message_identity(message_queue) IS
    'Who a message''s event is: what a CloudEvent says of itself, else its headers ce_type, ce_source and ce_id, '
    'else its queue and its number.';

CREATE FUNCTION message_retry(message message_queue, delay_seconds double precision, reason text, category text,
    stacktrace text, fatal boolean) RETURNS timestamptz LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
AS $$
DECLARE
    due timestamptz;
BEGIN
    UPDATE message_queue m
    SET status = CASE WHEN delay_seconds > 0 THEN 'scheduled' ELSE 'pending' END,
        next_retry_at = clock_timestamp() + make_interval(secs => delay_seconds), last_error = reason,
        owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL,
        crash_count = CASE WHEN fatal THEN m.crash_count + 1 ELSE 0 END, unhandled_type = NULL
    WHERE m.id = message.id
    RETURNING m.next_retry_at INTO due;
    PERFORM attempts_add(ARRAY[attempt(CASE WHEN message.dlq_event_id IS NULL THEN 'queue' ELSE 'revive' END, 'failed',
        message.dlq_event_id, message.queue || '/' || message.id, message.owner, message.dequeued_time,
        category => message_retry.category, reason => message_retry.reason, stacktrace => message_retry.stacktrace)]);
    RETURN due;
END $$;
REVOKE EXECUTE ON FUNCTION message_retry(message_queue, double precision, text, text, text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION message_retry(message_queue, double precision, text, text, text, boolean) IS
    'A claimed message has failed and is tried again. The attempt is kept, for the dead letter that it may become or '
    'was. Whoever calls has locked the message.';

CREATE FUNCTION message_bury(message message_queue, who message_identity, failed_as text, reason text, category text,
    stacktrace text, fatal boolean, delay_seconds double precision, max_retries integer)
    RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    its_name CONSTANT text := message.queue || '/' || message.id;
    crashes CONSTANT integer := CASE WHEN fatal THEN message.crash_count + 1 ELSE 0 END;
    letter dlq_events;
    letter_id bigint;
    closed text;
BEGIN
    -- a revived message that fails again: the same row returns
    UPDATE dlq_events d
    SET status = dead_letter_becomes(failed_as, d.retry_count, coalesce(d.max_retries, message_bury.max_retries)),
        error_reason = message_bury.reason, error_category = message_bury.category,
        error_stacktrace = message_bury.stacktrace, occurrences = d.occurrences + 1,
        retry_count = d.retry_count + message.retry_count, crash_count = d.crash_count + crashes,
        last_failure_at = clock_timestamp(), retry_after = clock_timestamp() + make_interval(secs => delay_seconds)
    WHERE d.id = message.dlq_event_id AND d.revive_count = message.revive_seq AND d.status = 'REVIVED'
    RETURNING d.id INTO letter_id;
    IF letter_id IS NULL THEN
        letter.event_type := who.event_type;
        letter.payload := message.payload;
        letter.payload_raw := message.payload_raw;
        letter.headers := message.headers;
        letter.error_reason := reason;
        letter.error_category := category;
        letter.error_stacktrace := stacktrace;
        letter.status := failed_as;
        letter.retry_count := message.retry_count;
        letter.retry_after := clock_timestamp() + make_interval(secs => delay_seconds);
        letter.source := who.source;
        letter.source_key := who.source_key;
        letter.queue := message.queue;
        letter.group_key := message.group_key;
        letter.original_message_id := message.id;
        letter.crash_count := crashes;
        letter.first_failure_at := coalesce((
            SELECT min(a.finished_at) FROM dlq_attempts a WHERE a.message = its_name AND a.dlq_event_id IS NULL
        ), message.dequeued_time, clock_timestamp());
        SELECT a.id, a.reopened_from INTO letter_id, closed FROM dead_letter_add(letter) a;
    END IF;
    -- its attempts on the queue are the dead letter's
    UPDATE dlq_attempts a SET dlq_event_id = letter_id WHERE a.message = its_name AND a.dlq_event_id IS NULL;
    PERFORM attempts_add(ARRAY[attempt(CASE WHEN message.dlq_event_id IS NULL THEN 'queue' ELSE 'revive' END, 'failed',
        letter_id, its_name, message.owner, message.dequeued_time, category => message_bury.category,
        reason => message_bury.reason, stacktrace => message_bury.stacktrace, reopened_from => closed)]);
    DELETE FROM message_queue m WHERE m.id = message.id;
    RETURN letter_id;
END $$;
REVOKE EXECUTE ON FUNCTION message_bury(message_queue, message_identity, text, text, text, text, boolean, double precision, integer) FROM PUBLIC;
COMMENT ON FUNCTION message_bury(message_queue, message_identity, text, text, text, text, boolean, double precision, integer) IS
    'A claimed message becomes a dead letter, or the one that it revives returns; its id. Whoever calls has locked '
    'the message. max_retries: of the schedule.';

CREATE TYPE failure_outcome AS (outcome text, next_retry_at timestamptz, dead_letter_id bigint);
COMMENT ON TYPE failure_outcome IS
    'What became of a failed message: outcome is retry or dead_letter, with the time or the number that goes with it.';

CREATE FUNCTION message_fail(
    id bigint, token uuid, reason text, category text DEFAULT 'UNKNOWN', stacktrace text DEFAULT '',
    fatal boolean DEFAULT false, who message_identity DEFAULT NULL, step failure_step DEFAULT NULL,
    letter_delay double precision DEFAULT 0, letter_max_retries integer DEFAULT NULL, ruled_category text DEFAULT NULL,
    note boolean DEFAULT false
) RETURNS SETOF failure_outcome LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path FROM CURRENT
    SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
    SET jit = off
AS $$
DECLARE
    message message_queue;
    policy queues;
    ruled text := coalesce(ruled_category, category, 'UNKNOWN');
BEGIN
    -- what a program leaves out may come as NULL
    category := coalesce(category, 'UNKNOWN');
    reason := coalesce(reason, '');
    stacktrace := coalesce(stacktrace, '');
    PERFORM error_category_check(category);
    SELECT * INTO message FROM message_queue m
    WHERE m.id = message_fail.id AND m.lease_token = token AND m.status = 'processing' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    who := coalesce(who, message_identity(message));
    IF step IS NULL THEN
        policy := queue_policy(message.queue);
        IF ruled_category IS NULL AND EXISTS (SELECT FROM failure_rules r WHERE r.enabled AND r.category <> '') THEN
            ruled := (dead_letter_classify(who.event_type, category, false, reason, stacktrace)).category;
        END IF;
        step := failed_message_step(reason, ruled, fatal, message.crash_count, message.dlq_event_id,
            message.queue || '/' || message.id, message.retry_count,
            coalesce(message.max_retries, policy.max_retries), policy.backoff_base_seconds, policy.backoff_factor,
            policy.backoff_cap_seconds, policy.backoff_jitter);
    END IF;
    IF step.status IS NULL THEN
        RETURN NEXT ROW('retry', message_retry(message, step.delay_seconds, reason, category, stacktrace, fatal),
            NULL)::failure_outcome;
    ELSE
        IF letter_max_retries IS NULL THEN
            SELECT l.max_retries, CASE WHEN l.longest_wait IS NULL THEN l.first_wait
                ELSE backoff_seconds(1, l.first_wait, 2, l.longest_wait, 1) END
            INTO letter_max_retries, letter_delay
            FROM retry_limits(who.event_type,
                (dead_letter_classify(who.event_type, category, false, reason, stacktrace)).group_id) l;
        END IF;
        RETURN NEXT ROW('dead_letter', NULL, message_bury(message, who, step.status, reason, category, stacktrace,
            fatal, letter_delay, letter_max_retries))::failure_outcome;
    END IF;
    IF note THEN
        PERFORM queue_note_outcomes(message.queue, message.owner,
            retried => (step.status IS NULL)::integer, dead_lettered => (step.status IS NOT NULL)::integer);
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION message_fail(bigint, uuid, text, text, text, boolean, message_identity, failure_step, double precision, integer, text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION message_fail(bigint, uuid, text, text, text, boolean, message_identity, failure_step, double precision, integer, text, boolean) IS
    'A claimed message has failed: it is tried again, or becomes a dead letter, as its queue''s policy says, or as '
    'step does. ruled_category: where the rules were asked already. letter_delay and letter_max_retries: the '
    'schedule''s, where the caller knows them. note: also for the queue''s figures. No row: '
    'the lease was lost.';

CREATE FUNCTION queue_fail(
    id bigint, token uuid, error_reason text, error_category text DEFAULT 'UNKNOWN', error_stacktrace text DEFAULT '',
    fatal boolean DEFAULT false
) RETURNS SETOF failure_outcome LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path FROM CURRENT
AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace, fatal, note => true)
$$;
REVOKE EXECUTE ON FUNCTION queue_fail(bigint, uuid, text, text, text, boolean) FROM PUBLIC;
COMMENT ON FUNCTION queue_fail(bigint, uuid, text, text, text, boolean) IS
    'A claimed message has failed. The queue''s policy decides: it is tried again after a wait, or becomes a dead '
    'letter. error_reason: ErrorClass: message. error_category: TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS or UNKNOWN. '
    'fatal: it ended the process of its handler. Returns no row where the lease was lost.';

CREATE FUNCTION queue_retry(
    id bigint, token uuid, delay_seconds double precision, error_reason text, error_category text DEFAULT 'UNKNOWN',
    error_stacktrace text DEFAULT ''
) RETURNS SETOF failure_outcome LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path FROM CURRENT
AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace,
        step => ROW(NULL, greatest(delay_seconds, 0))::failure_step, note => true)
$$;
REVOKE EXECUTE ON FUNCTION queue_retry(bigint, uuid, double precision, text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_retry(bigint, uuid, double precision, text, text, text) IS
    'As queue_fail, and it is tried again after delay_seconds, however often it has failed.';

CREATE FUNCTION queue_give_up(
    id bigint, token uuid, error_reason text, error_category text DEFAULT 'UNKNOWN', error_stacktrace text DEFAULT ''
) RETURNS SETOF failure_outcome LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path FROM CURRENT
AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace,
        step => ROW('PENDING', NULL)::failure_step, note => true)
$$;
REVOKE EXECUTE ON FUNCTION queue_give_up(bigint, uuid, text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION queue_give_up(bigint, uuid, text, text, text) IS
    'As queue_fail, and it becomes a dead letter at once. A revived one returns to its dead letter, as a relapse.';

CREATE FUNCTION message_quarantine(id bigint, token uuid) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    crashes integer := (SELECT m.crash_count FROM message_queue m WHERE m.id = message_quarantine.id);
BEGIN
    -- Nothing has begun with this claim. What is told now is the crash that it has just noted as the last one.
    WITH noted AS (
        DELETE FROM dlq_attempts a
        WHERE a.id = (
            SELECT max(c.id) FROM message_queue m JOIN dlq_attempts c
                ON c.message = m.queue || '/' || m.id AND c.dlq_event_id IS NOT DISTINCT FROM m.dlq_event_id
            WHERE m.id = message_quarantine.id AND c.kind = 'crash')
        RETURNING a.worker, a.started_at
    )
    UPDATE message_queue m
    SET retry_count = m.retry_count - 1, crash_count = crashes - 1, owner = noted.worker, dequeued_time = noted.started_at
    FROM noted WHERE m.id = message_quarantine.id;
    PERFORM message_fail(id, token,
        format('ConsumerCrashed: its consumer stopped %s times while it held this message', crashes),
        fatal => true, step => ROW('QUARANTINED', NULL)::failure_step, note => true);
END $$;
REVOKE EXECUTE ON FUNCTION message_quarantine(bigint, uuid) FROM PUBLIC;
COMMENT ON FUNCTION message_quarantine(bigint, uuid) IS 'A claimed message that ended its consumers is no more tried.';
