-- Due dead letters: what policies say of them, how they are claimed, and what an attempt makes of them. Our schedule and
-- a scheduler of yours call the same functions.

CREATE TABLE retry_settings (
    one boolean NOT NULL DEFAULT true,
    max_retries integer NOT NULL,
    backoff_base_seconds double precision NOT NULL,
    backoff_cap_seconds double precision NOT NULL,
    come_backs integer NOT NULL,
    breaker_failures integer NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT retry_settings_pkey PRIMARY KEY (one),
    CONSTRAINT retry_settings_one CHECK (one)
);
COMMENT ON TABLE retry_settings IS
    'The settings of our schedule that functions here need; no row until it has had a tick: their defaults.';
COMMENT ON COLUMN retry_settings.max_retries IS 'DLQ_RETRY_MAX_RETRIES';
COMMENT ON COLUMN retry_settings.backoff_base_seconds IS 'DLQ_RETRY_BACKOFF_BASE';
COMMENT ON COLUMN retry_settings.backoff_cap_seconds IS 'DLQ_RETRY_BACKOFF_CAP';
COMMENT ON COLUMN retry_settings.come_backs IS 'DLQ_COME_BACKS';
COMMENT ON COLUMN retry_settings.breaker_failures IS 'DLQ_BREAKER_FAILURES';
COMMENT ON INDEX retry_settings_pkey IS 'the one row';

CREATE TABLE handler_limits (
    event_type varchar(255) NOT NULL,
    max_retries integer,
    backoff_base_seconds double precision,
    backoff_cap_seconds double precision,
    CONSTRAINT handler_limits_pkey PRIMARY KEY (event_type)
);
COMMENT ON TABLE handler_limits IS
    'The limits of retries that the code of handlers names, as the schedule''s workers have it; a policy comes first.';
COMMENT ON COLUMN handler_limits.max_retries IS 'NULL: the code does not say';
COMMENT ON COLUMN handler_limits.backoff_base_seconds IS 'the first wait; NULL: the code does not say';
COMMENT ON COLUMN handler_limits.backoff_cap_seconds IS 'the longest wait; NULL where all are alike';
COMMENT ON INDEX handler_limits_pkey IS 'a handler''s limits, when a dead letter of the type fails';

CREATE VIEW retry_settings_now AS
SELECT coalesce(s.max_retries, 240) AS max_retries, coalesce(s.backoff_base_seconds, 60) AS backoff_base_seconds,
    coalesce(s.backoff_cap_seconds, 21600) AS backoff_cap_seconds, coalesce(s.come_backs, 5) AS come_backs,
    coalesce(s.breaker_failures, 20) AS breaker_failures
FROM (SELECT) always LEFT JOIN retry_settings s ON s.one;
COMMENT ON VIEW retry_settings_now IS 'The settings of our schedule, or their defaults where it never ran.';

CREATE FUNCTION retry_limits(for_type text, for_group bigint)
    RETURNS TABLE (max_retries integer, first_wait double precision, longest_wait double precision) LANGUAGE sql STABLE
    SET search_path FROM CURRENT
AS $$
    WITH taking AS MATERIALIZED (
        SELECT p.*, (p.group_id IS NOT NULL)::integer * 2 + (p.event_type IS NOT NULL)::integer AS weight
        FROM retry_policies p
        WHERE (p.event_type IS NULL OR p.event_type = for_type) AND (p.group_id IS NULL OR p.group_id = for_group)
    ), waits AS (
        SELECT t.backoff_base_seconds, t.backoff_cap_seconds FROM taking t
        WHERE t.backoff IS NOT NULL ORDER BY t.weight DESC LIMIT 1
    )
    SELECT coalesce((
            SELECT t.max_retries FROM taking t WHERE t.max_retries IS NOT NULL ORDER BY t.weight DESC LIMIT 1
        ), h.max_retries, s.max_retries),
        coalesce(w.backoff_base_seconds, h.backoff_base_seconds, s.backoff_base_seconds),
        CASE WHEN w.backoff_base_seconds IS NOT NULL THEN w.backoff_cap_seconds
            WHEN h.backoff_base_seconds IS NOT NULL THEN h.backoff_cap_seconds ELSE s.backoff_cap_seconds END
    FROM retry_settings_now s LEFT JOIN waits w ON true LEFT JOIN handler_limits h ON h.event_type = for_type
