-- A scheduler of yours: one that claims by functions, and one that claims nothing but writes what came of its attempts.

CREATE VIEW breaker_types AS
SELECT b.*, t.event_type FROM breakers_now b CROSS JOIN LATERAL (
    SELECT substr(b.key, 6) AS event_type WHERE starts_with(b.key, 'type:')
    UNION SELECT unnest(b.event_types)
) t
-- a flood gate stops programs that ask it, and no handler
WHERE NOT starts_with(b.key, 'flood:');
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
        instead := 'A person edits it, on its page or by the command deadletters edit.';
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
        instead := format('A person discards it, by the command deadletters discard %s.', OLD.id);
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