$$;
REVOKE EXECUTE ON FUNCTION retry_limits(text, bigint) FROM PUBLIC;
COMMENT ON FUNCTION retry_limits(text, bigint) IS
    'How often a dead letter of that type and group is retried that does not say it itself, and its waits in '
    'seconds; a longest_wait of NULL: always the first. By the policies, else by the code of its handler, else by the '
    'settings.';

CREATE FUNCTION retry_window_opens(day date, begins time, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
AS $$
DECLARE
    shown CONSTANT timestamp := day + begins;
    late timestamptz := shown AT TIME ZONE zone;
    early timestamptz := late - interval '1 day';
    middle timestamptz;
    ahead CONSTANT interval := (late AT TIME ZONE zone) - (late AT TIME ZONE 'UTC');
BEGIN
    IF (late AT TIME ZONE zone) = shown THEN
        -- of an hour that comes twice the first
        RETURN (
            SELECT min(late - back)
            FROM unnest(ARRAY['0', '30 minutes', '1 hour', '2 hours']::interval[]) back
            WHERE ((late - back) AT TIME ZONE zone) = shown
        );
    END IF;
    -- The clock skips it: when it is put forward.
    WHILE late - early > interval '1 minute' LOOP
        middle := early + (late - early) / 2;
        IF (middle AT TIME ZONE zone) - (middle AT TIME ZONE 'UTC') = ahead THEN
            late := middle;
        ELSE
            early := middle;
        END IF;
    END LOOP;
    RETURN date_trunc('minute', late);
END $$;
REVOKE EXECUTE ON FUNCTION retry_window_opens(date, time, text) FROM PUBLIC;
COMMENT ON FUNCTION retry_window_opens(date, time, text) IS
    'The moment at which a window of that day opens, where the clock is put forward or back, too.';

CREATE FUNCTION retry_window_is_open(policy retry_policies, moment timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
AS $$
DECLARE
    zone text := policy.window_zone;
    today date;
    day date;
BEGIN
    IF policy.window_days IS NULL THEN
        RETURN true;
    END IF;
    BEGIN
        today := (moment AT TIME ZONE zone)::date;
    EXCEPTION WHEN invalid_parameter_value THEN
        -- plain SQL may have written a zone that is none
        zone := 'UTC';
        today := (moment AT TIME ZONE zone)::date;
    END;
    FOR back IN -1 .. 2 LOOP
        day := today - back;
        CONTINUE WHEN to_char(day, 'dy') <> ALL (string_to_array(policy.window_days, ','))
            OR moment < retry_window_opens(day, policy.window_begins, zone);
        IF moment < (CASE
            WHEN policy.window_begins = policy.window_ends THEN retry_window_opens(day + 1, policy.window_begins, zone)
            -- one that ends before it begins goes on over midnight
            ELSE (day + (policy.window_begins > policy.window_ends)::integer + policy.window_ends) AT TIME ZONE zone END)
        THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;
REVOKE EXECUTE ON FUNCTION retry_window_is_open(retry_policies, timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION retry_window_is_open(retry_policies, timestamptz) IS
    'Whether dead letters may be retried at a moment; always, where the policy has no window.';

CREATE FUNCTION retry_lanes(for_type text)
    RETURNS TABLE (categories text[], only_groups bigint[], but_groups bigint[], max_retries integer)
    LANGUAGE sql STABLE
    SET search_path FROM CURRENT
AS $$
    WITH scoped AS MATERIALIZED (
        SELECT p AS policy, p.* FROM retry_policies p
        WHERE p.event_type IS NULL OR p.event_type = for_type
    ), apart AS MATERIALIZED (
        SELECT array_agg(s.group_id ORDER BY s.group_id) AS groups FROM scoped s WHERE s.group_id IS NOT NULL
    ), said AS (
        SELECT l.group_id, own.enabled AS of_group, coalesce(of_type.enabled, of_all.enabled, true) AS in_general,
            retry_window_is_open(CASE WHEN own.window_days IS NOT NULL THEN own.policy
                WHEN of_type.window_days IS NOT NULL THEN of_type.policy ELSE of_all.policy END,
                clock_timestamp()) IS NOT FALSE AND NOT EXISTS (
                SELECT FROM scoped s
                WHERE (s.group_id IS NULL OR s.group_id = l.group_id) AND s.paused_at IS NOT NULL
                    AND coalesce(s.paused_until > clock_timestamp(), true)
            ) AS may_run
        FROM (SELECT NULL::bigint AS group_id UNION ALL SELECT unnest(a.groups) FROM apart a) l
        LEFT JOIN scoped own ON own.group_id = l.group_id
        LEFT JOIN scoped of_type ON of_type.group_id IS NULL AND of_type.event_type IS NOT NULL
        LEFT JOIN scoped of_all ON of_all.group_id IS NULL AND of_all.event_type IS NULL
    ), lanes AS (
        SELECT s.group_id, ARRAY(
            SELECT c.category FROM unnest(ARRAY['BUSINESS', 'DEPENDENCY', 'PERMANENT', 'TRANSIENT', 'UNKNOWN'])
                c (category)
            -- what needs a person or a correction is retried only where a policy of its group says so
            WHERE coalesce(s.of_group, s.in_general AND c.category NOT IN ('BUSINESS', 'PERMANENT'))
                AND (s.of_group OR c.category NOT IN ('BUSINESS', 'PERMANENT'))
        ) AS categories
        FROM said s WHERE s.may_run
    )
    SELECT l.categories, CASE WHEN l.group_id IS NOT NULL THEN ARRAY[l.group_id] END,
        CASE WHEN l.group_id IS NULL THEN a.groups END, r.max_retries
    FROM lanes l CROSS JOIN apart a CROSS JOIN LATERAL retry_limits(for_type, l.group_id) r
    WHERE l.categories <> '{}'
$$;
REVOKE EXECUTE ON FUNCTION retry_lanes(text) FROM PUBLIC;
COMMENT ON FUNCTION retry_lanes(text) IS
    'Which dead letters of an event type may be retried now, by the policies: their categories, of which '
    'failure groups or of all but which, and how often. What is paused or outside its window is in none.';

-- The soonest of each lane: an event type in some categories, all groups of it or only some. Its index finds them, so a
-- million that nobody handles, or somebody has paused, are not even passed over. Some more are looked at than are
-- taken, for what somebody else has locked. slowed: groups of which no more than so many may begin; the others do not
-- wait behind them. What has no tries left is claimed as EXHAUSTED: visible, never silently skipped. What keeps coming back is a person's.
CREATE FUNCTION dead_letters_due(lanes jsonb, but bigint[], most_come_backs integer)
    RETURNS TABLE (lane integer, id bigint, is_used_up boolean) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH lanes AS MATERIALIZED (
        SELECT l.lane, l.event_type, l.categories, l.only_groups, l.but_groups, l.only_queues, l.max_retries,
            coalesce(l.slowed, ARRAY[]::bigint[]) AS slowed, l.slowed_rooms, l.room
        FROM jsonb_to_recordset(dead_letters_due.lanes) l (lane integer, event_type text, categories text[],
            only_groups bigint[], but_groups bigint[], only_queues text[], max_retries integer, room integer,
            slowed bigint[], slowed_rooms integer[])
    ), soonest AS MATERIALIZED (
        SELECT l.lane, e.id
        FROM lanes l CROSS JOIN LATERAL (
            SELECT one.id, one.retry_after
            FROM unnest(l.categories) c (category) CROSS JOIN LATERAL (
                SELECT d.id, d.retry_after FROM dlq_events d
                WHERE d.status = 'PENDING' AND d.event_type = l.event_type AND d.error_category = c.category
                    AND d.retry_after <= now() AND d.id <> ALL (dead_letters_due.but)
                    AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
                    AND coalesce(coalesce(nullif(d.queue, ''), d.event_type) = ANY (l.only_queues), true)
                    AND (l.only_groups IS NULL OR d.group_id = ANY (l.only_groups))
                    AND (l.but_groups IS NULL OR d.group_id <> ALL (l.but_groups)) AND d.group_id <> ALL (l.slowed)
                ORDER BY d.retry_after, d.id
                LIMIT 2 * l.room
            ) one
            UNION ALL
            SELECT one.id, one.retry_after
            FROM unnest(l.slowed, l.slowed_rooms) g (id, room) CROSS JOIN LATERAL (
                SELECT d.id, d.retry_after FROM dlq_events d
                WHERE d.status = 'PENDING' AND d.event_type = l.event_type AND d.error_category = ANY (l.categories)
                    AND d.group_id = g.id AND d.retry_after <= now() AND d.id <> ALL (dead_letters_due.but)
                    AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
                    AND coalesce(coalesce(nullif(d.queue, ''), d.event_type) = ANY (l.only_queues), true)
                ORDER BY d.retry_after, d.id
                LIMIT g.room
            ) one
            ORDER BY 2, 1
            LIMIT 2 * l.room
        ) e
    )
    SELECT l.lane, e.id, e.is_used_up
    FROM lanes l CROSS JOIN LATERAL (
        SELECT d.id, dead_letter_becomes(
            'PENDING', d.retry_count, coalesce(d.max_retries, l.max_retries)) = 'EXHAUSTED' AS is_used_up
        FROM dlq_events d
        WHERE d.id = ANY (ARRAY(SELECT s.id FROM soonest s WHERE s.lane = l.lane)) AND d.status = 'PENDING'
            AND d.error_category = ANY (l.categories) AND d.retry_after <= now()
            AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
        ORDER BY d.retry_after, d.id
        LIMIT l.room
        FOR UPDATE SKIP LOCKED
    ) e;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_due(jsonb, bigint[], integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_due(jsonb, bigint[], integer) IS
    'The soonest due dead letters of each lane, locked; is_used_up: no tries are left.';

CREATE FUNCTION dead_letters_claim(
    lanes jsonb, claimant text, but bigint[], most_come_backs integer, begins boolean DEFAULT false
) RETURNS TABLE (
    lane integer, status text, id bigint, event_type text, payload text, payload_raw bytea, headers jsonb, source text,
    source_key text, retry_count integer, max_retries integer, crash_count smallint, retry_after timestamptz,
    lease_token uuid, status_before text, operation_before bigint, group_id bigint
) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    UPDATE dlq_events d
    SET status = CASE WHEN due.is_used_up THEN 'EXHAUSTED' ELSE 'RETRYING' END,
        owner = CASE WHEN due.is_used_up THEN d.owner ELSE claimant END,
        begun_at = CASE WHEN begins AND NOT due.is_used_up THEN clock_timestamp() END,
        lease_token = CASE WHEN due.is_used_up THEN NULL ELSE gen_random_uuid() END,
        lease_until = CASE WHEN due.is_used_up THEN NULL
            ELSE clock_timestamp() + make_interval(secs => l.lease) END
    FROM dead_letters_due(dead_letters_claim.lanes, dead_letters_claim.but, dead_letters_claim.most_come_backs) due
    JOIN jsonb_to_recordset(dead_letters_claim.lanes) l (lane integer, lease float8) ON l.lane = due.lane
    WHERE d.id = due.id
    RETURNING due.lane, d.status::text, d.id, d.event_type::text, d.payload::text, d.payload_raw, d.headers,
        d.source::text, d.source_key::text, d.retry_count, d.max_retries, d.crash_count, d.retry_after, d.lease_token,
        'PENDING', d.operation_id, d.group_id;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_claim(jsonb, text, bigint[], integer, boolean) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_claim(jsonb, text, bigint[], integer, boolean) IS
    'Claims due dead letters of these lanes, the longest due first; but: the ids that are passed over. Those '
    'without tries left are EXHAUSTED now. begins: an attempt from now on, else from when its handler begins.';

CREATE FUNCTION dead_letters_succeed(ids bigint[], tokens uuid[], started timestamptz[], kind text)
    RETURNS TABLE (id bigint, status text, group_id bigint, event_type text, source text, source_key text,
        payload_version integer)
    LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    -- coalesce: by their numbers, and not by the index of what is in flight, where thousands that were are dead entries
    WITH done AS MATERIALIZED (
        SELECT * FROM unnest(ids, tokens, started) d (id, token, started_at)
    ), healed AS (
        UPDATE dlq_events d SET status = 'SUCCEEDED', lease_token = NULL, lease_until = NULL
        FROM done
        WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
        RETURNING d.id, d.status, d.group_id, d.event_type, d.source, d.source_key, d.payload_version, d.owner,
            done.started_at
    ), told AS (
        SELECT attempts_add(array_agg(attempt(dead_letters_succeed.kind, 'succeeded', h.id, worker => h.owner,
            started_at => h.started_at)))
        FROM healed h
    )
    SELECT h.id, h.status::text, h.group_id, h.event_type::text, h.source::text, h.source_key::text, h.payload_version
    FROM healed h, told;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_succeed(bigint[], uuid[], timestamptz[], text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_succeed(bigint[], uuid[], timestamptz[], text) IS
    'Claimed dead letters succeeded: those whose tokens are still good, and an attempt of each.';

-- fatal: the handler took its process with it. That is counted as a crash, and the third is the last; so is the
-- fifth that did not end in its time.
CREATE FUNCTION dead_letters_fail(
    ids bigint[], tokens uuid[], started timestamptz[], statuses text[], most integer[], delays double precision[],
    fatal boolean[], reasons text[], categories text[], traces text[], kind text, max_crashes integer,
    max_timeouts integer
) RETURNS TABLE (id bigint, status text, group_id bigint) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH done AS MATERIALIZED (
        SELECT * FROM unnest(ids, tokens, started, statuses, most, delays, fatal, reasons, categories, traces)
            d (id, token, started_at, status, most, delay, fatal, reason, category, trace)
    ), failed AS (
        UPDATE dlq_events d
        SET status = dead_letter_becomes(done.status, d.retry_count + 1, coalesce(d.max_retries, done.most),
                done.fatal AND d.crash_count + 1 >= dead_letters_fail.max_crashes
                OR dead_letter_times_out(d.id, NULL, done.reason, dead_letters_fail.max_timeouts)),
            crash_count = d.crash_count + done.fatal::integer,
            retry_count = d.retry_count + 1, occurrences = d.occurrences + 1, last_failure_at = clock_timestamp(),
            retry_after = clock_timestamp() + make_interval(secs => done.delay),
            error_reason = done.reason, error_category = done.category, error_stacktrace = done.trace,
            lease_token = NULL, lease_until = NULL
        FROM done
        WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
        RETURNING d.id, d.owner, d.status, d.group_id, done.started_at, done.reason, done.category, done.trace
    ), told AS (
        SELECT attempts_add(array_agg(attempt(dead_letters_fail.kind, 'failed', f.id, worker => f.owner,
            started_at => f.started_at, category => f.category, reason => f.reason, stacktrace => f.trace)))
        FROM failed f
    )
    SELECT f.id, f.status::text, f.group_id FROM failed f, told;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_fail(bigint[], uuid[], timestamptz[], text[], integer[], double precision[], boolean[], text[], text[], text[], text, integer, integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_fail(bigint[], uuid[], timestamptz[], text[], integer[], double precision[], boolean[], text[], text[], text[], text, integer, integer) IS
    'Claimed dead letters failed again: those whose tokens are still good, and an attempt of each.';

CREATE VIEW breaker_types AS
SELECT b.*, t.event_type FROM breakers_now b CROSS JOIN LATERAL (
    SELECT substr(b.key, 6) AS event_type WHERE starts_with(b.key, 'type:')
    UNION SELECT unnest(b.event_types)
) t;
COMMENT ON VIEW breaker_types IS
    'The breakers that are not simply closed, a row for each event type whose handlers they stop, as far as they '
    'were told of it.';

-- What the breakers of one who claims by SQL hear of it: of each outcome, as it is recorded.
CREATE FUNCTION breaker_hear(of_type text, outcome text, why text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    settings CONSTANT retry_settings_now := (SELECT s FROM retry_settings_now s);
    success CONSTANT integer := (outcome = 'succeeded')::integer;
    away CONSTANT integer := (outcome = 'away')::integer;
    heard text;
BEGIN
    FOR heard IN
        SELECT b.key FROM breaker_types b WHERE b.event_type = of_type AND (success = 1 OR b.state <> 'closed' AND away = 0)
        UNION SELECT 'type:' || of_type WHERE away = 1
        ORDER BY 1
    LOOP
        -- of events that failed before practically all must fail: a tenth that succeeds holds the balance
        PERFORM breaker_noted(heard, of_type, 0, 0, NULL, away - 9 * success, away, success, 0, away, why,
            settings.breaker_failures, 3, 5, 60);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION breaker_hear(text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION breaker_hear(text, text, text) IS
    'Tells breakers of an attempt that was claimed by SQL: it succeeded, its other side is away, or it failed.';

CREATE FUNCTION dead_letter_claim(
    for_type text, most integer DEFAULT 50, claimant text DEFAULT NULL, lease interval DEFAULT '1 minute'
) RETURNS TABLE (
    id bigint, event_type text, payload jsonb, payload_raw bytea, headers jsonb, retry_count integer,
    max_retries integer, token uuid, source text, source_key text
) LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    room integer := most;
    taken integer;
    blocking text[];
    wait double precision;
    line record;
    come_backs CONSTANT integer := (SELECT s.come_backs FROM retry_settings_now s);
    who CONSTANT text := format('%s (%s)', session_user,
        coalesce(nullif(claimant, ''), nullif(current_setting('application_name', true), ''), 'sql'));
BEGIN
    IF NOT coalesce(most BETWEEN 1 AND 10000 AND lease BETWEEN interval '1 second' AND interval '7 days', false) THEN
        RAISE EXCEPTION 'dead_letter_claim takes a number from 1 to 10000 and a lease from 1 second to 7 days'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(b.key), max(CASE WHEN b.held = 'open' THEN 'Infinity' ELSE b.next_probe_seconds END)
    INTO blocking, wait
    FROM breaker_types b WHERE b.event_type = for_type AND coalesce(b.held = 'open', b.state <> 'closed');
    IF blocking IS NOT NULL THEN
        -- of all processes one may try whether it is over, and one that has something to try it with
        IF wait > 0 OR NOT EXISTS (
            SELECT FROM dlq_events d
            WHERE d.status = 'PENDING' AND d.event_type = for_type AND d.retry_after <= now()
        ) OR NOT breaker_probe(blocking, 5, 60) THEN
            RETURN;
        END IF;
        room := 1;
    END IF;
    -- by lot: no lane is behind another for ever
    FOR line IN SELECT l.* FROM retry_lanes(for_type) l ORDER BY random() LOOP
        RETURN QUERY
        SELECT c.id, c.event_type, c.payload::jsonb, c.payload_raw, c.headers, c.retry_count,
            coalesce(c.max_retries, line.max_retries), c.lease_token, c.source, c.source_key
        FROM dead_letters_claim(jsonb_build_array(jsonb_build_object('lane', 0, 'event_type', for_type,
            'categories', line.categories, 'only_groups', line.only_groups, 'but_groups', line.but_groups,
            'max_retries', line.max_retries, 'room', room, 'lease', extract(epoch FROM lease))),
            who, '{}', come_backs, true) c
        WHERE c.status = 'RETRYING'
        ORDER BY c.retry_after, c.id;
        GET DIAGNOSTICS taken = ROW_COUNT;
        room := room - taken;
        EXIT WHEN room <= 0;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_claim(text, integer, text, interval) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_claim(text, integer, text, interval) IS
    'Claims due dead letters of an event type under a lease, from any language, as far as policies, their windows '
    'and pauses, and breakers allow it. Commit before you handle them: others see the claim from then on. Each '
    'counts as an attempt. Settle it by its token: dead_letter_succeeded, dead_letter_failed. A lease that runs '
    'out is a crash.';

-- Who sees a token of somebody else cannot use it.
CREATE FUNCTION dead_letter_held(letter bigint, shown uuid) RETURNS dlq_events LANGUAGE sql STABLE
    SET search_path FROM CURRENT
AS $$
    SELECT d FROM dlq_events d
    WHERE d.id = letter AND d.lease_token = shown AND d.status = 'RETRYING' AND starts_with(d.owner, session_user || ' (')
$$;
REVOKE EXECUTE ON FUNCTION dead_letter_held(bigint, uuid) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_held(bigint, uuid) IS
    'The dead letter that this role has claimed by dead_letter_claim; NULL: its lease was lost.';

CREATE FUNCTION dead_letter_succeeded(dead_letter_id bigint, token uuid) RETURNS boolean LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    held CONSTANT dlq_events := dead_letter_held(dead_letter_id, token);
    outcome text;
BEGIN
    SELECT s.status INTO outcome
    FROM dead_letters_succeed(ARRAY[held.id], ARRAY[token], ARRAY[held.begun_at], 'scheduler') s;
    IF outcome IS NULL THEN
        RETURN false;
    END IF;
    PERFORM breaker_hear(held.event_type, 'succeeded', '');
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_succeeded(bigint, uuid) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_succeeded(bigint, uuid) IS
    'Whoever claimed it says that it succeeded. False: the lease was lost, and nothing is changed.';

CREATE FUNCTION dead_letter_failed(
    dead_letter_id bigint, token uuid, error_reason text, error_class text DEFAULT NULL,
    error_stacktrace text DEFAULT '', error_category text DEFAULT 'UNKNOWN'
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_variable
DECLARE
    held CONSTANT dlq_events := dead_letter_held(dead_letter_id, token);
    reason CONSTANT text := concat_ws(': ', nullif(error_class, ''), error_reason);
    limits record;
    made dead_letter_class;
    outcome text;
BEGIN
    PERFORM error_category_check(error_category);
    IF held.id IS NULL THEN
        RETURN NULL;
    END IF;
    made := dead_letter_classify(held.event_type, coalesce(error_category, 'UNKNOWN'), false, reason,
        coalesce(error_stacktrace, ''));
    SELECT r.* INTO limits FROM retry_limits(held.event_type, made.group_id) r;
    SELECT f.status INTO outcome
    FROM dead_letters_fail(ARRAY[held.id], ARRAY[token], ARRAY[held.begun_at], ARRAY['PENDING'],
        ARRAY[limits.max_retries],
        ARRAY[CASE WHEN limits.longest_wait IS NULL THEN limits.first_wait
            ELSE backoff_seconds(held.retry_count + 1, limits.first_wait, 2, limits.longest_wait, 1) END],
        ARRAY[false], ARRAY[reason], ARRAY[coalesce(error_category, 'UNKNOWN')],
        ARRAY[coalesce(error_stacktrace, '')], 'scheduler', 3, 5) f;
    IF outcome IS NOT NULL THEN
        PERFORM breaker_hear(held.event_type,
            CASE WHEN made.category IN ('TRANSIENT', 'DEPENDENCY') THEN 'away' ELSE 'failed' END, reason);
    END IF;
    RETURN outcome;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_failed(bigint, uuid, text, text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_failed(bigint, uuid, text, text, text, text) IS
    'Whoever claimed it says that it failed again: PENDING, to be tried after the wait of its policy, or EXHAUSTED '
    'when that was the last. NULL: the lease was lost, and nothing is changed.';

-- A scheduler that claims nothing, but reads what is PENDING and writes what came of it: the row says it as an attempt.
-- Fires before dlq_events_changed, which then meets a failure like any other.
CREATE FUNCTION dlq_events_attempted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    its_group bigint := OLD.group_id;
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_attempted serves dlq_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.status = 'SUCCEEDED' THEN
        PERFORM attempts_add(ARRAY[attempt('scheduler', 'succeeded', OLD.id, worker => session_actor())]);
        RETURN NEW;
    END IF;
    PERFORM dead_letter_keep_failure(OLD);
    NEW.occurrences := OLD.occurrences + 1;
    NEW.last_failure_at := greatest(clock_timestamp(), OLD.last_failure_at + interval '1 microsecond');
    NEW.error_reason := coalesce(NEW.error_reason, '');
    NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
    -- a category that a rule decided is not what this error said
    IF NEW.error_category = OLD.error_category THEN
        NEW.error_category := coalesce(OLD.said_category, OLD.error_category);
    END IF;
    PERFORM attempts_add(ARRAY[attempt('scheduler', 'failed', OLD.id, worker => session_actor(),
        finished_at => NEW.last_failure_at, category => NEW.error_category, reason => NEW.error_reason,
        stacktrace => NEW.error_stacktrace)]);
    IF NEW.error_reason <> OLD.error_reason OR NEW.error_category <> OLD.error_category THEN
        its_group := (dead_letter_classify(OLD.event_type, NEW.error_category, false, NEW.error_reason,
            NEW.error_stacktrace)).group_id;
    END IF;
    NEW.status := dead_letter_becomes(NEW.status, NEW.retry_count, coalesce(NEW.max_retries, (
        SELECT r.max_retries FROM retry_limits(OLD.event_type, its_group) r)));
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_attempted() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_attempted() IS
    'An UPDATE of a PENDING dead letter that says SUCCEEDED, or counts one retry more, is an attempt of whoever '
    'says it.';

CREATE TRIGGER dlq_events_attempted BEFORE UPDATE ON dlq_events
    FOR EACH ROW WHEN (old.status::text = 'PENDING'::text AND (new.status::text = 'SUCCEEDED'::text
        OR new.retry_count > old.retry_count AND new.status::text = ANY (ARRAY['PENDING'::text, 'EXHAUSTED'::text])
            AND new.occurrences = old.occurrences AND new.last_failure_at = old.last_failure_at))
    EXECUTE FUNCTION dlq_events_attempted();

-- A guest is a role with rights on some columns alone. With its caller's rights: in a function of ours, which runs as
-- the owner, nobody is a guest.
CREATE FUNCTION dlq_events_allowed() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    refusal text;
    instead text;
BEGIN
    -- A mapper writes all columns as it has read them, numbers in a spelling of its own.
    NEW.created_at := OLD.created_at;
    IF NEW.payload = OLD.payload THEN
        NEW.payload := OLD.payload;
    END IF;
    IF (NEW.event_type, NEW.payload::text, NEW.payload_raw, NEW.headers)
        IS DISTINCT FROM (OLD.event_type, OLD.payload::text, OLD.payload_raw, OLD.headers)
    THEN
        refusal := 'its event is not for you to change';
        instead := 'A person edits it, on its page or by manage.py deadletters edit.';
    ELSIF (NEW.status, NEW.retry_count, NEW.retry_after, NEW.error_reason, NEW.error_stacktrace, NEW.error_category)
        IS NOT DISTINCT FROM
        (OLD.status, OLD.retry_count, OLD.retry_after, OLD.error_reason, OLD.error_stacktrace, OLD.error_category)
    THEN
        RETURN NEW;
    ELSIF OLD.status = 'RETRYING' THEN
        refusal := 'it is RETRYING: whoever has claimed it says what comes of it';
        instead := format('dead_letter_succeeded(%s, token) and dead_letter_failed(%1$s, token, …) settle a claim.', OLD.id);
    ELSIF OLD.status = 'REVIVED' THEN
        refusal := 'it is REVIVED: what comes of its message decides';
        instead := 'Complete the message, or give it up.';
    ELSIF OLD.status <> 'PENDING' THEN
        refusal := format('it is %s, and waits for nobody''s retry', OLD.status);
        instead := 'dead_letter_report(…) says that the event failed once more.';
    ELSIF NEW.status = 'RETRYING' THEN
        refusal := 'only a claim makes it RETRYING';
        instead := format('SELECT * FROM dead_letter_claim(%L) claims what is due.', OLD.event_type);
    ELSIF NEW.status = 'REVIVED' THEN
        refusal := 'REVIVED is one whose message is on its queue';
        instead := format('SELECT dead_letter_revive(%s) makes both.', OLD.id);
    ELSIF NEW.status NOT IN ('PENDING', 'SUCCEEDED', 'EXHAUSTED') THEN
        refusal := format('a scheduler does not make it %s', NEW.status);
        instead := format('A person discards it: manage.py deadletters discard %s.', OLD.id);
    ELSIF NEW.retry_count < OLD.retry_count THEN
        refusal := 'its retry_count never falls';
        instead := 'A person retries what is EXHAUSTED, whatever it has used.';
    END IF;
    IF refusal IS NULL THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'dead letter %: %', OLD.id, refusal USING ERRCODE = 'check_violation', HINT = instead;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_allowed() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_allowed() IS
    'Refuses what a scheduler of yours must not write by plain SQL, and names what to call.';

CREATE TRIGGER dlq_events_allowed BEFORE UPDATE ON dlq_events
    FOR EACH ROW WHEN (NOT has_table_privilege('dlq_events'::regclass, 'UPDATE'::text))
    EXECUTE FUNCTION dlq_events_allowed();
