SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';
CREATE TYPE public.attempt AS (
	dlq_event_id bigint,
	message text,
	kind text,
	worker text,
	started_at timestamp with time zone,
	finished_at timestamp with time zone,
	outcome text,
	error_category text,
	error_reason text,
	error_stacktrace text,
	reopened_from text,
	stands_for integer
);
COMMENT ON TYPE public.attempt IS 'A row of dlq_attempts to be written; NULL: as attempts_add completes it.';
CREATE DOMAIN public.counter AS integer
	CONSTRAINT counter_in_bounds CHECK (((VALUE >= 0) AND (VALUE <= 1000000000)));
COMMENT ON DOMAIN public.counter IS 'A count that can still be raised.';
CREATE TYPE public.dead_letter_class AS (
	error_class text,
	category text,
	category_rule_id bigint,
	message text,
	frames text,
	fingerprint_id bigint,
	fingerprint_rule_id bigint,
	group_id bigint
);
COMMENT ON TYPE public.dead_letter_class IS 'What dead_letter_classify finds out about a failure.';
CREATE TYPE public.event_record AS (
	event_type text,
	source text,
	source_key text,
	occurred_at timestamp with time zone,
	record jsonb,
	digest uuid
);
COMMENT ON TYPE public.event_record IS 'A row of enriched_events to be written.';
CREATE TYPE public.event_result AS (
	state text,
	record jsonb,
	dead_letter_id bigint,
	dead_letter_status text,
	error_category text
);
COMMENT ON TYPE public.event_result IS 'What has become of an event. state: queued, running, succeeded (with its record, where a handler of ours made one), dead_letter; gone: a message that left without a record or a dead letter, or never was; unknown: a CloudEvent that has neither yet.';
CREATE TYPE public.failure_outcome AS (
	outcome text,
	next_retry_at timestamp with time zone,
	dead_letter_id bigint
);
COMMENT ON TYPE public.failure_outcome IS 'What became of a failed message: outcome is retry or dead_letter, with the time or the number that goes with it.';
CREATE TYPE public.failure_step AS (
	status text,
	delay_seconds double precision
);
COMMENT ON TYPE public.failure_step IS 'What a failure makes of a message: a dead letter in this status, or, where status is NULL, another attempt after so many seconds.';
CREATE TYPE public.message_identity AS (
	event_type text,
	source text,
	source_key text
);
COMMENT ON TYPE public.message_identity IS 'Who a message''s event is. source and source_key are unique together.';
CREATE DOMAIN public.message_status AS character varying(16)
	CONSTRAINT message_status_known CHECK (((VALUE)::text = ANY ((ARRAY['pending'::character varying, 'scheduled'::character varying, 'waiting'::character varying, 'held'::character varying, 'processing'::character varying])::text[])));
COMMENT ON DOMAIN public.message_status IS 'The state of a message on a queue.';
CREATE DOMAIN public.moment AS timestamp with time zone
	CONSTRAINT moment_in_bounds CHECK (((VALUE > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (VALUE < '9999-01-01 00:00:00+00'::timestamp with time zone)));
COMMENT ON DOMAIN public.moment IS 'A time that every client can read.';
CREATE TYPE public.queued_message AS (
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
COMMENT ON TYPE public.queued_message IS 'A claimed message. payload is NULL where JSON cannot hold it: then payload_raw has the exact bytes. retry_count: attempts begun, this one included. max_retries: its own; NULL: the queue''s. token: proves the claim. dlq_event_id: the dead letter that it revives. archives: its queue keeps what was completed.';
CREATE DOMAIN public.small_counter AS smallint
	CONSTRAINT small_counter_in_bounds CHECK (((VALUE >= 0) AND (VALUE <= 30000)));
COMMENT ON DOMAIN public.small_counter IS 'A small count that can still be raised.';
CREATE FUNCTION public.account_difference(was jsonb, becomes jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN (
        SELECT jsonb_strip_nulls(jsonb_build_object(
            'changes', jsonb_object_agg(key, jsonb_build_array(was -> key, becomes -> key)) FILTER (WHERE is_shown),
            'also', jsonb_agg(key ORDER BY key) FILTER (WHERE NOT is_shown)))
        FROM (
            SELECT key, key IN ('username', 'name', 'is_active', 'is_staff', 'is_superuser') AS is_shown
            FROM jsonb_object_keys(becomes) key
            WHERE key <> 'last_login' AND was -> key IS DISTINCT FROM becomes -> key) differs);
END $$;
COMMENT ON FUNCTION public.account_difference(was jsonb, becomes jsonb) IS 'What became of an account or a group: before and after, and of what is nobody else''s business its name alone.';
CREATE FUNCTION public.acting_person() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN coalesce(nullif(current_setting('dlq.actor', true), ''), 'sql:' || session_user);
END $$;
COMMENT ON FUNCTION public.acting_person() IS 'Who changes accounts: what the program said with SET LOCAL dlq.actor, else the role of the session.';
CREATE FUNCTION public.actor_words(actor text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $_$
BEGIN
    IF actor !~ '^user:[1-9][0-9]{0,8}$' THEN
        RETURN actor;
    END IF;
    RETURN coalesce((
        SELECT a.name || ' (user ' || a.user_id || ')' FROM account_names a
        WHERE a.user_id = substr(actor, 6)::integer ORDER BY a.id DESC LIMIT 1), actor);
END $_$;
COMMENT ON FUNCTION public.actor_words(actor text) IS 'An actor for a sentence that is stored: what the person of user:7 is called at that moment, and their number.';
CREATE FUNCTION public.attempt(kind text, outcome text, dead_letter bigint, message text DEFAULT NULL::text, worker text DEFAULT NULL::text, started_at timestamp with time zone DEFAULT NULL::timestamp with time zone, finished_at timestamp with time zone DEFAULT NULL::timestamp with time zone, category text DEFAULT NULL::text, reason text DEFAULT NULL::text, stacktrace text DEFAULT NULL::text, reopened_from text DEFAULT NULL::text, stands_for integer DEFAULT NULL::integer) RETURNS public.attempt
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ROW(dead_letter, message, kind, worker, started_at, finished_at, outcome, category, reason, stacktrace, reopened_from, stands_for)::public.attempt;
COMMENT ON FUNCTION public.attempt(kind text, outcome text, dead_letter bigint, message text, worker text, started_at timestamp with time zone, finished_at timestamp with time zone, category text, reason text, stacktrace text, reopened_from text, stands_for integer) IS 'An attempt for attempts_add, its parts by name.';
CREATE FUNCTION public.attempts_add(added public.attempt[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    -- array_agg of nothing
    IF added IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO dlq_attempts (dlq_event_id, message, kind, worker, started_at, finished_at, outcome,
        error_category, error_reason, error_stacktrace, reopened_from, stands_for)
    SELECT a.dlq_event_id, left(coalesce(a.message, ''), 320), a.kind, coalesce(a.worker, ''),
        coalesce(a.started_at, a.finished_at, clock_timestamp()), coalesce(a.finished_at, clock_timestamp()),
        a.outcome, coalesce(a.error_category, ''), coalesce(a.error_reason, ''), coalesce(a.error_stacktrace, ''),
        coalesce(a.reopened_from, ''), coalesce(a.stands_for, 1)
    FROM unnest(added) a;
END $$;
COMMENT ON FUNCTION public.attempts_add(added public.attempt[]) IS 'Writes attempts, in this order. Times that are left out are now, texts are empty.';
CREATE FUNCTION public.audit_log_refuse() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION public.audit_log_refuse() IS 'The audit log only grows. Its triggers are ENABLE ALWAYS: not even session_replication_role turns this off.';
CREATE FUNCTION public.auth_group_audited() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_group'::regclass THEN
        RAISE EXCEPTION 'auth_group_audited() is for auth_group' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO audit_log (actor, action, target) VALUES (acting_person(), 'truncate', 'table:auth_group');
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'change', 'role:' || c.id,
            account_difference(to_jsonb(w), to_jsonb(c)) || jsonb_build_object('name', c.name)
        FROM went w JOIN came c ON c.id = w.id WHERE w IS DISTINCT FROM c ORDER BY c.id;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'create', 'role:' || id, jsonb_build_object('name', name) FROM came ORDER BY id;
    ELSE
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'delete', 'role:' || id, jsonb_build_object('name', name) FROM went ORDER BY id;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_group_audited() IS 'Trigger of Django''s auth_group: roles made, renamed, deleted.';
CREATE FUNCTION public.auth_group_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_group'::regclass THEN
        RAISE EXCEPTION 'auth_group_noted() is for auth_group' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM role_grants_follow(NULL);
    DELETE FROM scopes s WHERE s.group_id IS NOT NULL AND NOT EXISTS (SELECT FROM auth_group g WHERE g.id = s.group_id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_group_noted() IS 'Trigger of Django''s auth_group: a group that gets the name of a role makes its members what they were not, and one that is gone limits nobody.';
CREATE FUNCTION public.auth_permissions_audited() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    is_of_role boolean := TG_RELID = 'auth_group_permissions'::regclass;
    noun text := CASE WHEN is_of_role THEN 'role:' ELSE 'account:' END;
BEGIN
    IF NOT is_of_role AND TG_RELID <> 'auth_user_user_permissions'::regclass THEN
        RAISE EXCEPTION 'auth_permissions_audited() is for Django''s permissions'
            USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO audit_log (actor, action, target)
        VALUES (acting_person(), 'truncate', 'table:' || TG_TABLE_NAME);
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'revoke', s.whose, s.said FROM (
            SELECT noun || w.owner AS whose,
                jsonb_build_object('permissions', jsonb_agg(t.app_label || '.' || p.codename ORDER BY p.id)) AS said
            FROM went w (id, owner, permission) LEFT JOIN auth_permission p ON p.id = w.permission
            LEFT JOIN django_content_type t ON t.id = p.content_type_id GROUP BY 1) s
        ORDER BY s.whose;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'grant', s.whose, s.said FROM (
            SELECT noun || c.owner AS whose,
                jsonb_build_object('permissions', jsonb_agg(t.app_label || '.' || p.codename ORDER BY p.id)) AS said
            FROM came c (id, owner, permission) LEFT JOIN auth_permission p ON p.id = c.permission
            LEFT JOIN django_content_type t ON t.id = p.content_type_id GROUP BY 1) s
        ORDER BY s.whose;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_permissions_audited() IS 'Trigger of Django''s tables of permissions: what a role or an account may, and may not any more.';
CREATE FUNCTION public.auth_user_audited() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_user'::regclass THEN
        RAISE EXCEPTION 'auth_user_audited() is for auth_user' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'create', 'account:' || id, jsonb_build_object(
            'name', username, 'is_active', is_active, 'is_staff', is_staff, 'is_superuser', is_superuser)
        FROM came ORDER BY id;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), CASE WHEN d.said = '{"also": ["password"]}' THEN 'change password' ELSE 'change' END,
            'account:' || d.id, d.said || jsonb_build_object('name', d.username)
        FROM (SELECT c.id, c.username, account_difference(to_jsonb(w), to_jsonb(c)) AS said
            FROM went w JOIN came c ON c.id = w.id) d
        WHERE d.said <> '{}' ORDER BY d.id;
        -- a number is the account: who gives one another number has taken one away and made one
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'delete', 'account:' || id, jsonb_build_object('name', username)
        FROM went WHERE id NOT IN (SELECT id FROM came) ORDER BY id;
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'create', 'account:' || id, jsonb_build_object(
            'name', username, 'is_active', is_active, 'is_staff', is_staff, 'is_superuser', is_superuser)
        FROM came WHERE id NOT IN (SELECT id FROM went) ORDER BY id;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'delete', 'account:' || id, jsonb_build_object('name', username)
        FROM went ORDER BY id;
    ELSE
        INSERT INTO audit_log (actor, action, target) VALUES (acting_person(), 'truncate', 'table:auth_user');
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_user_audited() IS 'Trigger of Django''s auth_user: accounts made, changed, deleted. A sign-in alone changes nothing that counts.';
CREATE FUNCTION public.auth_user_groups_audited() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_user_groups'::regclass THEN
        RAISE EXCEPTION 'auth_user_groups_audited() is for auth_user_groups' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO audit_log (actor, action, target)
        VALUES (acting_person(), 'truncate', 'table:auth_user_groups');
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'leave role', 'account:' || w.account, jsonb_build_object(
            'role', coalesce(g.name, w.role::text), 'name', u.username)
        FROM went w (id, account, role) LEFT JOIN auth_group g ON g.id = w.role
        LEFT JOIN auth_user u ON u.id = w.account ORDER BY w.account, w.role;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        SELECT acting_person(), 'join role', 'account:' || c.account, jsonb_build_object(
            'role', coalesce(g.name, c.role::text), 'name', u.username)
        FROM came c (id, account, role) LEFT JOIN auth_group g ON g.id = c.role
        LEFT JOIN auth_user u ON u.id = c.account ORDER BY c.account, c.role;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_user_groups_audited() IS 'Trigger of Django''s auth_user_groups: who got and lost which role.';
CREATE FUNCTION public.auth_user_groups_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_user_groups'::regclass THEN
        RAISE EXCEPTION 'auth_user_groups_noted() is for auth_user_groups' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        PERFORM role_grants_follow(ARRAY(SELECT account::integer FROM came c (id, account, role)));
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM role_grants_follow(ARRAY(
            SELECT account::integer FROM came c (id, account, role)
            UNION SELECT account::integer FROM went w (id, account, role)));
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM role_grants_follow(ARRAY(SELECT account::integer FROM went w (id, account, role)));
    ELSE
        PERFORM role_grants_follow(NULL);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_user_groups_noted() IS 'Trigger of Django''s auth_user_groups: who is in the group of a role.';
CREATE FUNCTION public.auth_user_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'auth_user'::regclass THEN
        RAISE EXCEPTION 'auth_user_noted() is for auth_user' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO account_names (user_id, name) SELECT id, username FROM came ORDER BY id;
        IF EXISTS (SELECT FROM came WHERE is_superuser AND is_active) THEN
            PERFORM role_grants_follow(ARRAY(SELECT id::integer FROM came));
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE account_names a SET until = clock_timestamp()
        FROM went JOIN came ON came.id = went.id
        WHERE a.user_id = came.id AND a.until IS NULL AND went.username <> came.username;
        INSERT INTO account_names (user_id, name)
        SELECT id, came.username FROM went JOIN came USING (id) WHERE went.username <> came.username ORDER BY id;
        -- who has another's password set can sign in as them: what they may do begins anew
        IF EXISTS (SELECT FROM went JOIN came USING (id) WHERE went.password <> came.password) THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('role_grants', 0));
            UPDATE role_grants g SET until = clock_timestamp()
            FROM went JOIN came ON came.id = went.id
            WHERE g.user_id = came.id AND g.until IS NULL AND went.password <> came.password;
        END IF;
        IF EXISTS (SELECT FROM went JOIN came USING (id) WHERE (went.is_superuser, went.is_active, went.password)
            <> (came.is_superuser, came.is_active, came.password)) THEN
            PERFORM role_grants_follow(ARRAY(SELECT id::integer FROM came));
        END IF;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE account_names SET until = clock_timestamp()
        WHERE until IS NULL AND user_id IN (SELECT id FROM went);
        PERFORM role_grants_follow(ARRAY(SELECT id::integer FROM went));
        DELETE FROM scopes WHERE user_id IN (SELECT id FROM went);
    ELSE
        UPDATE account_names SET until = clock_timestamp() WHERE until IS NULL;
        DELETE FROM scopes WHERE user_id IS NOT NULL;
        PERFORM role_grants_follow(NULL);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.auth_user_noted() IS 'Trigger of Django''s auth_user: what an account is called, and whether it is switched on, a superuser, or has another password. The limits of one that is gone go, too.';
CREATE FUNCTION public.backoff_seconds(attempts integer, base double precision, factor double precision, cap double precision, jitter double precision) RETURNS double precision
    LANGUAGE sql PARALLEL SAFE
    RETURN (LEAST(cap, (base * (factor ^ (LEAST((GREATEST(attempts, 1) - 1), 20))::double precision))) * (((1)::double precision - jitter) + (jitter * random())));
COMMENT ON FUNCTION public.backoff_seconds(attempts integer, base double precision, factor double precision, cap double precision, jitter double precision) IS 'The wait after so many failed attempts: base x factor^(attempts-1), at most cap. jitter is the share of it that is drawn by lot.';
CREATE FUNCTION public.breaker_bounded(given double precision, low double precision, high double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT greatest(low, least(high, coalesce(given, low)))
$$;
COMMENT ON FUNCTION public.breaker_bounded(given double precision, low double precision, high double precision) IS 'A number within its bounds; NULL is the lower, NaN the higher.';
CREATE FUNCTION public.breaker_hear(of_type text, outcome text, why text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.breaker_hear(of_type text, outcome text, why text) IS 'Tells breakers of an attempt that was claimed by SQL: it succeeded, its other side is away, or it failed.';
CREATE FUNCTION public.breaker_noted(noted_key text, noted_type text, added double precision, least_score double precision, last_success_ago double precision, again_added double precision, again_least double precision, went_well integer, first_went_well integer, were_away integer, why text, opens_at double precision, closes_after integer, first_pause double precision, longest_pause double precision) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    b breakers;
    moment CONSTANT timestamptz := clock_timestamp();
BEGIN
    opens_at := breaker_bounded(opens_at, 0, 1000000);
    closes_after := breaker_bounded(closes_after, 1, 1000);
    added := breaker_bounded(coalesce(added, 0), -1000000, 1000);
    least_score := breaker_bounded(least_score, 0, 1000);
    again_added := breaker_bounded(coalesce(again_added, 0), -1000000, 1000);
    again_least := breaker_bounded(again_least, 0, 1000);
    went_well := breaker_bounded(went_well, 0, 10000);
    first_went_well := breaker_bounded(first_went_well, 0, 10000);
    were_away := breaker_bounded(were_away, 0, 10000);
    IF last_success_ago IS NOT NULL THEN
        last_success_ago := breaker_bounded(last_success_ago, 0, 1000000);
    END IF;
    noted_type := left(noted_type, 255);
    INSERT INTO breakers (key) VALUES (noted_key) ON CONFLICT (key) DO NOTHING;
    SELECT * INTO b FROM breakers WHERE key = noted_key FOR UPDATE;
    -- what was long ago says nothing about now
    IF b.noted_at < moment - interval '10 minutes' THEN
        b.score := 0;
        b.again_score := 0;
    END IF;
    b.failures := CASE WHEN b.score + b.again_score > 0 OR b.state <> 'closed' THEN b.failures ELSE 0 END;
    b.failures := least(b.failures + were_away, 1000000000);
    IF moment - make_interval(secs => last_success_ago) < b.rose_at THEN
        -- its successes are from before all this, and tell late
        b.score := b.score + least_score;
    ELSE
        b.rose_at := CASE WHEN b.score > 0 THEN b.rose_at ELSE moment END;
        b.score := greatest(b.score + added, least_score);
    END IF;
    IF b.score = 0 THEN
        b.rose_at := NULL;
    END IF;
    b.again_score := greatest(b.again_score + again_added, again_least);
    b.noted_at := moment;
    IF NOT noted_type = ANY (b.event_types) AND cardinality(b.event_types) < 100 THEN
        b.event_types := b.event_types || noted_type;
    END IF;
    IF first_went_well > 0 THEN
        b.first_success_at := moment;
    END IF;
    IF were_away > 0 THEN
        b.reason := left(coalesce(why, ''), 4000);
        -- in a function with its owner's rights current_user is the owner
        b.told_by := session_user;
    END IF;
    IF b.state = 'closed' THEN
        IF opens_at > 0 AND (b.score >= opens_at
            OR b.again_score >= opens_at AND coalesce(b.first_success_at < moment - interval '1 minute', true)) THEN
            b.state := 'open';
            b.since := moment;
            -- a heap of what is hopeless must not stop what is fresh
            b.only_again := b.score < opens_at;
            b.probes := 0;
            b.successes := 0;
            b.waits := 0;
            b.drained_until := NULL;
            b.next_probe_at := moment + breaker_pause(0, first_pause, longest_pause);
        END IF;
    ELSE
        IF were_away > 0 THEN
            b.state := 'open';
            b.successes := 0;
            b.next_probe_at := greatest(least(b.next_probe_at, moment + interval '1 day'),
                moment + breaker_pause(b.probes, first_pause, longest_pause));
            b.only_again := b.only_again AND b.score < opens_at;
        ELSIF went_well > 0 THEN
            b.state := 'half-open';
            b.successes := least(b.successes + went_well, 1000000000);
            b.next_probe_at := moment;
        ELSIF b.state = 'half-open' THEN
            -- it failed for a reason of its own, perhaps before it called anybody: another may try at once
            b.next_probe_at := moment;
        END IF;
        IF b.successes >= closes_after OR first_went_well > 0 AND b.only_again THEN
            b.state := 'closed';
            b.since := moment;
            b.only_again := false;
            b.score := 0;
            b.rose_at := NULL;
            b.again_score := 0;
            b.failures := 0;
            b.probes := 0;
            b.successes := 0;
            b.next_probe_at := NULL;
            b.reason := '';
            b.told_by := '';
        END IF;
    END IF;
    UPDATE breakers SET event_types = b.event_types, state = b.state, since = b.since, reason = b.reason, told_by = b.told_by,
        only_again = b.only_again, score = b.score,
        rose_at = b.rose_at, again_score = b.again_score, failures = b.failures, noted_at = b.noted_at, first_success_at = b.first_success_at,
        next_probe_at = b.next_probe_at, probes = b.probes, successes = b.successes, waits = b.waits,
        drained_until = b.drained_until
    WHERE key = noted_key;
    RETURN b.state;
END $$;
COMMENT ON FUNCTION public.breaker_noted(noted_key text, noted_type text, added double precision, least_score double precision, last_success_ago double precision, again_added double precision, again_least double precision, went_well integer, first_went_well integer, were_away integer, why text, opens_at double precision, closes_after integer, first_pause double precision, longest_pause double precision) IS 'Takes in what some runs of a handler say about one breaker; its state then. The two pairs of numbers say what first attempts, and what had failed before, do to their scores: score becomes greatest(score + added, least). What is out of bounds is brought to the nearest: 1000 added a call, pauses of a second to a day.';
CREATE FUNCTION public.breaker_pause(probes integer, first_pause double precision, longest_pause double precision) RETURNS interval
    LANGUAGE sql
    AS $$
    SELECT make_interval(secs => greatest(breaker_bounded(first_pause, 1, 3600),
        least(breaker_bounded(longest_pause, 1, 86400), breaker_bounded(first_pause, 1, 3600) * 2 ^ least(probes, 20))
            * (1 - 0.25 * random())))
$$;
COMMENT ON FUNCTION public.breaker_pause(probes integer, first_pause double precision, longest_pause double precision) IS 'How long a breaker waits after so many runs that tried.';
CREATE FUNCTION public.breaker_probe(needed text[], first_pause double precision, longest_pause double precision) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    blocking text[];
    refused boolean;
BEGIN
    -- in the order of their keys, as everybody locks them
    WITH locked AS MATERIALIZED (
        SELECT * FROM breakers WHERE key = ANY (needed) ORDER BY key FOR UPDATE
    ), seen AS (
        SELECT key, CASE WHEN held_until > clock_timestamp() THEN held END AS held_now, state,
            next_probe_at <= clock_timestamp() AS due
        FROM locked
    )
    SELECT coalesce(bool_or(held_now = 'open' OR state <> 'closed' AND held_now IS NULL AND NOT due), false),
        array_agg(key) FILTER (WHERE state <> 'closed' AND held_now IS NULL)
    INTO refused, blocking
    FROM seen;
    IF refused THEN
        RETURN false;
    END IF;
    UPDATE breakers SET state = 'half-open', probes = probes + 1,
        next_probe_at = clock_timestamp() + breaker_pause(probes + 1, first_pause, longest_pause)
    WHERE key = ANY (blocking);
    RETURN true;
END $$;
COMMENT ON FUNCTION public.breaker_probe(needed text[], first_pause double precision, longest_pause double precision) IS 'Whether the caller may run one handler that needs all of these: true for one caller a pause, of all processes.';
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.dlq_events (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    error_reason text DEFAULT ''::text NOT NULL,
    error_stacktrace text DEFAULT ''::text NOT NULL,
    error_category character varying(16) DEFAULT 'UNKNOWN'::character varying NOT NULL,
    error_class character varying(255) DEFAULT ''::character varying NOT NULL,
    status character varying(16) DEFAULT 'PENDING'::character varying NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    max_retries integer,
    retry_after timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    source character varying(1024) NOT NULL,
    source_key character varying(1024) NOT NULL,
    occurrences integer DEFAULT 1 NOT NULL,
    queue character varying(255),
    group_key character varying(255),
    original_message_id bigint,
    same_id_as bigint,
    occurred_at timestamp with time zone,
    first_failure_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    last_failure_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    dead_lettered_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    said_category character varying(16),
    category_rule_id bigint,
    fingerprint_rule_id bigint,
    fingerprint_id bigint DEFAULT 0 NOT NULL,
    fingerprint_version smallint DEFAULT 1 NOT NULL,
    group_id bigint DEFAULT 0 NOT NULL,
    reclassified_at timestamp with time zone,
    payload_version integer DEFAULT 0 NOT NULL,
    revive_count integer DEFAULT 0 NOT NULL,
    come_backs integer DEFAULT 0 NOT NULL,
    revived_at timestamp with time zone,
    revived_from character varying(16),
    operation_id bigint,
    owner text,
    lease_token uuid,
    lease_until timestamp with time zone,
    begun_at timestamp with time zone,
    crash_count smallint DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE public.dlq_events IS 'A failed event with everything needed to understand it.';
COMMENT ON COLUMN public.dlq_events.payload_raw IS 'the exact bytes, where JSONB cannot hold them';
COMMENT ON COLUMN public.dlq_events.error_category IS 'who mends it';
COMMENT ON COLUMN public.dlq_events.error_class IS 'the part of error_reason before its colon, filled in by the database';
COMMENT ON COLUMN public.dlq_events.max_retries IS 'NULL: DLQ_RETRY_MAX_RETRIES decides';
COMMENT ON COLUMN public.dlq_events.retry_after IS 'the schedule does not try before';
COMMENT ON COLUMN public.dlq_events.source IS 'where the event came from: a CloudEvent''s source, else file:<name>, queue:<name> …';
COMMENT ON COLUMN public.dlq_events.source_key IS 'which one of that source: a CloudEvent''s id, else its position';
COMMENT ON COLUMN public.dlq_events.occurrences IS 'failed deliveries of this event';
COMMENT ON COLUMN public.dlq_events.queue IS 'where it came from and is revived to; NULL: the queue named after its event type';
COMMENT ON COLUMN public.dlq_events.group_key IS 'its message''s group: what is revived in order keeps it';
COMMENT ON COLUMN public.dlq_events.same_id_as IS 'another event under the same source and id, with other bytes, that failed before it';
COMMENT ON COLUMN public.dlq_events.occurred_at IS 'when the event says that it happened; filled in by the database';
COMMENT ON COLUMN public.dlq_events.dead_lettered_at IS 'never changes';
COMMENT ON COLUMN public.dlq_events.said_category IS 'what the error itself said, where a rule has put the dead letter in another category';
COMMENT ON COLUMN public.dlq_events.category_rule_id IS 'the rule that decided the category, where one did';
COMMENT ON COLUMN public.dlq_events.fingerprint_rule_id IS 'the rule that made the fingerprint, where one did';
COMMENT ON COLUMN public.dlq_events.fingerprint_id IS 'hash of the failure''s fingerprint; filled in by the database';
COMMENT ON COLUMN public.dlq_events.fingerprint_version IS 'which version of the algorithm made the fingerprint';
COMMENT ON COLUMN public.dlq_events.group_id IS 'the fingerprint, or the group that somebody merged it into';
COMMENT ON COLUMN public.dlq_events.reclassified_at IS 'when its category or group was last decided anew, by the rules or by a person; an UPDATE that writes it brings the whole classification with it';
COMMENT ON COLUMN public.dlq_events.payload_version IS '0: as it came; else the newest of its payload_versions';
COMMENT ON COLUMN public.dlq_events.revive_count IS 'at most one message for each of these revivals';
COMMENT ON COLUMN public.dlq_events.come_backs IS 'how often it failed again after a revival, since it succeeded or was edited last; counted by the database';
COMMENT ON COLUMN public.dlq_events.revived_from IS 'while it is REVIVED: its status before; it returns there when its message is lost';
COMMENT ON COLUMN public.dlq_events.operation_id IS 'the operation that changed this row last';
COMMENT ON COLUMN public.dlq_events.owner IS 'the worker that has claimed it';
COMMENT ON COLUMN public.dlq_events.lease_token IS 'whoever settles the attempt must show it';
COMMENT ON COLUMN public.dlq_events.lease_until IS 'after that somebody else may take over';
COMMENT ON COLUMN public.dlq_events.begun_at IS 'while it is RETRYING: since when its handler runs; NULL: claimed, and not begun';
COMMENT ON COLUMN public.dlq_events.crash_count IS 'leases that ran out while a handler ran';
COMMENT ON COLUMN public.dlq_events.version IS 'goes up with every change, whoever makes it';
CREATE FUNCTION public.dead_letter_add(letter public.dlq_events) RETURNS TABLE(id bigint, reopened_from text)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
    -- Whoever comes too late looks once more: now it sees the one that was quicker, unless its snapshot is older.
    FOR try IN 1 .. 10 LOOP
        BEGIN
            RETURN QUERY
            WITH named AS MATERIALIZED (
                SELECT n.source_key, n.same_id_as
                FROM dead_letter_named(letter.source, letter.source_key, letter.payload, letter.payload_raw) n
            ), added AS (
                INSERT INTO dlq_events (event_type, payload, payload_raw, headers, error_reason, error_category,
                    error_stacktrace, status, retry_count, retry_after, source, source_key, same_id_as, queue,
                    group_key, original_message_id, first_failure_at, crash_count)
                SELECT left(letter.event_type, 255), letter.payload, letter.payload_raw, coalesce(letter.headers, '{}'),
                    letter.error_reason, letter.error_category, letter.error_stacktrace,
                    coalesce(letter.status, 'PENDING'), coalesce(letter.retry_count, 0), letter.retry_after,
                    letter.source, n.source_key, n.same_id_as, letter.queue, letter.group_key,
                    letter.original_message_id, least(letter.first_failure_at, statement_timestamp()),
                    coalesce(letter.crash_count, 0)
                FROM named n
                ON CONFLICT (source, source_key) DO UPDATE
                SET (occurrences, retry_count, last_failure_at, status, retry_after, error_reason, error_category,
                    error_stacktrace) = (SELECT * FROM dead_letter_again(dlq_events, excluded))
                WHERE dead_letter_same_bytes(dlq_events, excluded)
                RETURNING dlq_events.id
            )
            SELECT coalesce(a.id, dead_letter_raced()), (
                SELECT b.status::text FROM dlq_events b WHERE b.id = a.id AND b.status IN ('SUCCEEDED', 'DISCARDED'))
            FROM (SELECT) once LEFT JOIN added a ON true;
            RETURN;
        EXCEPTION WHEN serialization_failure THEN
            IF try = 10 OR current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION public.dead_letter_add(letter public.dlq_events) IS 'Adds one dead letter, or one occurrence more to the row of the same event; its id, and the state in which that was closed until now.';
CREATE FUNCTION public.dead_letter_again(was public.dlq_events, again public.dlq_events) RETURNS TABLE(occurrences integer, retry_count integer, last_failure_at timestamp with time zone, status text, retry_after timestamp with time zone, error_reason text, error_category text, error_stacktrace text)
    LANGUAGE sql STABLE
    AS $$
    SELECT was.occurrences + again.occurrences, was.retry_count + again.retry_count, clock_timestamp(),
        CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') THEN again.status ELSE was.status END,
        CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') THEN again.retry_after ELSE was.retry_after END,
        CASE WHEN was.status IN ('REVIVED', 'RETRYING') THEN was.error_reason ELSE again.error_reason END,
        -- what the error itself said: the trigger asks the rules anew
        CASE WHEN was.status IN ('REVIVED', 'RETRYING') THEN was.error_category
            ELSE coalesce(again.said_category, again.error_category) END,
        CASE WHEN was.status IN ('REVIVED', 'RETRYING') THEN was.error_stacktrace ELSE again.error_stacktrace END
$$;
COMMENT ON FUNCTION public.dead_letter_again(was public.dlq_events, again public.dlq_events) IS 'What a redelivered failure changes in its row: one occurrence more, and the newest error, but where it is under way: what that comes to is not known yet. What was closed is open again.';
CREATE FUNCTION public.dead_letter_ahead(of_queue text, of_group text, message_id bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM queues q WHERE q.name = of_queue AND q.on_dead_letter = 'hold' AND q.fifo_groups
    ) THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT d.id FROM dlq_events d
        WHERE d.queue = of_queue AND d.group_key = of_group AND d.original_message_id < message_id
            AND d.status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')
        ORDER BY d.queue, d.group_key, d.original_message_id LIMIT 1
    );
END $$;
COMMENT ON FUNCTION public.dead_letter_ahead(of_queue text, of_group text, message_id bigint) IS 'The dead letter that a message waits for, on a queue that holds: the first open one of its group whose message was sent before it. NULL where it need not wait.';
CREATE FUNCTION public.dead_letter_becomes(failed_as text, retries integer, allowed integer, is_killer boolean DEFAULT false) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN is_killer THEN 'QUARANTINED'::text WHEN ((failed_as = 'PENDING'::text) AND (retries >= allowed)) THEN 'EXHAUSTED'::text ELSE failed_as END;
COMMENT ON FUNCTION public.dead_letter_becomes(failed_as text, retries integer, allowed integer, is_killer boolean) IS 'The state of a dead letter that has failed again: failed_as (PENDING, or QUARANTINED where it cannot be read), EXHAUSTED when as many retries as allowed have failed, QUARANTINED when it has killed its workers, or timed out too often.';
CREATE FUNCTION public.dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    target bigint;
BEGIN
    SELECT m.group_id INTO target FROM group_merges m
    WHERE m.fingerprint_id = old_group OR m.group_id = old_group
    ORDER BY m.fingerprint_id = old_group DESC LIMIT 1;
    IF target IS NOT NULL AND fingerprint <> target THEN
        INSERT INTO group_merges (fingerprint_id, group_id, actor, reason)
        SELECT fingerprint, target, m.actor, m.reason FROM group_merges m
        WHERE m.fingerprint_id = old_group OR m.group_id = old_group
        ORDER BY m.fingerprint_id = old_group DESC LIMIT 1
        ON CONFLICT DO NOTHING;
    END IF;
    -- looked up here: the statement that calls may have carried a merge of this fingerprint with an earlier row
    RETURN coalesce((SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = fingerprint), its_group);
END $$;
COMMENT ON FUNCTION public.dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint) IS 'The group of a dead letter whose fingerprint is made anew by a newer version. A merge was of the older fingerprint: it goes for the one that the dead letter has now, too.';
CREATE FUNCTION public.dead_letter_claim(for_type text, most integer DEFAULT 50, claimant text DEFAULT NULL::text, lease interval DEFAULT '00:01:00'::interval) RETURNS TABLE(id bigint, event_type text, payload jsonb, payload_raw bytea, headers jsonb, retry_count integer, max_retries integer, token uuid, source text, source_key text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letter_claim(for_type text, most integer, claimant text, lease interval) IS 'Claims due dead letters of an event type under a lease, from any language, as far as policies, their windows and pauses, and breakers allow it. Commit before you handle them: others see the claim from then on. Each counts as an attempt. Settle it by its token: dead_letter_succeeded, dead_letter_failed. A lease that runs out is a crash.';
CREATE FUNCTION public.dead_letter_classify(event_type text, said text, fixed boolean, error_reason text, error_stacktrace text) RETURNS public.dead_letter_class
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    made dead_letter_class;
    merged boolean;
    matching failure_rules[];
    rule failure_rules;
    state text;
    status text;
    words text;
BEGIN
    made.error_class := dead_letter_error_class(error_reason);
    made.message := dead_letter_message(made.error_class, error_reason);
    made.frames := CASE WHEN error_stacktrace <> '' THEN dead_letter_frames(error_stacktrace) ELSE '' END;
    made.category := said;
    -- a rule that fails is as good as none: no dead letter may be lost for it
    BEGIN
        state := dead_letter_sqlstate(error_reason);
        status := dead_letter_http_status(error_reason);
        -- One query for all: to begin one costs more than to ask thirty rules.
        SELECT EXISTS (SELECT FROM group_merges), ARRAY(
            SELECT r FROM failure_rules r
            WHERE r.enabled AND (NOT r.shipped OR said = 'UNKNOWN' AND NOT fixed) AND CASE
                WHEN r.event_type <> ''
                    AND dead_letter_classify.event_type NOT LIKE dead_letter_wildcards(r.event_type)
                    THEN false
                WHEN r.error_class <> ''
                    AND made.error_class NOT LIKE dead_letter_wildcards(r.error_class)
                    AND split_part(made.error_class, '.', -1) NOT LIKE dead_letter_wildcards(r.error_class)
                    THEN false
                WHEN r.sqlstate <> '' AND (state = '' OR NOT state LIKE ANY (
                    string_to_array(replace(replace(r.sqlstate, ' ', ''), '*', '%'), ','))) THEN false
                WHEN r.http_status <> '' AND (status = '' OR NOT status LIKE ANY (
                    string_to_array(replace(replace(r.http_status, ' ', ''), 'x', '_'), ','))) THEN false
                WHEN r.pattern <> '' THEN left(error_reason, 2000) ~ r.pattern
                ELSE true END
            ORDER BY r.shipped, r.position, r.id
        ) INTO merged, matching;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'the failure rules were passed over: %', SQLERRM;
        merged := EXISTS (SELECT FROM group_merges);
        matching := '{}';
    END;
    FOREACH rule IN ARRAY matching LOOP
        IF rule.category <> '' AND made.category_rule_id IS NULL AND NOT fixed
            AND (said = 'UNKNOWN' OR rule.overrides)
        THEN
            made.category := rule.category;
            made.category_rule_id := rule.id;
        END IF;
        IF rule.fingerprint <> '' AND made.fingerprint_rule_id IS NULL THEN
            words := rule.fingerprint;
            made.fingerprint_rule_id := rule.id;
        END IF;
    END LOOP;
    IF words IS NULL THEN
        made.fingerprint_id := dead_letter_hash(concat_ws(E'\x1f', '2', event_type, made.category,
            made.error_class, made.frames, made.message));
    ELSE
        words := replace(replace(replace(replace(words, '{type}', event_type), '{class}', made.error_class),
            '{sqlstate}', state), '{status}', status);
        made.fingerprint_id := dead_letter_hash(CASE WHEN strpos(words, '{default}') > 0
            THEN concat_ws(E'\x1f', '2+', words, event_type, made.category, made.error_class, made.frames, made.message)
            ELSE concat_ws(E'\x1f', '2=', words) END);
        made.message := left(replace(words, '{default}', made.message), 300);
    END IF;
    made.group_id := made.fingerprint_id;
    IF merged THEN
        made.group_id := coalesce(
            (SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = made.fingerprint_id),
            made.fingerprint_id);
    END IF;
    RETURN made;
END $$;
COMMENT ON FUNCTION public.dead_letter_classify(event_type text, said text, fixed boolean, error_reason text, error_stacktrace text) IS 'Category, fingerprint and group of a failure. said: the category that the error itself said; where it is fixed no rule may change it.';
CREATE FUNCTION public.dead_letter_classify_new(event_type text, said text, error_reason text, error_stacktrace text) RETURNS public.dead_letter_class
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    made dead_letter_class;
    rules text[] := string_to_array(current_setting('dlq.rules', true), ' ');
    key text;
    slot text;
    kept text;
BEGIN
    -- A setting is anybody's to change: it is for those alone who may write these columns anyway.
    IF NOT has_table_privilege(session_user, 'dlq_events'::regclass, 'UPDATE') THEN
        RETURN dead_letter_classify(event_type, said, false, error_reason, error_stacktrace);
    END IF;
    IF rules[1] IS DISTINCT FROM extract(epoch FROM statement_timestamp())::text THEN
        rules := string_to_array(set_config('dlq.rules', failure_rules_read(), false), ' ');
    END IF;
    key := md5(concat_ws(E'\x1f', rules[2], event_type, said,
        CASE WHEN rules[3] = 'digits' OR strpos(error_reason, E'\n') > 0 OR strpos(error_reason, E'\r') > 0
            THEN error_reason
            ELSE concat_ws(E'\x1f',
                -- most classes have no digit, and what has none need not be looked for
                CASE WHEN split_part(left(error_reason, 300), ':', 1) ~ '[0-9]'
                    THEN dead_letter_error_class(error_reason) END,
                dead_letter_sqlstate(error_reason), dead_letter_http_status(error_reason),
                translate(error_reason, '123456789', '000000000')) END,
        error_stacktrace));
    slot := 'dlq.sentence_' || left(key, 3);
    kept := current_setting(slot, true);
    IF starts_with(kept, key) THEN
        made := substr(kept, 33)::dead_letter_class;
    ELSE
        made := dead_letter_classify(event_type, said, false, error_reason, error_stacktrace);
        made.message := NULL;
        made.frames := NULL;
        PERFORM set_config(slot, key || made::text, false);
    END IF;
    IF rules[4] = 'merged' THEN
        made.group_id := coalesce((SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = made.fingerprint_id),
            made.fingerprint_id);
    END IF;
    RETURN made;
END $$;
COMMENT ON FUNCTION public.dead_letter_classify_new(event_type text, said text, error_reason text, error_stacktrace text) IS 'The same of a new dead letter, but for message and frames: of what is alike only the first is looked at.';
CREATE FUNCTION public.dead_letter_elsewhere(its_source text, its_key text) RETURNS public.dlq_events
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    letter dlq_events;
    number bigint;
BEGIN
    SELECT d.id INTO number FROM dlq_events d WHERE d.source = its_source AND d.source_key = its_key;
    IF number IS NULL THEN
        number := (dead_letter_sent_as(its_source, its_key)).dlq_event_id;
    END IF;
    -- The other system may be quicker than the relay that sends to it, and holds the message until that is noted.
    PERFORM FROM message_queue m WHERE m.dlq_event_id = number ORDER BY m.id FOR UPDATE;
    SELECT d.* INTO letter FROM dlq_events d WHERE d.id = number FOR UPDATE;
    IF EXISTS (SELECT FROM message_queue m WHERE m.dlq_event_id = number AND m.revive_seq = letter.revive_count) THEN
        RETURN NULL;
    END IF;
    RETURN letter;
END $$;
COMMENT ON FUNCTION public.dead_letter_elsewhere(its_source text, its_key text) IS 'Locks a dead letter; NULL: there is none, or its message is on our queue, and what becomes of that decides.';
CREATE FUNCTION public.dead_letter_error_class(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (split_part(ltrim("left"(error_reason, 300), ' 	
'::text), ':'::text, 1) ~ '^[A-Za-z_](?:[0-9]{0,3}[A-Za-z_.])*(?:[0-9]{1,3}|[0-9]{0,3}[A-Za-z_])$'::text) THEN "left"(split_part(ltrim("left"(error_reason, 300), ' 	
'::text), ':'::text, 1), 255) ELSE ''::text END;
COMMENT ON FUNCTION public.dead_letter_error_class(error_reason text) IS '"PlaneUnknown: tailnum N1 …" is of class PlaneUnknown; "connection refused: billing" has none, and "order_12345: failed" neither: four digits in a row are a number, not a name.';
CREATE FUNCTION public.dead_letter_failed(dead_letter_id bigint, token uuid, error_reason text, error_class text DEFAULT NULL::text, error_stacktrace text DEFAULT ''::text, error_category text DEFAULT 'UNKNOWN'::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letter_failed(dead_letter_id bigint, token uuid, error_reason text, error_class text, error_stacktrace text, error_category text) IS 'Whoever claimed it says that it failed again: PENDING, to be tried after the wait of its policy, or EXHAUSTED when that was the last. NULL: the lease was lost, and nothing is changed.';
CREATE FUNCTION public.dead_letter_failed_there(place text, letter bigint, revival integer, its_source text, its_key text, its_payload jsonb, its_raw bytea, reason text, category text, stacktrace text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    was dlq_events;
    came_back boolean;
    told_before bigint;
BEGIN
    SELECT a.dlq_event_id INTO told_before FROM dlq_attempts a
    WHERE a.message = left(place, 320) AND a.dlq_event_id IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RETURN told_before;
    END IF;
    SELECT d.* INTO was FROM dlq_events d WHERE d.id = letter AND d.revive_count = revival FOR UPDATE;
    came_back := FOUND;
    IF NOT came_back THEN
        SELECT d.* INTO was FROM dead_letter_named(its_source, its_key, its_payload, its_raw) n
        JOIN dlq_events d ON d.source = its_source AND d.source_key = n.source_key
        WHERE d.headers ->> 'dlq_record' IS DISTINCT FROM place
        FOR UPDATE OF d;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    UPDATE dlq_events d
    SET status = CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') OR came_back AND was.status = 'REVIVED'
            THEN 'PENDING' ELSE was.status END,
        occurrences = was.occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = greatest(was.retry_after, clock_timestamp() + interval '1 minute'),
        error_reason = CASE WHEN was.status = 'RETRYING' THEN was.error_reason ELSE reason END,
        error_category = CASE WHEN was.status = 'RETRYING' THEN was.error_category ELSE category END,
        error_stacktrace = CASE WHEN was.status = 'RETRYING' THEN was.error_stacktrace ELSE stacktrace END,
        come_backs = was.come_backs + (came_back AND was.status = 'SUCCEEDED')::integer
    WHERE d.id = was.id;
    IF came_back THEN
        DELETE FROM forwarded_messages f WHERE f.dlq_event_id = letter AND f.revive_seq = revival;
    END IF;
    -- It was taken for a success too soon, as its group had read past it: it came back all the same.
    IF came_back AND was.status = 'SUCCEEDED' AND was.operation_id IS NOT NULL THEN
        INSERT INTO revival_outcomes (operation_id, group_id, succeeded, failed)
        VALUES (was.operation_id, was.group_id, -1, 1);
    END IF;
    PERFORM attempts_add(ARRAY[attempt(CASE WHEN came_back THEN 'revive' ELSE 'reported' END, 'failed', was.id, place,
        'noted at ' || left(place, 200), CASE WHEN came_back THEN was.revived_at END, category => category,
        reason => reason, stacktrace => stacktrace,
        reopened_from => CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') THEN was.status END)]);
    RETURN was.id;
END $$;
COMMENT ON FUNCTION public.dead_letter_failed_there(place text, letter bigint, revival integer, its_source text, its_key text, its_payload jsonb, its_raw bytea, reason text, category text, stacktrace text) IS 'One more failure of an event that is a dead letter already, noted by somebody else at a place; the dead letter, or NULL for an event that is none. A revived one returns. The same place told again changes nothing.';
CREATE FUNCTION public.dead_letter_frames(error_stacktrace text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    trace text;
    lines text[];
    line text;
    place text;
    frame text;
    nearest text := '';
    frames text := '';
    kept integer := 0;
BEGIN
    IF error_stacktrace IS NULL OR error_stacktrace = '' THEN
        RETURN '';
    END IF;
    trace := CASE WHEN octet_length(error_stacktrace) > 32768 THEN left(error_stacktrace, 32768)
        ELSE error_stacktrace END;
    IF strpos(trace, 'File "') > 0 THEN
        lines := string_to_array(split_part(trace, 'Traceback (most recent call last)', -1), E'\n');
        FOR number IN REVERSE cardinality(lines) .. 1 LOOP
            line := lines[number];
            CONTINUE WHEN strpos(line, 'File "') = 0 OR strpos(line, ', in ') = 0;
            place := replace(split_part(line, '"', 2), '\', '/');
            -- strpos, as an expression costs twenty times as much
            CONTINUE WHEN strpos(place, '-packages/') > 0 OR strpos(place, '/lib/python') > 0
                OR strpos(place, '<') = 1 OR strpos(place, '/pyspark') > 0
                OR strpos(place, '/dlqconsole/') > 0
                    AND place ~ '/dlqconsole/(?:processing|engine|retries|operations|transports|pipeline)/';
            frame := split_part(place, '/', -1) || ' ' || split_part(split_part(line, ', in ', -1), '.', -1);
            CONTINUE WHEN frame = nearest;
            nearest := frame;
            frames := left(frame, 200) || E'\n' || frames;
            kept := kept + 1;
            EXIT WHEN kept = 5;
        END LOOP;
    ELSIF strpos(trace, 'at ') > 0 THEN
        lines := string_to_array(split_part(trace, 'Caused by: ', -1), E'\n');
        FOREACH line IN ARRAY lines LOOP
            line := ltrim(line, E' \t');
            CONTINUE WHEN line NOT LIKE 'at %(%';
            place := substr(split_part(line, '(', 1), 4);
            IF place LIKE '% ' THEN
                -- Node: at charge (/srv/app/orders.js:10:5)
                line := replace(split_part(line, '(', 2), '\', '/');
                CONTINUE WHEN line ~ '/node_modules/|^node:|^internal/|^<';
                frame := split_part(split_part(line, '/', -1), ':', 1) || ' '
                    || split_part(rtrim(place), ' ', -1);
            ELSE
                frame := split_part(place, '/', -1);
                CONTINUE WHEN frame ~
                    '^(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|org\.apache\.spark|org\.springframework'
                    '|System|Microsoft)\.';
                -- what a compiler or a proxy made up: $$Lambda$14/0x7f, $$EnhancerBySpringCGLIB$$a1b2, lambda$charge$0
                IF strpos(frame, '$') > 0 THEN
                    frame := regexp_replace(regexp_replace(frame, '\$\$[^.]*', '', 'g'), '\$[0-9]+', '', 'g');
                END IF;
            END IF;
            CONTINUE WHEN frame = nearest;
            nearest := frame;
            frames := left(frame, 200) || E'\n' || frames;
            kept := kept + 1;
            EXIT WHEN kept = 5;
        END LOOP;
    END IF;
    RETURN rtrim(frames, E'\n');
END $_$;
COMMENT ON FUNCTION public.dead_letter_frames(error_stacktrace text) IS 'The application''s own frames, outermost first, a line each: of the last exception in the trace, the five nearest to where it failed. Neither line numbers nor folders: they change with every deploy.';
CREATE FUNCTION public.dead_letter_hash(parts text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((('x'::text || "left"(md5(parts), 15)))::bit(60))::bigint;
COMMENT ON FUNCTION public.dead_letter_hash(parts text) IS '60 bits of the hash: positive, and exact wherever numbers are doubles. Deterministic, so that writers of one fingerprint need no shared row.';
CREATE FUNCTION public.dead_letter_held(letter bigint, shown uuid) RETURNS public.dlq_events
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT d FROM dlq_events d
    WHERE d.id = letter AND d.lease_token = shown AND d.status = 'RETRYING' AND starts_with(d.owner, session_user || ' (')
$$;
COMMENT ON FUNCTION public.dead_letter_held(letter bigint, shown uuid) IS 'The dead letter that this role has claimed by dead_letter_claim; NULL: its lease was lost.';
CREATE FUNCTION public.dead_letter_hours_of(occurred_at timestamp with time zone, created_at timestamp with time zone) RETURNS TABLE(part text, hour timestamp with time zone)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    VALUES ('dead', coalesce(date_trunc('hour', occurred_at, 'UTC'), '-infinity')),
        ('failed', date_trunc('hour', created_at, 'UTC'))
$$;
COMMENT ON FUNCTION public.dead_letter_hours_of(occurred_at timestamp with time zone, created_at timestamp with time zone) IS 'The hours of event_changes that a dead letter is counted in.';
CREATE FUNCTION public.dead_letter_http_status(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((strpos("left"(error_reason, 2000), 'HTTP'::text) > 0) OR (strpos("left"(error_reason, 2000), 'tatus'::text) > 0) OR (strpos("left"(error_reason, 2000), 'Client '::text) > 0) OR (strpos("left"(error_reason, 2000), 'Server '::text) > 0)) THEN COALESCE("substring"("left"(error_reason, 2000), '(?:HTTP(?:/[0-9.]+)?(?: [Ss]tatus)?(?: [Cc]ode)?(?: [Ee]rror)?|[Ss]tatus(?:[ _-]?[Cc]ode)?|(?:Client|Server) error)[^0-9A-Za-z]{1,4}([1-5][0-9]{2})(?![0-9A-Za-z])'::text), "substring"("left"(error_reason, 2000), '(?:^|[^0-9A-Za-z])([1-5][0-9]{2}) (?:Client|Server) Error'::text), ''::text) ELSE ''::text END;
COMMENT ON FUNCTION public.dead_letter_http_status(error_reason text) IS '"503" where the reason says it: "[HTTP 503]", "HTTP/1.1 503", "status code: 503", "HTTP Error 503", "503 Server Error", "Server error ''503 …"; else empty.';
CREATE FUNCTION public.dead_letter_ids(source_key text, message_id bigint, headers jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    ids text[] := ARRAY[lower(left(source_key, 200))];
BEGIN
    IF message_id IS NOT NULL THEN
        ids := ids || message_id::text;
    END IF;
    IF headers = '{}' OR jsonb_typeof(headers) <> 'object' THEN
        RETURN ids;
    END IF;
    RETURN ids || ARRAY(
        SELECT lower(left(CASE WHEN lower(h.key) = 'traceparent' THEN split_part(h.value, '-', 2) ELSE h.value END, 200))
        FROM jsonb_each_text(headers) h
        WHERE h.value <> '' AND lower(h.key) ~
            '^(?:traceparent|(?:.*[^a-z])?(?:message|correlation|trace|request|event)[-_. ]?id)$');
END $_$;
COMMENT ON FUNCTION public.dead_letter_ids(source_key text, message_id bigint, headers jsonb) IS 'What a dead letter is looked up by, in small letters: its source key, the number of its message, and of its headers message, correlation, trace, request and event ids, and the trace id in a traceparent.';
CREATE FUNCTION public.dead_letter_keep_failure(replaced public.dlq_events) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT attempts_add(ARRAY[attempt('reported', 'failed', replaced.id, finished_at => replaced.last_failure_at,
        category => coalesce(replaced.said_category, replaced.error_category), reason => replaced.error_reason,
        stacktrace => replaced.error_stacktrace)])
    -- Where it failed while it was under way, the row still shows what was said before, and that is an attempt.
    WHERE NOT EXISTS (
        SELECT FROM dlq_attempts a
        WHERE a.dlq_event_id = replaced.id AND a.outcome = 'failed' AND a.finished_at >= replaced.last_failure_at
    ) OR NOT EXISTS (
        SELECT FROM dlq_attempts a
        WHERE a.dlq_event_id = replaced.id AND a.outcome = 'failed'
            AND a.error_reason = replaced.error_reason AND a.error_stacktrace = replaced.error_stacktrace
    )
$$;
COMMENT ON FUNCTION public.dead_letter_keep_failure(replaced public.dlq_events) IS 'Makes an attempt of the failure that a dead letter shows, unless whoever reported it has written one.';
CREATE FUNCTION public.dead_letter_keeps_coming(come_backs integer, most integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((most > 0) AND (come_backs >= most));
COMMENT ON FUNCTION public.dead_letter_keeps_coming(come_backs integer, most integer) IS 'Whether a dead letter has come back so often from its queue that it goes to a person, and not there again: the schedule leaves it alone, and a revive of many skips it. Never where most (DLQ_COME_BACKS) is 0.';
CREATE FUNCTION public.dead_letter_key(its_key text, its_payload jsonb, its_raw bytea) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (("left"(its_key, 1000) || ':'::text) || "left"(COALESCE(md5(its_raw), md5((its_payload)::text)), 12));
COMMENT ON FUNCTION public.dead_letter_key(its_key text, its_payload jsonb, its_raw bytea) IS 'The key of an event whose own is another event''s, with other bytes: the same whoever brings it.';
CREATE FUNCTION public.dead_letter_message(error_class text, error_reason text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    line text := left(split_part(split_part(ltrim(left(error_reason, 1000), E' \t\r\n'), E'\n', 1), E'\r', 1), 600);
    rest text;
    found text;
BEGIN
    IF coalesce(line, '') = '' THEN
        RETURN '';
    END IF;
    rest := substr(line, length(error_class) + 1);
    IF strpos(rest, '"') > 0 OR strpos(rest, '''') > 0 OR strpos(rest, '/') > 0 OR strpos(rest, '@') > 0
        OR strpos(rest, '`') > 0 OR strpos(rest, '\') > 0 OR strpos(rest, '“') > 0
    THEN
        -- quoted values; an apostrophe within a word quotes nothing
        IF strpos(rest, '"') > 0 OR strpos(rest, '''') > 0 OR strpos(rest, '`') > 0 OR strpos(rest, '“') > 0 THEN
            rest := regexp_replace(rest,
                '"[^"]*"|`[^`]*`|“[^”]*”|(?<![[:alnum:]>])''[^'']*''(?![[:alnum:]])', '<value>', 'g');
        END IF;
        IF strpos(rest, '://') > 0 THEN
            rest := regexp_replace(rest, '[[:alnum:]+.-]+://[^[:space:]"''<>]*', '<value>', 'g');
        END IF;
        IF strpos(rest, '@') > 0 THEN
            rest := regexp_replace(rest, '[[:alnum:]._%+-]+@[[:alnum:].-]+', '<value>', 'g');
        END IF;
        -- paths: two steps at least, so that "and/or" and "application/json" stay
        IF rest ~ '[/\\][^/\\]+[/\\]' THEN
            rest := regexp_replace(rest,
                '(?<![[:alnum:]_>])(?:[A-Za-z]:)?(?:[/\\][^[:space:]/\\"'',;:()<>]+){2,}[/\\]?', '<value>', 'g');
        END IF;
    END IF;
    -- every word with a digit in it: numbers, uuids, dates, times, durations, addresses with their ports, hex,
    -- ids, tail numbers; and eight or more hex digits that happen to be letters
    rest := CASE WHEN strpos(rest, '[') > 0 OR rest ~ '[a-f]{8}' THEN regexp_replace(rest,
        '[[:alnum:]_./:@%+-]*[0-9][[:alnum:]_/:@%+-]*(?:\.[[:alnum:]_/:@%+-]+)*|\m[a-f]{8,}\M'
        '|\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\](?::[0-9]+)?', '<value>', 'g')
    ELSE regexp_replace(rest,
        '[[:alnum:]_./:@%+-]*[0-9][[:alnum:]_/:@%+-]*(?:\.[[:alnum:]_/:@%+-]+)*', '<value>', 'g') END;
    -- words of three capitals (airports, currencies), days and months
    IF rest ~ '[A-Z][A-Za-z]{2}' THEN
        rest := regexp_replace(rest,
            '\m(?:[A-Z]{3}|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\M', '<code>', 'g');
    END IF;
    -- a list is one value, however long
    IF strpos(rest, '<value>, <value>') > 0 OR strpos(rest, '<value> <value>') > 0
        OR strpos(rest, '<value>,<value>') > 0 OR strpos(rest, '<value><value>') > 0
    THEN
        rest := regexp_replace(rest, '<value>(?:(?:, ?| )?<value>)+', '<value>', 'g');
    END IF;
    -- 404 and 503 are two causes, and so are two SQLSTATEs
    IF strpos(line, 'HTTP') > 0 OR strpos(line, 'tatus') > 0 OR strpos(line, 'Client ') > 0
        OR strpos(line, 'Server ') > 0 OR strpos(line, 'SQL') > 0 OR strpos(line, 'ql') > 0
    THEN
        found := dead_letter_sqlstate(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'SQLSTATE <value>') > 0
                THEN replace(rest, 'SQLSTATE <value>', 'SQLSTATE ' || found)
                ELSE left(rest, 200) || ' [SQLSTATE ' || found || ']' END;
        END IF;
        found := dead_letter_http_status(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'HTTP <value>') > 0
                THEN replace(rest, 'HTTP <value>', 'HTTP ' || found)
                ELSE left(rest, 200) || ' [HTTP ' || found || ']' END;
        END IF;
    END IF;
    RETURN left(error_class || rest, 300);
END $$;
COMMENT ON FUNCTION public.dead_letter_message(error_class text, error_reason text) IS 'The first line of a reason with its variable parts taken out, so that one cause is one group. What stands before the colon, the class, is kept.';
CREATE FUNCTION public.dead_letter_message(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.dead_letter_message(public.dead_letter_error_class(error_reason), error_reason);
COMMENT ON FUNCTION public.dead_letter_message(error_reason text) IS 'The same of a reason whose class nobody has looked for yet.';
CREATE VIEW public.dead_letter_transitions AS
 SELECT from_status,
    to_status,
    meaning
   FROM ( VALUES ('PENDING'::text,'RETRYING'::text,'claimed by the schedule or an operation'::text), ('PENDING'::text,'EXHAUSTED'::text,'no retries left'::text), ('PENDING'::text,'REVIVED'::text,'revived'::text), ('PENDING'::text,'DISCARDED'::text,'discarded, or its restoring undone'::text), ('PENDING'::text,'SUCCEEDED'::text,'another scheduler, or its own system, says that it succeeded'::text), ('RETRYING'::text,'SUCCEEDED'::text,'its handler succeeded'::text), ('RETRYING'::text,'PENDING'::text,'failed again, its worker died, or it was given back as it had been'::text), ('RETRYING'::text,'EXHAUSTED'::text,'failed again at the maximum, or was given back as it had been'::text), ('RETRYING'::text,'QUARANTINED'::text,'cannot be read, stopped its worker 3 times, timed out 5 times, or was given back as it had been'::text), ('EXHAUSTED'::text,'RETRYING'::text,'retried by a person'::text), ('EXHAUSTED'::text,'REVIVED'::text,'revived'::text), ('EXHAUSTED'::text,'DISCARDED'::text,'discarded'::text), ('EXHAUSTED'::text,'SUCCEEDED'::text,'its own system says that it succeeded'::text), ('QUARANTINED'::text,'RETRYING'::text,'retried by a person'::text), ('QUARANTINED'::text,'REVIVED'::text,'revived'::text), ('QUARANTINED'::text,'DISCARDED'::text,'discarded'::text), ('QUARANTINED'::text,'SUCCEEDED'::text,'its own system says that it succeeded'::text), ('REVIVED'::text,'SUCCEEDED'::text,'its message was completed'::text), ('REVIVED'::text,'PENDING'::text,'its message failed again or is gone, or the revival was undone'::text), ('REVIVED'::text,'EXHAUSTED'::text,'its message failed again or is gone at the maximum, or the revival was undone'::text), ('REVIVED'::text,'QUARANTINED'::text,'its message cannot be read, its consumer stopped 3 times while it held it, it timed out 5 times, or the revival was undone'::text), ('DISCARDED'::text,'PENDING'::text,'restored, failed again, or the discarding undone'::text), ('DISCARDED'::text,'EXHAUSTED'::text,'failed again at the maximum, or the discarding undone'::text), ('DISCARDED'::text,'QUARANTINED'::text,'came again and cannot be read, or the discarding undone'::text), ('SUCCEEDED'::text,'PENDING'::text,'the same event failed again'::text), ('SUCCEEDED'::text,'EXHAUSTED'::text,'the same event failed again at the maximum'::text), ('SUCCEEDED'::text,'QUARANTINED'::text,'the same event came again and cannot be read'::text)) moves(from_status, to_status, meaning);
COMMENT ON VIEW public.dead_letter_transitions IS 'The moves that a dead letter may make, whoever moves it: a trigger of dlq_events refuses every other.';
CREATE FUNCTION public.dead_letter_moves() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT ((t.from_status || ' '::text) || t.to_status) FROM public.dead_letter_transitions t);
COMMENT ON FUNCTION public.dead_letter_moves() IS 'dead_letter_transitions as the trigger of dlq_events reads it. A session reads it once: after a change of the view programs are started anew.';
CREATE TABLE public.payload_versions (
    id bigint NOT NULL,
    dlq_event_id bigint NOT NULL,
    number integer NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    actor text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    operation_id bigint,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.payload_versions IS 'What a dead letter held before or after somebody edited it. Number 0 is the original.';
COMMENT ON COLUMN public.payload_versions.actor IS 'empty for the original';
CREATE FUNCTION public.dead_letter_named(its_source text, its_key text, its_payload jsonb, its_raw bytea) RETURNS TABLE(source_key text, same_id_as bigint)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (k.id IS NULL) THEN dead_letter_named.its_key
             ELSE public.dead_letter_key(dead_letter_named.its_key, dead_letter_named.its_payload, dead_letter_named.its_raw)
         END AS dead_letter_key,
     k.id
    FROM (( SELECT) event
      LEFT JOIN public.dlq_events k ON ((((k.source)::text = dead_letter_named.its_source) AND ((k.source_key)::text = dead_letter_named.its_key) AND (((k.payload)::text IS DISTINCT FROM (dead_letter_named.its_payload)::text) OR (k.payload_raw IS DISTINCT FROM dead_letter_named.its_raw)) AND (NOT (EXISTS ( SELECT
            FROM public.payload_versions v
           WHERE ((v.dlq_event_id = k.id) AND (NOT ((v.payload)::text IS DISTINCT FROM (dead_letter_named.its_payload)::text)) AND (NOT (v.payload_raw IS DISTINCT FROM dead_letter_named.its_raw)))))))));
END;
COMMENT ON FUNCTION public.dead_letter_named(its_source text, its_key text, its_payload jsonb, its_raw bytea) IS 'Under which key a failed event is kept. Bytes that no version of a dead letter holds are another event, though they come under its source and id: it has a key of its own and names the first one in same_id_as. Compared as text: 1 and 1.0 are equal numbers, and two payloads.';
CREATE FUNCTION public.dead_letter_raced() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'another event took this source and key in the same moment'
        USING ERRCODE = 'serialization_failure', HINT = 'Do it again: its bytes are compared with that one''s.';
END $$;
COMMENT ON FUNCTION public.dead_letter_raced() IS 'Undoes the statement that calls it, as one that came too late; who sent it sends it again.';
CREATE FUNCTION public.dead_letter_recovered(source text, source_key text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    was CONSTANT dlq_events := dead_letter_elsewhere(source, source_key);
    since timestamptz;
BEGIN
    IF was.id IS NULL OR was.status NOT IN ('PENDING', 'EXHAUSTED', 'QUARANTINED', 'REVIVED') OR NOT (
        -- what a queue of ours gave up is for its consumers to complete
        SELECT coalesce((array_agg(a.kind ORDER BY a.id))[1] = 'reported', false) AND NOT bool_or(a.kind = 'queue')
            AND (array_agg(a.worker ORDER BY a.id))[1] ~ '^(sql|user):'
        FROM dlq_attempts a WHERE a.dlq_event_id = was.id
    ) THEN
        RETURN false;
    END IF;
    DELETE FROM forwarded_messages f WHERE f.dlq_event_id = was.id AND f.revive_seq = was.revive_count
    RETURNING f.forwarded_at INTO since;
    UPDATE dlq_events d SET status = 'SUCCEEDED' WHERE d.id = was.id AND d.status = was.status;
    -- of a PENDING one the trigger tells
    IF was.status <> 'PENDING' THEN
        PERFORM attempts_add(ARRAY[attempt(CASE WHEN was.status = 'REVIVED' THEN 'revive' ELSE 'scheduler' END,
            'succeeded', was.id, worker => session_actor(), started_at => since)]);
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION public.dead_letter_recovered(source text, source_key text) IS 'The system that an event failed in says that it succeeded there after all, revived or by other means: its dead letter is SUCCEEDED. False, and nothing is changed, where there is none, it is closed, is retried right now, or came from a queue of ours or waits on one.';
CREATE FUNCTION public.dead_letter_report(event_type text, payload jsonb, error_reason text, error_stacktrace text DEFAULT ''::text, source text DEFAULT NULL::text, source_key text DEFAULT NULL::text, error_category text DEFAULT 'UNKNOWN'::text, queue text DEFAULT NULL::text, retry_in interval DEFAULT '00:00:00'::interval, headers jsonb DEFAULT '{}'::jsonb, payload_raw bytea DEFAULT NULL::bytea, report_id uuid DEFAULT NULL::uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT failure_report('sql:' || session_user, report_id, event_type, payload, payload_raw, headers, error_reason,
        error_stacktrace, error_category, source, source_key, queue, retry_in)
$$;
COMMENT ON FUNCTION public.dead_letter_report(event_type text, payload jsonb, error_reason text, error_stacktrace text, source text, source_key text, error_category text, queue text, retry_in interval, headers jsonb, payload_raw bytea, report_id uuid) IS 'Keeps a failed event, from any language; its dead letter''s id. The same event again, by source and source_key or as the CloudEvent that it is, is one row with one occurrence more, and each failure is an attempt; other bytes under its id are a row of their own, and a closed row is open again. A revived one comes back, where headers name its revival (x-dlq-revive-seq) and another system has its message. A report that is sent again under its report_id changes nothing.';
CREATE FUNCTION public.dead_letter_return_lost(lost bigint[], their_messages text[], reasons text[], who text) RETURNS SETOF bigint
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
    WITH gone AS (
        SELECT * FROM unnest(lost, their_messages, reasons) g (id, message, reason)
    ), returned AS (
        UPDATE dlq_events d
        SET status = coalesce(d.revived_from, 'EXHAUSTED'),
            -- Whoever took the message may not want it run at once: a person has the time to look.
            retry_after = greatest(d.retry_after, clock_timestamp() + interval '1 hour')
        FROM gone g
        WHERE d.id = g.id AND d.status = 'REVIVED'
        RETURNING d.id, g.message, g.reason, least(d.revived_at, clock_timestamp()) AS revived_at
    ), told AS (
        SELECT attempts_add(array_agg(attempt('revive', 'lost', r.id, r.message, who, r.revived_at,
            reason => r.reason) ORDER BY r.id))
        FROM returned r
    )
    SELECT r.id FROM returned r, told
$$;
COMMENT ON FUNCTION public.dead_letter_return_lost(lost bigint[], their_messages text[], reasons text[], who text) IS 'Revived dead letters whose messages are lost return to where they were, each with its reason; those that did. The schedule leaves them alone for an hour. Whoever calls has locked them, in order.';
CREATE FUNCTION public.dead_letter_revive(dead_letter_id bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    message_id bigint;
    refusal text;
    broken text;
BEGIN
    WITH revived AS (
        UPDATE dlq_events d
        SET status = 'REVIVED', revive_count = d.revive_count + 1, revived_at = clock_timestamp(),
            operation_id = NULL
        WHERE d.id = dead_letter_id AND d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        RETURNING d.*
    ), sent AS (
        INSERT INTO message_queue (id, queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq)
        SELECT revived_message_id(coalesce(nullif(r.queue, ''), r.event_type), r.group_key, r.queue,
                r.original_message_id),
            coalesce(nullif(r.queue, ''), r.event_type), r.payload,
            CASE WHEN r.payload IS NULL THEN coalesce(r.payload_raw, ''::bytea) ELSE r.payload_raw END,
            revive_headers(r.headers, r.event_type, r.source, r.source_key, r.payload),
            r.group_key, r.id, r.revive_count
        FROM revived r
        RETURNING id
    ), noted AS (
        INSERT INTO audit_log (actor, action, target, reason, detail)
        SELECT 'sql:' || session_user, 'revive', 'dead_letter:' || r.id, 'dead_letter_revive()',
            jsonb_build_object('message_id', s.id, 'revive_count', r.revive_count)
        FROM revived r, sent s
    )
    SELECT id INTO message_id FROM sent;
    RETURN message_id;
EXCEPTION WHEN check_violation THEN
    -- in PostgreSQL's words, but without its DETAIL: that is the message, which its caller may not read
    GET STACKED DIAGNOSTICS refusal = MESSAGE_TEXT, broken = CONSTRAINT_NAME;
    RAISE EXCEPTION '%', refusal USING ERRCODE = 'check_violation', CONSTRAINT = broken;
END $$;
COMMENT ON FUNCTION public.dead_letter_revive(dead_letter_id bigint) IS 'Puts a dead letter back on its queue, in the group that the failed message was in. Returns the new message''s id, or NULL when it was not revivable: calling it twice never makes two messages.';
CREATE FUNCTION public.dead_letter_same_bytes(was public.dlq_events, again public.dlq_events) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (((was).payload_version > 0) OR ((NOT (((was).payload)::text IS DISTINCT FROM ((again).payload)::text)) AND (NOT ((was).payload_raw IS DISTINCT FROM (again).payload_raw))));
COMMENT ON FUNCTION public.dead_letter_same_bytes(was public.dlq_events, again public.dlq_events) IS 'Whether a dead letter is the event that comes again. Asked once dead_letter_named has looked at its versions: whoever was first in this very moment may have brought other bytes.';
CREATE TABLE public.forwarded_messages (
    id bigint NOT NULL,
    dlq_event_id bigint NOT NULL,
    revive_seq integer NOT NULL,
    queue character varying(255) NOT NULL,
    remote_id character varying(255) NOT NULL,
    forwarded_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    is_watched boolean DEFAULT true NOT NULL
);
COMMENT ON TABLE public.forwarded_messages IS 'A revived dead letter on its way through its queue of origin, until that queue has let go of it.';
COMMENT ON COLUMN public.forwarded_messages.remote_id IS 'whatever its system calls a message: a number, a UUID, an offset';
COMMENT ON COLUMN public.forwarded_messages.is_watched IS 'whether its system says what becomes of it; false: it stays REVIVED until it comes back, or a person says so';
CREATE FUNCTION public.dead_letter_sent_as(its_source text, its_key text) RETURNS public.forwarded_messages
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT f.* FROM forwarded_messages f JOIN dlq_events d ON d.id = f.dlq_event_id
    WHERE f.queue = its_source AND f.remote_id = its_key AND d.source = its_source AND d.source_key <> its_key
    ORDER BY f.id DESC LIMIT 1
$$;
COMMENT ON FUNCTION public.dead_letter_sent_as(its_source text, its_key text) IS 'The revival on its way that another system calls by this id, where it is not the event''s own; else NULL.';
CREATE FUNCTION public.dead_letter_settle_removed(letters bigint[], revivals integer[], their_messages text[], holders text[], claimed timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    who CONSTANT text := session_actor();
    lost bigint[];
    lost_messages text[];
    reasons text[];
    settled attempt[];
BEGIN
    PERFORM FROM dlq_events d WHERE d.id = ANY (letters) AND d.status = 'REVIVED' ORDER BY d.id FOR UPDATE;
    -- Looked at under the lock: what was moved to another table, or forwarded to another system, is on its way still.
    WITH gone AS MATERIALIZED (
        SELECT g.*, g.holder IS NOT NULL AND NOT EXISTS (
            -- who reports a failure and then takes the message off has given up on it
            SELECT FROM dlq_attempts a
            WHERE a.dlq_event_id = g.letter AND a.kind = 'reported' AND a.worker ~ '^(sql|user):'
                AND a.outcome = 'failed' AND a.finished_at >= g.claimed_at
        ) AS done
        FROM unnest(letters, revivals, their_messages, holders, claimed)
            g (letter, revival, message, holder, claimed_at)
        WHERE NOT EXISTS (
                SELECT FROM message_queue m WHERE m.dlq_event_id = g.letter AND m.revive_seq = g.revival
            ) AND NOT EXISTS (
                SELECT FROM forwarded_messages f WHERE f.dlq_event_id = g.letter AND f.revive_seq = g.revival
            ) AND (
                SELECT d.status = 'REVIVED' AND d.revive_count = g.revival FROM dlq_events d WHERE d.id = g.letter
            )
    ), healed AS (
        UPDATE dlq_events d SET status = 'SUCCEEDED'
        FROM gone g
        WHERE d.id = g.letter AND g.done AND d.status = 'REVIVED'
        RETURNING d.id, g.message, g.holder, g.claimed_at
    )
    SELECT (
            SELECT array_agg(attempt('revive', 'succeeded', h.id, h.message, h.holder, h.claimed_at, reason => format(
                'Completed by its consumer, without a handler of ours; taken off by %s', who)) ORDER BY h.id)
            FROM healed h
        ), array_agg(g.letter), array_agg(g.message),
        array_agg(format('MessageDeleted: %s deleted its message %s, %s', who, g.message, CASE WHEN g.holder IS NULL
            THEN 'which nobody held' ELSE 'for which a failure had been reported' END))
    INTO settled, lost, lost_messages, reasons
    FROM gone g WHERE NOT g.done;
    PERFORM attempts_add(settled);
    IF lost IS NOT NULL THEN
        PERFORM dead_letter_return_lost(lost, lost_messages, reasons, who);
    END IF;
END $$;
COMMENT ON FUNCTION public.dead_letter_settle_removed(letters bigint[], revivals integer[], their_messages text[], holders text[], claimed timestamp with time zone[]) IS 'Messages of revived dead letters were deleted. Those that a consumer held are completed: SUCCEEDED. The others are lost, or were given up by who reported a failure meanwhile, and their dead letters return to where they were. What has its message somewhere else stays REVIVED.';
CREATE FUNCTION public.dead_letter_sqlstate(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((strpos("left"(error_reason, 2000), 'SQL'::text) > 0) OR (strpos("left"(error_reason, 2000), 'ql'::text) > 0)) THEN COALESCE("substring"("left"(error_reason, 2000), '(?:SQLSTATE|SQL[Ss]tate|[Ss]ql_?[Ss]tate)[^0-9A-Za-z]{1,4}([0-9A-Z]{5})(?![0-9A-Za-z])'::text), ''::text) ELSE ''::text END;
COMMENT ON FUNCTION public.dead_letter_sqlstate(error_reason text) IS '"08006" where the reason says it: "[SQLSTATE 08006]", "SQLState: 08006"; else empty.';
CREATE FUNCTION public.dead_letter_succeeded(dead_letter_id bigint, token uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letter_succeeded(dead_letter_id bigint, token uuid) IS 'Whoever claimed it says that it succeeded. False: the lease was lost, and nothing is changed.';
CREATE TABLE public.dlq_attempts (
    id bigint NOT NULL,
    dlq_event_id bigint,
    message character varying(320) DEFAULT ''::character varying NOT NULL,
    kind character varying(16) NOT NULL,
    worker text DEFAULT ''::text NOT NULL,
    started_at public.moment DEFAULT statement_timestamp() NOT NULL,
    finished_at public.moment DEFAULT statement_timestamp() NOT NULL,
    outcome character varying(16) NOT NULL,
    error_category character varying(16) DEFAULT ''::character varying NOT NULL,
    error_reason text DEFAULT ''::text NOT NULL,
    error_stacktrace text DEFAULT ''::text NOT NULL,
    reopened_from character varying(16) DEFAULT ''::character varying NOT NULL,
    stands_for integer DEFAULT 1 NOT NULL
);
COMMENT ON TABLE public.dlq_attempts IS 'One run of a handler on an event: on its queue, by the schedule, an operation or a revived message; or a failure that another program reported. Of more than a hundred the middle is folded.';
COMMENT ON COLUMN public.dlq_attempts.dlq_event_id IS 'NULL: its message has not become a dead letter';
COMMENT ON COLUMN public.dlq_attempts.message IS 'the message it was an attempt on: <queue>/<id>';
COMMENT ON COLUMN public.dlq_attempts.error_category IS 'what the error itself said, before any rule';
COMMENT ON COLUMN public.dlq_attempts.reopened_from IS 'the state in which the dead letter was closed until then';
COMMENT ON COLUMN public.dlq_attempts.stands_for IS 'more than 1: so many attempts between the first and the newest, folded';
CREATE FUNCTION public.dead_letter_times_out(letter bigint, its_message text, its_reason text, most integer) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (starts_with(its_reason, 'HandlerTimeout:'::text) AND (most <= (1 + (SELECT count(*) AS count FROM public.dlq_attempts a WHERE (((a.dlq_event_id = dead_letter_times_out.letter) OR ((a.dlq_event_id IS NULL) AND ((a.message)::text = dead_letter_times_out.its_message))) AND starts_with(a.error_reason, 'HandlerTimeout:'::text))))));
COMMENT ON FUNCTION public.dead_letter_times_out(letter bigint, its_message text, its_reason text, most integer) IS 'Whether an event, as a dead letter or still as a message (queue/id), has now timed out as often as most: then no machine tries it again. To be asked before the attempt that failed with its_reason is written.';
CREATE FUNCTION public.dead_letter_wildcards(pattern text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(replace(pattern, '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text), '*'::text, '%'::text);
COMMENT ON FUNCTION public.dead_letter_wildcards(pattern text) IS 'A rule''s wildcards as a LIKE pattern: every sign but * is itself.';
CREATE FUNCTION public.dead_letters_claim(lanes jsonb, claimant text, but bigint[], most_come_backs integer, begins boolean DEFAULT false) RETURNS TABLE(lane integer, status text, id bigint, event_type text, payload text, payload_raw bytea, headers jsonb, source text, source_key text, retry_count integer, max_retries integer, crash_count smallint, retry_after timestamp with time zone, lease_token uuid, status_before text, operation_before bigint, group_id bigint)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letters_claim(lanes jsonb, claimant text, but bigint[], most_come_backs integer, begins boolean) IS 'Claims due dead letters of these lanes, the longest due first; but: the ids that are passed over. Those without tries left are EXHAUSTED now. begins: an attempt from now on, else from when its handler begins.';
CREATE FUNCTION public.dead_letters_due(lanes jsonb, but bigint[], most_come_backs integer) RETURNS TABLE(lane integer, id bigint, is_used_up boolean)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letters_due(lanes jsonb, but bigint[], most_come_backs integer) IS 'The soonest due dead letters of each lane, locked; is_used_up: no tries are left.';
CREATE FUNCTION public.dead_letters_fail(ids bigint[], tokens uuid[], started timestamp with time zone[], statuses text[], most integer[], delays double precision[], fatal boolean[], reasons text[], categories text[], traces text[], kind text, max_crashes integer, max_timeouts integer) RETURNS TABLE(id bigint, status text, group_id bigint)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letters_fail(ids bigint[], tokens uuid[], started timestamp with time zone[], statuses text[], most integer[], delays double precision[], fatal boolean[], reasons text[], categories text[], traces text[], kind text, max_crashes integer, max_timeouts integer) IS 'Claimed dead letters failed again: those whose tokens are still good, and an attempt of each.';
CREATE FUNCTION public.dead_letters_succeed(ids bigint[], tokens uuid[], started timestamp with time zone[], kind text) RETURNS TABLE(id bigint, status text, group_id bigint, event_type text, source text, source_key text, payload_version integer)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dead_letters_succeed(ids bigint[], tokens uuid[], started timestamp with time zone[], kind text) IS 'Claimed dead letters succeeded: those whose tokens are still good, and an attempt of each.';
CREATE FUNCTION public.dlq_attempts_folded() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    many bigint[];
    middle attempt[];
BEGIN
    IF TG_RELID <> 'dlq_attempts'::regclass THEN
        RAISE EXCEPTION 'dlq_attempts_folded serves no other table than dlq_attempts' USING ERRCODE = 'insufficient_privilege';
    END IF;
    many := ARRAY(
        SELECT a.dlq_event_id FROM dlq_attempts a
        WHERE a.dlq_event_id = ANY (ARRAY(SELECT dlq_event_id FROM added))
        GROUP BY a.dlq_event_id HAVING count(*) > 100
    );
    IF many = '{}' THEN
        RETURN NULL;
    END IF;
    -- Whoever reports a failure brings its time, and a clock may be behind: the one that was told first is never folded.
    WITH placed AS (
        SELECT a.id, row_number() OVER (PARTITION BY a.dlq_event_id ORDER BY a.finished_at, a.id) AS place,
            count(*) OVER (PARTITION BY a.dlq_event_id) AS number,
            min(a.id) OVER (PARTITION BY a.dlq_event_id) AS told_first
        FROM dlq_attempts a WHERE a.dlq_event_id = ANY (many)
    ), gone AS (
        DELETE FROM dlq_attempts a USING placed p
        WHERE a.id = p.id AND p.place > 20 AND p.place <= p.number - 59 AND a.id <> p.told_first
        RETURNING a.dlq_event_id, a.started_at, a.finished_at, a.outcome, a.reopened_from, a.stands_for
    ), folded AS (
        SELECT dlq_event_id, outcome, reopened_from, min(started_at) AS started_at, max(finished_at) AS finished_at,
            sum(stands_for)::integer AS stands_for
        FROM gone GROUP BY dlq_event_id, outcome, reopened_from
    )
    SELECT array_agg(attempt('folded', outcome, dlq_event_id, started_at => started_at, finished_at => finished_at,
        reopened_from => reopened_from, stands_for => stands_for))
    INTO middle FROM folded;
    PERFORM attempts_add(middle);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.dlq_attempts_folded() IS 'Keeps about a hundred attempts of a dead letter: the first twenty, the newest, and of those between a row for each outcome, and for each state in which it was closed until one of them.';
CREATE FUNCTION public.dlq_events_allowed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
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
END $_$;
COMMENT ON FUNCTION public.dlq_events_allowed() IS 'Refuses what a scheduler of yours must not write by plain SQL, and names what to call.';
CREATE FUNCTION public.dlq_events_another_type() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    named CONSTANT text := event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_another_type serves dlq_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF named <> NEW.event_type THEN
        NEW.queue := coalesce(NEW.queue, OLD.event_type);
        NEW.event_type := named;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION public.dlq_events_another_type() IS 'What somebody writes over with an event of another type is of that type, and stays with its queue.';
CREATE FUNCTION public.dlq_events_attempted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.dlq_events_attempted() IS 'An UPDATE of a PENDING dead letter that says SUCCEEDED, or counts one retry more, is an attempt of whoever says it.';
CREATE FUNCTION public.dlq_events_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    made dead_letter_class;
    said text;
    fixed boolean := false;
    -- somebody says that it failed once more, whatever he counts it in
    again CONSTANT boolean := NEW.occurrences > OLD.occurrences OR NEW.last_failure_at > OLD.last_failure_at;
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_changed serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.dead_lettered_at IS DISTINCT FROM OLD.dead_lettered_at THEN
        RAISE EXCEPTION 'dead letter %: dead_lettered_at never changes', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.first_failure_at > OLD.first_failure_at THEN
        RAISE EXCEPTION 'dead letter %: first_failure_at never gets later', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status THEN
        IF OLD.status || ' ' || NEW.status <> ALL (dead_letter_moves()) THEN
            RAISE EXCEPTION 'dead letter %: % cannot become %; see dead_letter_transitions',
                OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.status = 'REVIVED' AND NEW.revive_count <= OLD.revive_count THEN
            RAISE EXCEPTION 'dead letter %: REVIVED is one whose message is on its queue', OLD.id
                USING ERRCODE = 'check_violation', HINT = format('SELECT dead_letter_revive(%s) makes both.', OLD.id);
        END IF;
    END IF;
    -- A revival of tomorrow would never be missed, and a lease of next year never run out.
    IF NEW.revived_at > clock_timestamp() OR NEW.lease_until > clock_timestamp() + interval '168 hours' THEN
        IF NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
            RAISE EXCEPTION 'dead letter %: revived_at % or lease_until % is too late', OLD.id, NEW.revived_at,
                NEW.lease_until USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    -- What failed before stays readable, whoever writes over it.
    IF again OR (OLD.error_reason, OLD.error_stacktrace) IS DISTINCT FROM (NEW.error_reason, NEW.error_stacktrace)
        OR OLD.error_category <> NEW.error_category AND NEW.reclassified_at IS NOT DISTINCT FROM OLD.reclassified_at
    THEN
        PERFORM dead_letter_keep_failure(OLD);
        -- Each failure has a time of its own, also of a writer who sends none, or the beginning of his transaction.
        IF NEW.last_failure_at <= OLD.last_failure_at THEN
            NEW.last_failure_at := greatest(clock_timestamp(), OLD.last_failure_at + interval '1 microsecond');
        END IF;
    END IF;
    IF again AND NEW.status = OLD.status AND OLD.status IN ('SUCCEEDED', 'DISCARDED') THEN
        NEW.status := 'PENDING';
        PERFORM attempts_add(ARRAY[attempt('reported', 'failed', NEW.id, worker => 'sql:' || session_user,
            finished_at => NEW.last_failure_at, category => coalesce(NEW.error_category, 'UNKNOWN'),
            reason => NEW.error_reason, stacktrace => NEW.error_stacktrace, reopened_from => OLD.status)]);
    END IF;
    IF NEW.status = 'REVIVED' AND OLD.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED') THEN
        NEW.revived_from := OLD.status;
    ELSIF NEW.status <> 'REVIVED' THEN
        NEW.revived_from := NULL;
    END IF;
    -- Who revives sets when the next try may be: nothing goes round at once, whoever brings it back and however.
    IF NEW.status = 'PENDING' AND OLD.status IN ('REVIVED', 'SUCCEEDED') AND OLD.revived_at IS NOT NULL THEN
        NEW.retry_after := greatest(NEW.retry_after, OLD.retry_after);
    END IF;
    -- What was lost, purged or undone did not come back. Another payload, or a success, is another story.
    IF NEW.payload_version <> OLD.payload_version OR NEW.status = 'SUCCEEDED' THEN
        NEW.come_backs := 0;
    ELSIF OLD.status = 'REVIVED' AND NEW.status <> 'REVIVED' AND again THEN
        NEW.come_backs := OLD.come_backs + 1;
    END IF;
    -- no handler runs any more, whoever moved it
    IF NEW.status <> 'RETRYING' THEN
        NEW.begun_at := NULL;
    END IF;
    NEW.version := OLD.version + 1;
    NEW.updated_at := clock_timestamp();
    IF NEW.reclassified_at IS DISTINCT FROM OLD.reclassified_at THEN
        RETURN NEW;
    END IF;
    IF NEW.error_category IS DISTINCT FROM OLD.error_category OR NEW.error_reason IS DISTINCT FROM OLD.error_reason
        OR NEW.event_type IS DISTINCT FROM OLD.event_type
        OR NEW.error_stacktrace IS DISTINCT FROM OLD.error_stacktrace
    THEN
        said := NEW.error_category;
    ELSIF again THEN
        -- It failed anew in the same words: rules and merges may be new. What a person decided stays.
        fixed := OLD.said_category IS NOT NULL AND OLD.category_rule_id IS NULL;
        said := CASE WHEN fixed THEN NEW.error_category ELSE coalesce(OLD.said_category, NEW.error_category) END;
    ELSE
        RETURN NEW;
    END IF;
    NEW.error_reason := coalesce(NEW.error_reason, '');
    NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
    said := coalesce(said, 'UNKNOWN');
    made := dead_letter_classify(NEW.event_type, said, fixed, NEW.error_reason, NEW.error_stacktrace);
    IF OLD.fingerprint_version < 2 THEN
        made.group_id := dead_letter_carry_merge(OLD.group_id, made.fingerprint_id, made.group_id);
    END IF;
    NEW.error_class := made.error_class;
    NEW.error_category := made.category;
    IF NOT fixed THEN
        NEW.said_category := CASE WHEN made.category <> said THEN said END;
        NEW.category_rule_id := made.category_rule_id;
    END IF;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_rule_id := made.fingerprint_rule_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION public.dlq_events_changed() IS 'Refuses a move that dead_letter_transitions does not have. Keeps version and updated_at. An UPDATE of what an error says is the error saying it anew: it is classified, the failure before it is an attempt, and what was closed is open where occurrences or last_failure_at say that it failed. An UPDATE that writes reclassified_at brings its own classification: reclassify_dead_letters, and the undo of it.';
CREATE FUNCTION public.dlq_events_complete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    made dead_letter_class;
    named CONSTANT text := event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_complete serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- What is taken back is as it was, its classification too. Two conditions: one with a query in it is planned anew
    -- for each row.
    IF NEW.status IN ('SUCCEEDED', 'DISCARDED') THEN
        IF EXISTS (
            SELECT FROM restored_dead_letters r
            WHERE r.dead_letter_id = NEW.id AND r.restored_at >= transaction_timestamp()
        ) THEN
            RETURN NEW;
        END IF;
    END IF;
    -- current_user is whom the table belongs to, and may be restoring a backup
    IF NEW.status NOT IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        AND NOT pg_has_role(session_user, current_user, 'MEMBER')
    THEN
        RAISE EXCEPTION 'a dead letter is not born %; see dead_letter_transitions', NEW.status
            USING ERRCODE = 'check_violation', HINT = 'It begins PENDING, EXHAUSTED or QUARANTINED.';
    END IF;
    -- What names no source is known by its own number.
    IF NEW.source IS NULL OR NEW.source_key IS NULL THEN
        NEW.source := coalesce(NEW.source, 'sql');
        NEW.source_key := coalesce(NEW.source_key, 'dlq_events/' || NEW.id);
    END IF;
    -- A failure that cannot say why is still a failure; and a mapper writes NULL where nobody has set anything.
    IF num_nulls(NEW.error_reason, NEW.error_stacktrace, NEW.error_category, NEW.headers, NEW.retry_count,
        NEW.retry_after, NEW.created_at, NEW.updated_at) > 0
    THEN
        NEW.error_reason := coalesce(NEW.error_reason, '');
        NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
        NEW.error_category := coalesce(NEW.error_category, 'UNKNOWN');
        NEW.headers := coalesce(NEW.headers, '{}');
        NEW.retry_count := coalesce(NEW.retry_count, 0);
        NEW.retry_after := coalesce(NEW.retry_after, statement_timestamp());
        NEW.created_at := coalesce(NEW.created_at, statement_timestamp());
        NEW.updated_at := coalesce(NEW.updated_at, statement_timestamp());
    END IF;
    -- The clock of a program may be ahead: nothing of tomorrow stands above what comes after it.
    IF NEW.created_at > clock_timestamp() AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        NEW.created_at := clock_timestamp();
    END IF;
    -- Its type is the one whose handler runs, and bytes that cannot be decoded have none. It goes back to the queue that
    -- it would have gone to.
    IF named <> NEW.event_type AND NOT (NEW.status = 'QUARANTINED' AND NEW.payload_raw IS NOT NULL) THEN
        NEW.queue := coalesce(NEW.queue, NEW.event_type);
        NEW.event_type := named;
    END IF;
    made := dead_letter_classify_new(NEW.event_type, NEW.error_category, NEW.error_reason, NEW.error_stacktrace);
    NEW.error_class := made.error_class;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    NEW.occurred_at := event_occurred_at(NEW.payload, NEW.headers);
    -- by a rule; or the INSERT itself says so, and only a rule may
    IF coalesce(made.category_rule_id, made.fingerprint_rule_id, NEW.category_rule_id, NEW.fingerprint_rule_id)
        IS NOT NULL OR NEW.said_category IS NOT NULL
    THEN
        NEW.said_category := CASE WHEN made.category <> NEW.error_category THEN NEW.error_category END;
        NEW.error_category := made.category;
        NEW.category_rule_id := made.category_rule_id;
        NEW.fingerprint_rule_id := made.fingerprint_rule_id;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION public.dlq_events_complete() IS 'Completes what an INSERT leaves out, and classifies the failure.';
CREATE FUNCTION public.dlq_events_counted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    one record;
    touched bigint[];
    missing bigint[];
    resolved bigint[];
    are_closed boolean;
    were_closed boolean;
    were_revived boolean;
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_counted serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'DELETE' THEN
        INSERT INTO dead_letter_deltas
        SELECT date_trunc('hour', r.created_at, 'UTC'), r.group_id, r.event_type, r.error_category,
            coalesce(r.queue, r.event_type), r.status, -count(*), -sum(r.occurrences)
        FROM removed r GROUP BY 1, 2, 3, 4, 5, 6;
        INSERT INTO event_changes
        SELECT k.part, k.hour, 0, count(*)
        FROM removed r CROSS JOIN LATERAL dead_letter_hours_of(r.occurred_at, r.created_at) k GROUP BY 1, 2;
        RETURN NULL;
    END IF;
    -- A single new dead letter is what most statements bring, and needs neither sorting nor grouping. A failure that
    -- came again was last seen when it failed, not when its row was made.
    IF TG_OP = 'INSERT' THEN
        SELECT (SELECT count(*) FROM (SELECT FROM added LIMIT 2) few) AS letters, a.created_at, a.group_id,
            a.event_type, a.error_category, coalesce(a.queue, a.event_type) AS queue, a.status, a.occurrences,
            a.occurred_at, CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END
                AS seen_at,
            (SELECT g.state FROM failure_groups g WHERE g.id = a.group_id) AS state
        INTO one FROM added a;
        IF NOT FOUND THEN
            RETURN NULL;
        ELSIF one.letters = 1 THEN
            INSERT INTO dead_letter_deltas VALUES (date_trunc('hour', one.created_at, 'UTC'), one.group_id,
                one.event_type, one.error_category, one.queue, one.status, 1, one.occurrences, one.created_at,
                one.seen_at);
            INSERT INTO event_changes SELECT k.*, 1, 0 FROM dead_letter_hours_of(one.occurred_at, one.created_at) k;
            IF one.state <> 'resolved' THEN
                RETURN NULL;
            END IF;
        ELSE
            INSERT INTO dead_letter_deltas
            SELECT date_trunc('hour', a.created_at, 'UTC'), a.group_id, a.event_type, a.error_category,
                coalesce(a.queue, a.event_type), a.status, count(*), sum(a.occurrences), min(a.created_at),
                max(CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END)
            FROM added a GROUP BY 1, 2, 3, 4, 5, 6;
            INSERT INTO event_changes
            SELECT k.part, k.hour, count(*), 0
            FROM added a CROSS JOIN LATERAL dead_letter_hours_of(a.occurred_at, a.created_at) k GROUP BY 1, 2;
        END IF;
    END IF;
    SELECT array_agg(DISTINCT a.group_id), bool_or(a.status IN ('SUCCEEDED', 'DISCARDED')) INTO touched, are_closed
    FROM added a;
    IF touched IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- What is as it was before cancels out, and most updates write nothing here, or two rows.
        INSERT INTO dead_letter_deltas
        SELECT date_trunc('hour', c.created_at, 'UTC'), c.group_id, c.event_type, c.error_category,
            coalesce(c.queue, c.event_type), c.status, sum(c.sign), sum(c.sign * c.occurrences),
            min(c.created_at) FILTER (WHERE c.sign = 1), max(c.seen_at) FILTER (WHERE c.sign = 1)
        FROM (
            SELECT 1 AS sign, a.created_at, a.group_id, a.event_type, a.error_category, a.queue, a.status,
                a.occurrences,
                CASE WHEN a.occurrences > 1 THEN greatest(a.created_at, a.last_failure_at) ELSE a.created_at END
                    AS seen_at
            FROM added a
            UNION ALL
            SELECT -1, r.created_at, r.group_id, r.event_type, r.error_category, r.queue, r.status, r.occurrences,
                CASE WHEN r.occurrences > 1 THEN greatest(r.created_at, r.last_failure_at) ELSE r.created_at END
            FROM removed r
        ) c
        GROUP BY 1, 2, 3, 4, 5, 6
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.occurrences) <> 0
            OR min(c.created_at) FILTER (WHERE c.sign = 1) < min(c.created_at) FILTER (WHERE c.sign = -1)
            OR max(c.seen_at) FILTER (WHERE c.sign = 1) > max(c.seen_at) FILTER (WHERE c.sign = -1);
        SELECT bool_or(r.status IN ('SUCCEEDED', 'DISCARDED')), bool_or(r.status = 'REVIVED' AND r.operation_id IS NOT NULL)
        INTO were_closed, were_revived FROM removed r;
        -- What is closed or open again is something else to a report. A mark for each hour, and not for each of many.
        IF are_closed OR were_closed THEN
            INSERT INTO event_changes
            SELECT k.part, coalesce(date_trunc('hour', k.moment, 'UTC'), '-infinity'), count(*), 0
            FROM removed r JOIN added a ON a.id = r.id
            CROSS JOIN LATERAL (VALUES
                ('dead', r.occurred_at, a.occurred_at IS DISTINCT FROM r.occurred_at), ('dead', a.occurred_at, true),
                ('failed', a.created_at, true)
            ) k (part, moment, is_another)
            WHERE k.is_another AND a.status <> r.status
                AND (a.status IN ('SUCCEEDED', 'DISCARDED') OR r.status IN ('SUCCEEDED', 'DISCARDED'))
            GROUP BY 1, 2;
        END IF;
        -- What became of revived dead letters. An undo puts its own number into the row, and is not counted.
        IF were_revived THEN
            INSERT INTO revival_outcomes (operation_id, group_id, succeeded, failed)
            SELECT r.operation_id, r.group_id, count(*) FILTER (WHERE a.status = 'SUCCEEDED'),
                count(*) FILTER (WHERE a.status <> 'SUCCEEDED')
            FROM removed r JOIN added a ON a.id = r.id
            WHERE r.status = 'REVIVED' AND a.status <> 'REVIVED' AND a.operation_id = r.operation_id
            GROUP BY r.operation_id, r.group_id;
        END IF;
    END IF;
    WITH known AS MATERIALIZED (
        SELECT t.id, (SELECT g.state FROM failure_groups g WHERE g.id = t.id) AS state
        FROM unnest(touched) t (id)
    )
    SELECT array_agg(k.id) FILTER (WHERE k.state IS NULL), array_agg(k.id) FILTER (WHERE k.state = 'resolved')
    INTO missing, resolved
    FROM known k;
    -- The group's row appears with its first dead letter. Where another session is just making it we do not
    -- wait for its commit; should that never come, the next fold makes the row.
    IF missing IS NOT NULL THEN
        missing := ARRAY(
            SELECT m FROM unnest(missing) m WHERE pg_try_advisory_xact_lock(1145852244, (m % 256)::integer)
        );
        INSERT INTO failure_groups (id, event_type, error_category, error_class, message, frames,
            fingerprint_version, rule_id)
        SELECT f.group_id, f.event_type, f.error_category, f.error_class, made.message, made.frames,
            f.fingerprint_version, f.fingerprint_rule_id
        FROM (
            SELECT DISTINCT ON (a.group_id) a.group_id, a.event_type, a.error_category, a.error_class,
                a.error_reason, a.error_stacktrace, a.fingerprint_version, a.fingerprint_rule_id
            FROM added a WHERE a.group_id = ANY (missing)
            ORDER BY a.group_id, a.id
        ) f
        CROSS JOIN LATERAL dead_letter_classify(
            f.event_type, f.error_category, true, f.error_reason, f.error_stacktrace) made
        ON CONFLICT (id) DO NOTHING;
    END IF;
    -- It came back. Where another session says so at this moment, we need not.
    IF resolved IS NOT NULL THEN
        IF TG_OP = 'UPDATE' THEN
            resolved := ARRAY(
                SELECT DISTINCT a.group_id FROM added a JOIN removed r ON r.id = a.id
                WHERE a.group_id = ANY (resolved) AND a.occurrences > r.occurrences
            );
        ELSE
            -- what is taken back did not fail again
            resolved := ARRAY(
                SELECT DISTINCT a.group_id FROM added a
                WHERE a.group_id = ANY (resolved) AND a.status NOT IN ('SUCCEEDED', 'DISCARDED')
            );
        END IF;
        WITH changed AS (
            UPDATE failure_groups g
            SET state = 'regressed', state_changed_at = clock_timestamp(), state_changed_by = 'database'
            WHERE g.id = ANY (ARRAY(
                SELECT l.id FROM failure_groups l
                WHERE l.id = ANY (resolved) AND l.state = 'resolved'
                ORDER BY l.id
                FOR UPDATE SKIP LOCKED
            ))
            RETURNING g.id
        )
        INSERT INTO audit_log (actor, action, target, reason)
        SELECT 'database', 'regress', 'group:' || c.id, 'It was resolved, and failed again.' FROM changed c;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.dlq_events_counted() IS 'Counts what a statement did to dead letters, whoever wrote them: it only adds to dead_letter_deltas, so that writers share no row. Makes the rows of new groups, says when a resolved group came back, and marks the hours of what came, was taken away, is closed or open again.';
CREATE FUNCTION public.dlq_events_edited() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_edited serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    NEW.occurred_at := event_occurred_at(NEW.payload, NEW.headers);
    -- an edit of ours counts its version, and writes it down with who and why
    IF NEW.payload_version <> OLD.payload_version OR (OLD.payload::text, OLD.payload_raw, OLD.headers)
        IS NOT DISTINCT FROM (NEW.payload::text, NEW.payload_raw, NEW.headers)
    THEN
        RETURN NEW;
    END IF;
    NEW.payload_version := OLD.payload_version + 1;
    NEW.come_backs := 0;
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)
    VALUES (OLD.id, OLD.payload_version, OLD.payload, OLD.payload_raw, OLD.headers, '', ''),
        (NEW.id, NEW.payload_version, NEW.payload, NEW.payload_raw, NEW.headers, 'sql:' || session_user,
            'written over by plain SQL')
    ON CONFLICT (dlq_event_id, number) DO NOTHING;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION public.dlq_events_edited() IS 'What somebody writes over a payload or its headers is a version of it, and what was there is kept.';
CREATE FUNCTION public.dlq_events_emptied() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_emptied serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'dlq_events can only be truncated at the isolation level READ COMMITTED: an older snapshot does not see all that was counted'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    PERFORM pg_advisory_xact_lock(1145852243);
    DELETE FROM dead_letter_deltas;
    DELETE FROM dead_letter_counts;
    DELETE FROM dead_letter_hours;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.dlq_events_emptied() IS 'Empties the counts with dlq_events. Nobody writes while a table is truncated; who folds at this moment is waited for.';
CREATE FUNCTION public.dlq_events_regrouped() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    letter CONSTANT dlq_events := coalesce(NEW, OLD);
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_regrouped serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (SELECT FROM queues q WHERE q.name = letter.queue AND q.on_dead_letter = 'hold') THEN
        PERFORM message_queue_call_next(ARRAY[letter.queue]::text[], ARRAY[letter.group_key]::text[]);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.dlq_events_regrouped() IS 'On a queue that holds: a group waits for its new dead letter, and goes on once that one is closed or deleted.';
CREATE FUNCTION public.dlq_events_sound() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    broken CONSTANT text := CASE
        WHEN num_nulls(NEW.id, NEW.event_type, NEW.headers, NEW.error_reason, NEW.error_stacktrace, NEW.error_category,
            NEW.error_class, NEW.status, NEW.retry_count, NEW.retry_after, NEW.source, NEW.source_key, NEW.occurrences,
            NEW.first_failure_at, NEW.last_failure_at, NEW.dead_lettered_at, NEW.fingerprint_id,
            NEW.fingerprint_version, NEW.group_id, NEW.payload_version, NEW.revive_count, NEW.come_backs,
            NEW.crash_count, NEW.version, NEW.created_at, NEW.updated_at) > 0 THEN 'a NOT NULL'
        WHEN NEW.error_category NOT IN ('TRANSIENT', 'DEPENDENCY', 'PERMANENT', 'BUSINESS', 'UNKNOWN')
            THEN 'dlq_events_category'
        WHEN LEAST(NEW.retry_count, NEW.revive_count, NEW.come_backs, NEW.version, NEW.payload_version, NEW.crash_count) < 0
            OR GREATEST(NEW.retry_count, NEW.revive_count, NEW.come_backs, NEW.occurrences, NEW.version,
                NEW.payload_version) > 1000000000
            OR NEW.crash_count > 30000 OR NEW.fingerprint_version < 1 OR NEW.occurrences < 1 THEN 'dlq_events_counts'
        WHEN jsonb_typeof(NEW.headers) <> 'object' THEN 'dlq_events_headers_object'
        -- without a lease nobody would ever take it back
        WHEN NEW.status = 'RETRYING' AND (NEW.lease_token IS NULL OR NEW.lease_until IS NULL) THEN 'dlq_events_leased'
        WHEN LEAST(NEW.retry_after, NEW.created_at, NEW.dead_lettered_at, NEW.first_failure_at, NEW.last_failure_at,
                NEW.lease_until, NEW.begun_at, NEW.revived_at, NEW.updated_at, NEW.reclassified_at)
                <= '1900-01-01 00:00:00+00'::timestamptz
            OR GREATEST(NEW.retry_after, NEW.created_at, NEW.dead_lettered_at, NEW.first_failure_at,
                NEW.last_failure_at, NEW.lease_until, NEW.begun_at, NEW.revived_at, NEW.updated_at, NEW.reclassified_at)
                >= '9999-01-01 00:00:00+00'::timestamptz THEN 'dlq_events_moments'
        -- no page has an address for a number below zero
        WHEN LEAST(NEW.id, NEW.group_id, NEW.fingerprint_id) < 0 THEN 'dlq_events_numbers'
        WHEN NEW.status NOT IN ('PENDING', 'RETRYING', 'SUCCEEDED', 'EXHAUSTED', 'REVIVED', 'DISCARDED', 'QUARANTINED')
            THEN 'dlq_events_status' END;
    missing text;
BEGIN
    IF broken IS NULL THEN
        RETURN NEW;
    END IF;
    IF broken = 'a NOT NULL' THEN
        SELECT a.attname INTO missing FROM pg_attribute a
        WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND a.attnotnull AND to_jsonb(NEW) ->> a.attname IS NULL
        ORDER BY a.attnum LIMIT 1;
        RAISE EXCEPTION 'null value in column "%" of relation "%" violates not-null constraint', missing, TG_TABLE_NAME
            USING ERRCODE = 'not_null_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = missing;
    END IF;
    RAISE EXCEPTION 'new row for relation "%" violates check constraint "%"', TG_TABLE_NAME, broken
        USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
END $$;
COMMENT ON FUNCTION public.dlq_events_sound() IS 'Refuses a row that no page could show or nobody could take back, in the words that PostgreSQL has for a constraint, but without the row.';
CREATE FUNCTION public.effect_begin(name text, key text, source text, source_key text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    is_done boolean;
BEGIN
    IF coalesce(name, '') = '' OR coalesce(key, '') = '' OR source IS NULL OR source_key IS NULL THEN
        RAISE EXCEPTION 'effect_begin needs the name and the key of the effect, and the source and source_key of its event'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- in a function with its owner's rights current_user is the owner
    INSERT INTO event_effects (name, key, source, source_key, told_by)
    VALUES (effect_begin.name, effect_begin.key, effect_begin.source, effect_begin.source_key, session_user)
    ON CONFLICT ON CONSTRAINT event_effects_pkey DO NOTHING;
    IF FOUND THEN
        RETURN 'new';
    END IF;
    SELECT e.done_at IS NOT NULL INTO is_done FROM event_effects e
    WHERE e.name = effect_begin.name AND e.key = effect_begin.key;
    RETURN CASE WHEN is_done THEN 'done' ELSE 'unknown' END;
END $$;
COMMENT ON FUNCTION public.effect_begin(name text, key text, source text, source_key text) IS 'Call it in a transaction of its own before an effect. new: do it, then call effect_done; done: skip it; unknown: somebody began it and never said how it ended.';
CREATE FUNCTION public.effect_done(name text, key text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE event_effects e SET done_at = clock_timestamp()
    WHERE e.name = effect_done.name AND e.key = effect_done.key AND e.done_at IS NULL;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION public.effect_done(name text, key text) IS 'Says that an effect that was begun is done; false: it was not begun, or is.';
CREATE FUNCTION public.effect_not_done(name text, key text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM event_effects e WHERE e.name = effect_not_done.name AND e.key = effect_not_done.key AND e.done_at IS NULL;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION public.effect_not_done(name text, key text) IS 'Says that an effect that was begun did not happen: who comes next does it. false: it was not begun, or is done.';
CREATE FUNCTION public.error_category_check(error_category text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF error_category NOT IN ('TRANSIENT', 'DEPENDENCY', 'PERMANENT', 'BUSINESS', 'UNKNOWN') THEN
        RAISE EXCEPTION 'error_category % is none of TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS and UNKNOWN',
            quote_literal(error_category) USING ERRCODE = 'check_violation';
    END IF;
END $$;
COMMENT ON FUNCTION public.error_category_check(error_category text) IS 'Refuses what is no category, before anything is written.';
CREATE FUNCTION public.event_change_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'event_change_noted serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO event_changes
    SELECT DISTINCT k.part, coalesce(date_trunc('hour', k.moment, 'UTC'), '-infinity'), 1, 0
    FROM (VALUES ('dead', OLD.occurred_at), ('dead', NEW.occurred_at), ('failed', NEW.created_at)) k (part, moment);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.event_change_noted() IS 'Notes that a dead letter is something else to a report: edited, or classified anew.';
CREATE FUNCTION public.event_changes_emptied() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    parts CONSTANT text[] := CASE WHEN TG_RELID = 'enriched_events'::regclass THEN ARRAY['enriched']
        ELSE ARRAY['dead', 'failed'] END;
BEGIN
    IF TG_RELID NOT IN ('dlq_events'::regclass, 'enriched_events'::regclass) THEN
        RAISE EXCEPTION 'event_changes_emptied serves no other table than dlq_events and enriched_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM event_changes WHERE part = ANY (parts);
    DELETE FROM event_hours WHERE part = ANY (parts);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.event_changes_emptied() IS 'Forgets the hours of a table that is truncated.';
CREATE FUNCTION public.event_changes_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    is_new CONSTANT integer := (TG_OP = 'INSERT')::integer;
BEGIN
    IF TG_RELID <> 'enriched_events'::regclass THEN
        RAISE EXCEPTION 'event_changes_noted serves enriched_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO event_changes
    SELECT 'enriched', coalesce(date_trunc('hour', c.occurred_at, 'UTC'), '-infinity'), count(*) * is_new,
        count(*) * (1 - is_new)
    FROM concerned c GROUP BY 2;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.event_changes_noted() IS 'Notes the hours of records that came, or were taken away.';
CREATE FUNCTION public.event_moment(said text) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    rest text;
    zone text;
    fraction text;
    moment timestamptz;
BEGIN
    -- Compared with its digits as zeros: a regular expression that tells the same takes twenty times as long.
    IF said IS NULL OR translate(left(said, 19), '123456789t ', '000000000TT') <> '0000-00-00T00:00:00' THEN
        RETURN NULL;
    END IF;
    rest := translate(substr(said, 20), '123456789z', '000000000Z');
    zone := CASE WHEN rest LIKE '%Z' THEN 'Z' ELSE right(rest, 6) END;
    fraction := left(rest, -length(zone));
    IF zone NOT IN ('Z', '+00:00', '-00:00')
        OR fraction <> '' AND (fraction NOT LIKE '.0%' OR rtrim(fraction, '0') <> '.')
        OR left(said, 4) = '0000' OR substr(said, 6, 2) NOT BETWEEN '01' AND '12'
        OR substr(said, 9, 2) NOT BETWEEN '01' AND '31' OR substr(said, 12, 2) > '23'
        OR substr(said, 15, 2) > '59' OR substr(said, 18, 2) > '60'
    THEN
        RETURN NULL;
    END IF;
    IF substr(said, 9, 2) > '28' AND substr(said, 9, 2)::integer > extract(
        day FROM (left(said, 7) || '-01')::date + interval '1 month' - interval '1 day')
    THEN
        RETURN NULL;
    END IF;
    -- a leap second, which RFC 3339 allows, is the one before it; of a fraction the first six digits count
    moment := (left(said, 17) || least(substr(said, 18, 2), '59') || substr(said, 20, least(length(fraction), 7))
        || 'Z')::timestamptz;
    IF zone <> 'Z' THEN
        IF left(right(said, 5), 2) > '23' OR right(said, 2) > '59' THEN
            RETURN NULL;
        END IF;
        moment := moment - right(said, 6)::interval;
    END IF;
    RETURN CASE WHEN moment >= '0001-01-01T00:00:00Z' AND moment < '9999-12-31T00:00:00Z' THEN moment END;
END $$;
COMMENT ON FUNCTION public.event_moment(said text) IS 'The moment that an RFC 3339 text says; NULL where it is none, or none that the calendar has.';
CREATE FUNCTION public.event_occurred_at(payload jsonb, headers jsonb) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.event_moment(CASE WHEN (payload ? 'specversion'::text) THEN (payload ->> 'time'::text) ELSE (headers ->> 'ce_time'::text) END);
COMMENT ON FUNCTION public.event_occurred_at(payload jsonb, headers jsonb) IS 'When an event says that it happened: the time of a CloudEvent, the header ce_time of anything else.';
CREATE FUNCTION public.event_record(event_type text, source text, source_key text, occurred_at timestamp with time zone, record jsonb, digest uuid) RETURNS public.event_record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ROW(event_type, source, source_key, occurred_at, record, digest)::public.event_record;
COMMENT ON FUNCTION public.event_record(event_type text, source text, source_key text, occurred_at timestamp with time zone, record jsonb, digest uuid) IS 'A record for records_keep.';
CREATE FUNCTION public.event_result(source text, source_key text, wait_seconds double precision DEFAULT 0) RETURNS public.event_result
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $_$
DECLARE
    until CONSTANT timestamptz := clock_timestamp() + make_interval(secs => least(coalesce(wait_seconds, 0), 60));
    -- not current_user, which is whom this function belongs to
    caller CONSTANT name := coalesce(nullif(current_setting('role'), 'none'), session_user);
    its_queue CONSTANT text := substring(event_result.source FROM '^queue:(.+)$');
    message_id CONSTANT bigint := CASE WHEN its_queue <> '' AND event_result.source_key ~ '^[0-9]{1,18}$'
        THEN event_result.source_key::bigint END;
    pause double precision := 0.01;
    result event_result;
BEGIN
    IF NOT has_column_privilege(caller, 'enriched_events', 'record', 'SELECT')
        AND (its_queue IS NULL OR NOT producer_may_send(caller, its_queue))
    THEN
        RAISE EXCEPTION '% may not see the results of %', quote_ident(caller), quote_literal(left(event_result.source, 200))
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'A producer sees those of messages on its own queues: the source is queue: and the queue''s name.';
    END IF;
    LOOP
        SELECT CASE WHEN e.id IS NOT NULL OR d.status = 'SUCCEEDED' THEN 'succeeded'
                WHEN d.id IS NOT NULL THEN 'dead_letter'
                WHEN m.status = 'processing' THEN 'running'
                WHEN m.id IS NOT NULL THEN 'queued'
                -- a CloudEvent may be on a queue, where its name is no key
                WHEN message_id IS NOT NULL THEN 'gone' ELSE 'unknown' END,
            e.record, d.id, d.status, CASE WHEN e.id IS NULL AND d.status <> 'SUCCEEDED' THEN d.error_category END
        INTO result
        FROM (SELECT) event
        LEFT JOIN message_queue m ON m.id = message_id AND m.queue = its_queue
        LEFT JOIN enriched_events e ON e.source = event_result.source AND e.source_key = event_result.source_key
        LEFT JOIN dlq_events d ON d.source = event_result.source AND d.source_key = event_result.source_key;
        EXIT WHEN result.state IN ('succeeded', 'dead_letter', 'gone') OR clock_timestamp() >= until;
        PERFORM pg_sleep(least(pause, extract(epoch FROM until - clock_timestamp())));
        pause := least(pause * 1.5, 0.5);
    END LOOP;
    RETURN result;
END $_$;
COMMENT ON FUNCTION public.event_result(source text, source_key text, wait_seconds double precision) IS 'What has become of an event, unmasked. source and source_key: a CloudEvent''s source and id, else queue:NAME and the message''s number. Waits up to wait_seconds, 60 at most, for its success or its dead letter, and looks ever less often, every half second in the end. Commit what you sent before you wait. Who may not read enriched_events sees the results of the queues that it may send to, by their messages'' numbers.';
CREATE FUNCTION public.event_type_named(payload jsonb, headers jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((jsonb_typeof(payload) = 'object'::text) AND (payload ? 'specversion'::text)) THEN CASE WHEN (((payload -> 'specversion'::text) = '"1.0"'::jsonb) AND (jsonb_typeof((payload -> 'type'::text)) = 'string'::text) AND ((length((payload ->> 'type'::text)) >= 1) AND (length((payload ->> 'type'::text)) <= 255)) AND (jsonb_typeof((payload -> 'id'::text)) = 'string'::text) AND ((payload ->> 'id'::text) <> ''::text) AND (jsonb_typeof((payload -> 'source'::text)) = 'string'::text) AND ((payload ->> 'source'::text) <> ''::text)) THEN (payload ->> 'type'::text) ELSE NULL::text END WHEN ((payload IS NOT NULL) AND (jsonb_typeof((headers -> 'ce_type'::text)) = 'string'::text) AND ((length((headers ->> 'ce_type'::text)) >= 1) AND (length((headers ->> 'ce_type'::text)) <= 255))) THEN (headers ->> 'ce_type'::text) ELSE NULL::text END;
COMMENT ON FUNCTION public.event_type_named(payload jsonb, headers jsonb) IS 'The type that an event names itself, and so whose handler runs: that of a CloudEvent, the header ce_type of anything else. NULL: it names none.';
CREATE FUNCTION public.failed_message_step(reason text, category text, fatal boolean, crashes integer, letter bigint, its_message text, attempts integer, max_retries integer, base double precision, factor double precision, cap double precision, jitter double precision) RETURNS public.failure_step
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.failed_message_step(reason text, category text, fatal boolean, crashes integer, letter bigint, its_message text, attempts integer, max_retries integer, base double precision, factor double precision, cap double precision, jitter double precision) IS 'The next step of a message that has failed, on any queue. category: by the rules. crashes: earlier ones; NULL where its system counts none. letter: the dead letter that it revives. attempts: begun so far.';
CREATE FUNCTION public.failure_report(reporter text, report_id uuid, event_type text, payload jsonb, payload_raw bytea, headers jsonb, error_reason text, error_stacktrace text, error_category text, source text, source_key text, queue text, retry_in interval DEFAULT '00:00:00'::interval) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_variable
DECLARE
    -- a CloudEvent names itself
    own CONSTANT jsonb := CASE WHEN payload ? 'specversion' THEN payload END;
    digest uuid;
    known failure_reports;
    letter dlq_events;
    was dlq_events;
    revival text;
    kept record;
BEGIN
    PERFORM error_category_check(error_category);
    letter.event_type := event_type;
    letter.payload := payload;
    letter.payload_raw := payload_raw;
    letter.headers := headers;
    letter.error_reason := error_reason;
    letter.error_category := error_category;
    letter.error_stacktrace := error_stacktrace;
    letter.retry_after := clock_timestamp() + coalesce(retry_in, '0');
    letter.source := coalesce(source, own ->> 'source', 'sql');
    letter.source_key := coalesce(source_key, own ->> 'id');
    letter.queue := queue;
    IF report_id IS NOT NULL THEN
        -- whoever sends it again before the first one is stored waits here
        PERFORM pg_advisory_xact_lock(hashtextextended(report_id::text, 0));
        digest := md5(concat_ws(E'\x1f', event_type, letter.source, letter.source_key, payload::text,
            md5(payload_raw), error_reason));
        SELECT * INTO known FROM failure_reports r WHERE r.id = report_id;
        IF known.digest <> digest THEN
            RAISE EXCEPTION 'report % was another failure', report_id
                USING ERRCODE = 'unique_violation', HINT = 'Give each failure an id of its own.';
        ELSIF known.id IS NOT NULL THEN
            RETURN known.dlq_event_id;
        END IF;
    END IF;
    -- Sent back to another system, it says which revival it is, or has the id that this got there: what comes of
    -- that is known now.
    revival := coalesce(headers ->> 'x-dlq-revive-seq',
        (dead_letter_sent_as(letter.source, letter.source_key)).revive_seq::text);
    IF revival IS NOT NULL THEN
        was := dead_letter_elsewhere(letter.source, letter.source_key);
    END IF;
    IF was.status = 'REVIVED' AND was.revive_count::text = revival THEN
        letter.id := dead_letter_failed_there(
            format('%s/%s#%s', left(coalesce(was.queue, was.event_type), 100), left(was.source_key, 100), was.revive_count),
            was.id, was.revive_count, was.source, was.source_key, payload, payload_raw, error_reason,
            coalesce(error_category, 'UNKNOWN'), coalesce(error_stacktrace, ''));
    ELSE
        SELECT * INTO kept FROM dead_letter_add(letter);
        letter.id := kept.id;
        PERFORM attempts_add(ARRAY[attempt('reported', 'failed', kept.id, worker => reporter,
            category => coalesce(error_category, 'UNKNOWN'), reason => error_reason,
            stacktrace => error_stacktrace, reopened_from => kept.reopened_from)]);
    END IF;
    IF report_id IS NOT NULL THEN
        INSERT INTO failure_reports (id, digest, dlq_event_id) VALUES (report_id, digest, letter.id);
    END IF;
    RETURN letter.id;
END $$;
COMMENT ON FUNCTION public.failure_report(reporter text, report_id uuid, event_type text, payload jsonb, payload_raw bytea, headers jsonb, error_reason text, error_stacktrace text, error_category text, source text, source_key text, queue text, retry_in interval) IS 'Keeps a failed event as its reporter tells it; its dead letter''s id. The same report_id again changes nothing.';
CREATE FUNCTION public.failure_rule_pattern_is_sound(pattern text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    IF regexp_replace(pattern, '\\\\', '', 'g') ~ '\\[1-9]' THEN
        RETURN false;
    END IF;
    PERFORM repeat('a', 1000) || repeat('aB3 .', 200) ~ pattern;
    RETURN clock_timestamp() - began < interval '500 milliseconds';
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION public.failure_rule_pattern_is_sound(pattern text) IS 'Whether PostgreSQL takes it as a regular expression, quickly, and without references back (only those make it look at a text again and again).';
CREATE FUNCTION public.failure_rules_read() RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT concat_ws(' ', extract(epoch FROM statement_timestamp()),
        coalesce(sum(hashtidextended(r.ctid, r.xmin::text::bigint)), 0),
        -- a pattern that tells digits apart, or may
        CASE WHEN bool_or(r.pattern ~ '[0-9]') THEN 'digits' ELSE 'any' END,
        CASE WHEN EXISTS (SELECT FROM group_merges) THEN 'merged' ELSE 'apart' END)
    FROM failure_rules r
$$;
COMMENT ON FUNCTION public.failure_rules_read() IS 'When this statement began, which rules it sees, whether they may tell one digit from another, and whether groups are merged.';
CREATE FUNCTION public.flood_gate(event_type text, failed integer DEFAULT 0, succeeded integer DEFAULT 0, error_reason text DEFAULT ''::text, error_category text DEFAULT 'UNKNOWN'::text, drain_rate double precision DEFAULT 50, waited boolean DEFAULT false, OUT hold boolean, OUT retry_in interval, OUT probe boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    settings CONSTANT retry_settings_now := (SELECT s FROM retry_settings_now s);
    first_pause CONSTANT double precision := 5;
    longest_pause CONSTANT double precision := 60;
    gate CONSTANT text := 'flood:' || left(event_type, 255);
    away integer := breaker_bounded(failed, 0, 10000);
    well CONSTANT integer := breaker_bounded(succeeded, 0, 10000);
    state CONSTANT text := (SELECT coalesce(b.held, b.state) FROM breakers_now b WHERE b.key = gate);
    moment timestamptz;
    slot timestamptz;
BEGIN
    IF coalesce(event_type, '') = '' THEN
        RAISE EXCEPTION 'flood_gate needs the event type of what failed or is to run' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM error_category_check(error_category);
    hold := false;
    probe := false;
    -- no wait heals what its own data makes fail
    IF away > 0 AND (dead_letter_classify(event_type, error_category, error_category <> 'UNKNOWN',
        coalesce(error_reason, ''), '')).category IN ('PERMANENT', 'BUSINESS')
    THEN
        away := 0;
    END IF;
    IF coalesce(failed, 0) > 0 OR well > 0 THEN
        -- where nothing has failed, successes say nothing new
        IF away > 0 OR state IS NOT NULL THEN
            PERFORM breaker_noted(gate, event_type, away - well, greatest(away - well, 0), NULL, 0, 0, well, well, away,
                error_reason, settings.breaker_failures, 3, first_pause, longest_pause);
        END IF;
        hold := away > 0 AND EXISTS (
            SELECT FROM breakers_now b WHERE b.key = gate AND coalesce(b.held, b.state) <> 'closed'
        );
    ELSIF state <> 'closed' THEN
        probe := breaker_probe(ARRAY[gate], first_pause, longest_pause);
        hold := NOT probe;
    END IF;
    IF NOT hold THEN
        RETURN;
    END IF;
    moment := clock_timestamp();
    UPDATE breakers b
    SET waits = least(b.waits + CASE WHEN waited THEN 0 ELSE 1 END, 1000000000),
        -- each waits for a moment of its own, after those that wait already; whatever anybody told, it asks in an hour
        drained_until = least(moment + interval '1 hour', greatest(b.drained_until,
            coalesce(b.next_probe_at, moment + make_interval(secs => first_pause)), moment)
            + make_interval(secs => 1 / breaker_bounded(drain_rate, 0.1, 10000)))
    WHERE b.key = gate
    RETURNING b.drained_until INTO slot;
    retry_in := slot - moment;
END $$;
COMMENT ON FUNCTION public.flood_gate(event_type text, failed integer, succeeded integer, error_reason text, error_category text, drain_rate double precision, waited boolean, OUT hold boolean, OUT retry_in interval, OUT probe boolean) IS 'Whether work of an event type waits because something that it needs is away, and how long. Tell it what failed and what succeeded at the first attempt since you asked last; with neither it says whether the caller may run one. It opens when more than half fail so, lets one at a time try (probe: tell what comes of it at once), and then gives drain_rate of them a second their turn. PERMANENT and BUSINESS failures never wait. waited: this one was counted as waiting before.';
CREATE FUNCTION public.lock_taken() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'shedlock'::regclass THEN
        RAISE EXCEPTION 'lock_taken serves shedlock alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO lock_tokens AS known (name, token, locked_by, taken_at, clock_drift)
    VALUES (NEW.name, 1, NEW.locked_by, clock_timestamp(),
        extract(epoch FROM NEW.locked_at - timezone('utc', CURRENT_TIMESTAMP)))
    ON CONFLICT (name) DO UPDATE
    SET token = known.token + 1, locked_by = excluded.locked_by, taken_at = excluded.taken_at,
        clock_drift = excluded.clock_drift;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.lock_taken() IS 'A lock was taken, by us or by a Java fleet: its token rises.';
CREATE FUNCTION public.lock_token_is_current(held text, shown bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM FROM lock_tokens WHERE name = held AND token = shown FOR SHARE;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION public.lock_token_is_current(held text, shown bigint) IS 'Whether nobody has taken the lock since the one who shows this token: for the WHERE of what is written under it.';
CREATE TABLE public.message_queue (
    id bigint NOT NULL,
    queue character varying(255) NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    status public.message_status DEFAULT 'pending'::character varying NOT NULL,
    retry_count public.counter DEFAULT 0 NOT NULL,
    max_retries integer,
    next_retry_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    owner text,
    lease_token uuid,
    lease_until public.moment,
    dequeued_time public.moment,
    crash_count public.small_counter DEFAULT 0 NOT NULL,
    charge smallint DEFAULT 0 NOT NULL,
    last_error text,
    dedupe_key character varying(255),
    group_key character varying(255),
    group_in_flight character varying(255),
    phase character varying(16) GENERATED ALWAYS AS (
CASE
    WHEN ((status)::text = ANY ((ARRAY['pending'::character varying, 'processing'::character varying])::text[])) THEN 'live'::character varying
    ELSE (status)::character varying
END) STORED,
    turn integer GENERATED ALWAYS AS ((((priority)::integer * '-2'::integer) +
CASE
    WHEN ((group_key IS NULL) AND (last_error IS NOT NULL)) THEN 1
    ELSE 0
END)) STORED,
    dlq_event_id bigint,
    revive_seq integer,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    unhandled_type text,
    CONSTRAINT message_queue_has_payload CHECK (((payload IS NOT NULL) OR (payload_raw IS NOT NULL))),
    CONSTRAINT message_queue_headers_object CHECK ((jsonb_typeof(headers) = 'object'::text)),
    CONSTRAINT message_queue_moments CHECK (((LEAST(created_at, next_retry_at) > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(created_at, next_retry_at) < '9999-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT message_queue_named CHECK ((NOT ((queue)::text = ''::text))),
    CONSTRAINT message_queue_numbers CHECK ((id >= 0)),
    CONSTRAINT message_queue_waits_in_group CHECK (((NOT ((status)::text = 'waiting'::text)) OR (group_key IS NOT NULL)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE public.message_queue IS 'One message on a queue. A completed message leaves the table.';
COMMENT ON COLUMN public.message_queue.payload_raw IS 'the exact bytes, where JSONB cannot hold them';
COMMENT ON COLUMN public.message_queue.priority IS 'the higher, the earlier';
COMMENT ON COLUMN public.message_queue.status IS 'pending: may be claimed; scheduled: not before next_retry_at; waiting: behind its group; held: back, while its revival can be undone; processing: claimed';
COMMENT ON COLUMN public.message_queue.retry_count IS 'attempts begun: counted when the message is claimed, so that a crash counts too';
COMMENT ON COLUMN public.message_queue.max_retries IS 'NULL: the queue''s policy decides';
COMMENT ON COLUMN public.message_queue.owner IS 'the consumer that has claimed it';
COMMENT ON COLUMN public.message_queue.lease_token IS 'whoever completes, extends or gives back must show it';
COMMENT ON COLUMN public.message_queue.lease_until IS 'after that any consumer takes over';
COMMENT ON COLUMN public.message_queue.dequeued_time IS 'when it was claimed';
COMMENT ON COLUMN public.message_queue.crash_count IS 'consumers that died of it: they held nothing else, or it ended their process';
COMMENT ON COLUMN public.message_queue.charge IS 'crashes that it is charged with should its consumer die; 0: that holds others beside it';
COMMENT ON COLUMN public.message_queue.dedupe_key IS 'a second one of the same queue is not sent';
COMMENT ON COLUMN public.message_queue.group_key IS 'messages of one key are handled one at a time, in order';
COMMENT ON COLUMN public.message_queue.group_in_flight IS 'the key while the message is claimed: unique, so that no two of a group are in flight';
COMMENT ON COLUMN public.message_queue.phase IS 'what the indexes know of the status; it stays as it is when the message is claimed';
COMMENT ON COLUMN public.message_queue.turn IS 'in which order messages are claimed, the smallest first, then by id: by priority, then what was never tried before what has failed, unless that has a group';
COMMENT ON COLUMN public.message_queue.dlq_event_id IS 'the dead letter that this message revives';
COMMENT ON COLUMN public.message_queue.revive_seq IS 'which revival it is: the dead letter''s revive_count';
COMMENT ON COLUMN public.message_queue.unhandled_type IS 'the event type for which the consumer that put it back had no handler; it waits until next_retry_at, or until a consumer that has one calls it';
CREATE FUNCTION public.message_archive_add(gone public.message_queue[]) RETURNS bigint[]
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH promise AS MATERIALIZED (
        -- asked once a queue, not once a message
        SELECT queue, moment.at AS archived_at, message_archive_keep_until(queue, moment.at) AS keep_until
        FROM (SELECT DISTINCT g.queue FROM unnest(gone) g) gone_from, (SELECT clock_timestamp() AS at) moment
    ), added AS (
        INSERT INTO message_archive (id, queue, payload, payload_raw, headers, priority, retry_count, group_key,
            dlq_event_id, revive_seq, owner, created_at, dequeued_time, archived_at, keep_until)
        SELECT g.id, g.queue, g.payload, g.payload_raw, g.headers, g.priority, g.retry_count, g.group_key,
            g.dlq_event_id, g.revive_seq, g.owner, g.created_at, g.dequeued_time, p.archived_at, p.keep_until
        FROM unnest(gone) g JOIN promise p USING (queue)
        RETURNING id
    )
    SELECT array_agg(id) FROM added
$$;
COMMENT ON FUNCTION public.message_archive_add(gone public.message_queue[]) IS 'Archives messages that have gone from their queue; their ids.';
CREATE FUNCTION public.message_archive_drop() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '500ms'
    AS $_$
DECLARE
    partition_name text;
    counts jsonb;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1145852242, 0) THEN
        RETURN NULL;
    END IF;
    SELECT c.relname INTO partition_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'message_archive'::regclass AND c.relname ~ '^message_archive_until_[0-9]{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') < (clock_timestamp() AT TIME ZONE 'UTC')::date
    ORDER BY 1
    LIMIT 1;
    IF partition_name IS NULL THEN
        RETURN NULL;
    END IF;
    -- Nobody adds to it or takes from it any more; whoever archives, archives into later ones, and goes on while
    -- this one is counted. Only the DROP itself stops them for a moment.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', partition_name);
    EXECUTE format(
        'WITH counted AS MATERIALIZED (SELECT queue, count(*) AS messages FROM %I GROUP BY queue)
         SELECT jsonb_build_object(''messages'', (SELECT sum(messages) FROM counted), ''queues'', (
             SELECT jsonb_object_agg(queue, messages)
             FROM (SELECT * FROM counted ORDER BY messages DESC, queue LIMIT 20) largest))',
        partition_name)
    INTO counts;
    IF counts ->> 'messages' IS NOT NULL THEN
        INSERT INTO audit_log (actor, action, target, detail)
        VALUES ('retention', 'expire', 'archive:' || to_char(to_date(right(partition_name, 8), 'YYYYMMDD'), 'YYYY-MM-DD'),
            counts);
    END IF;
    EXECUTE format('DROP TABLE %I', partition_name);
    RETURN partition_name;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $_$;
COMMENT ON FUNCTION public.message_archive_drop() IS 'Drops the oldest partition whose day is over, with an audit row that counts what was in it; its name. NULL: there is none, or somebody is in the way.';
CREATE FUNCTION public.message_archive_keep_until(of_queue text, since timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    -- A hundred years at most: more would end beyond what a timestamp is read as. Hours: a day is as long in every
    -- time zone.
    RETURN since + make_interval(hours => 24 * least(36500,
        coalesce((SELECT q.archive_days FROM queues q WHERE q.name = of_queue), 30)));
END $$;
COMMENT ON FUNCTION public.message_archive_keep_until(of_queue text, since timestamp with time zone) IS 'How long a message of that queue is kept which is archived at that moment, by its policy of now. Whoever archives asks it.';
CREATE FUNCTION public.message_archive_prepare(days_ahead integer) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '500ms'
    AS $_$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    movable CONSTANT integer := 100000;
    partition_name text;
    starts timestamptz;
    ends timestamptz;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1145852242, 0) THEN
        RETURN NULL;
    END IF;
    WITH RECURSIVE strays AS (
        SELECT min(keep_until) AS at FROM message_archive_unplaced WHERE keep_until >= today::timestamp AT TIME ZONE 'UTC'
        UNION ALL
        SELECT (
            SELECT min(u.keep_until) FROM message_archive_unplaced u
            WHERE u.keep_until >= ((s.at AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC'
        ) FROM strays s WHERE s.at IS NOT NULL
    ), wanted AS (
        SELECT (s.at AT TIME ZONE 'UTC')::date AS day, 0 AS ahead FROM strays s WHERE s.at IS NOT NULL
        UNION ALL
        SELECT today + kept.days + ahead, ahead
        FROM (SELECT 30 AS days UNION SELECT least(36500, archive_days) FROM queues) kept,
            generate_series(0, least(days_ahead, 366)) ahead
    )
    SELECT 'message_archive_until_' || to_char(day, 'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC',
        (day + 1)::timestamp AT TIME ZONE 'UTC'
    INTO partition_name, starts, ends
    FROM wanted
    WHERE to_regclass('message_archive_until_' || to_char(day, 'YYYYMMDD')) IS NULL
        -- Too many to move while others wait: they stay where they are.
        AND NOT EXISTS (
            SELECT FROM message_archive_unplaced
            WHERE keep_until >= day::timestamp AT TIME ZONE 'UTC' AND keep_until < (day + 1)::timestamp AT TIME ZONE 'UTC'
            OFFSET movable
        )
    ORDER BY ahead, day
    LIMIT 1;
    IF partition_name IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE message_archive INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
        partition_name);
    -- Who archives waits from here on: what was on its way into the default partition would be refused there.
    LOCK TABLE ONLY message_archive IN SHARE ROW EXCLUSIVE MODE;
    EXECUTE format(
        'WITH moved AS (DELETE FROM message_archive_unplaced
             WHERE keep_until >= %1$L AND keep_until < %2$L RETURNING *)
         INSERT INTO %3$I SELECT * FROM moved', starts, ends, partition_name);
    EXECUTE format('ALTER TABLE message_archive ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition_name, starts, ends);
    RETURN partition_name;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $_$;
COMMENT ON FUNCTION public.message_archive_prepare(days_ahead integer) IS 'Makes the next partition that is wanted within so many days, for what each queue''s policy says and for what stands unplaced; its name. NULL: there is none to make, or somebody is in the way.';
CREATE FUNCTION public.message_archive_shorten(of_queue text, days integer, archived_before timestamp with time zone, page integer, actor text, reason text, OUT deleted bigint, OUT shortened bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    kept CONSTANT interval := make_interval(hours => 24 * days);
    part record;
    taken bigint;
    put_back bigint;
BEGIN
    deleted := 0;
    shortened := 0;
    -- By partition: what is shortened moves to an earlier one, or goes, so none is read twice. The index gives the
    -- oldest first, and what is kept until a day was archived so long before it.
    FOR part IN
        SELECT c.oid::regclass AS name, CASE WHEN c.relname ~ '^message_archive_until_[0-9]{8}$'
            THEN (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' - kept END AS oldest
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'message_archive'::regclass
        ORDER BY c.relname
    LOOP
        EXECUTE format(
            'WITH longer AS MATERIALIZED (
                SELECT ctid FROM %1$s
                WHERE queue = $1 AND archived_at <= $2 AND keep_until > greatest(archived_at + $3, clock_timestamp())
                ORDER BY archived_at, id
                LIMIT $4
                FOR UPDATE SKIP LOCKED
            ), gone AS (
                DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM longer)) RETURNING *
            ), kept AS (
                INSERT INTO message_archive (id, queue, payload, payload_raw, headers, priority, retry_count,
                    group_key, dlq_event_id, revive_seq, owner, created_at, dequeued_time, archived_at, keep_until)
                SELECT id, queue, payload, payload_raw, headers, priority, retry_count,
                    group_key, dlq_event_id, revive_seq, owner, created_at, dequeued_time, archived_at, archived_at + $3
                FROM gone WHERE archived_at + $3 > clock_timestamp()
                RETURNING id
            )
            SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM kept)', part.name)
        INTO taken, put_back
        USING of_queue, least(archived_before, part.oldest), kept, page - deleted - shortened;
        deleted := deleted + taken - put_back;
        shortened := shortened + put_back;
        EXIT WHEN deleted + shortened >= page;
    END LOOP;
    IF deleted + shortened > 0 THEN
        INSERT INTO audit_log (actor, action, target, reason, detail)
        VALUES (actor, 'shorten', 'queue:' || of_queue, reason,
            jsonb_build_object('days', days, 'deleted', deleted, 'shortened', shortened));
    END IF;
END $_$;
COMMENT ON FUNCTION public.message_archive_shorten(of_queue text, days integer, archived_before timestamp with time zone, page integer, actor text, reason text, OUT deleted bigint, OUT shortened bigint) IS 'Keeps no longer than so many days what a queue archived before a moment: one page of it, with its audit row. How many went at once, and how many will go earlier; none: there are no more.';
CREATE FUNCTION public.message_bury(message public.message_queue, who public.message_identity, failed_as text, reason text, category text, stacktrace text, fatal boolean, delay_seconds double precision, max_retries integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.message_bury(message public.message_queue, who public.message_identity, failed_as text, reason text, category text, stacktrace text, fatal boolean, delay_seconds double precision, max_retries integer) IS 'A claimed message becomes a dead letter, or the one that it revives returns; its id. Whoever calls has locked the message. max_retries: of the schedule.';
CREATE FUNCTION public.message_event_type(queue text, payload jsonb, headers jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((jsonb_typeof(payload) = 'object'::text) AND (payload ? 'specversion'::text)) THEN (payload ->> 'type'::text) ELSE COALESCE((headers ->> 'ce_type'::text), queue) END;
COMMENT ON FUNCTION public.message_event_type(queue text, payload jsonb, headers jsonb) IS 'Of which type a message''s event is, as whoever runs its handler reads it.';
CREATE FUNCTION public.message_fail(id bigint, token uuid, reason text, category text DEFAULT 'UNKNOWN'::text, stacktrace text DEFAULT ''::text, fatal boolean DEFAULT false, who public.message_identity DEFAULT NULL::public.message_identity, step public.failure_step DEFAULT NULL::public.failure_step, letter_delay double precision DEFAULT 0, letter_max_retries integer DEFAULT NULL::integer, ruled_category text DEFAULT NULL::text, note boolean DEFAULT false) RETURNS SETOF public.failure_outcome
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.message_fail(id bigint, token uuid, reason text, category text, stacktrace text, fatal boolean, who public.message_identity, step public.failure_step, letter_delay double precision, letter_max_retries integer, ruled_category text, note boolean) IS 'A claimed message has failed: it is tried again, or becomes a dead letter, as its queue''s policy says, or as step does. ruled_category: where the rules were asked already. letter_delay and letter_max_retries: the schedule''s, where the caller knows them. note: also for the queue''s figures. No row: the lease was lost.';
CREATE FUNCTION public.message_heal(ids bigint[], token uuid, how text DEFAULT ''::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.message_heal(ids bigint[], token uuid, how text) IS 'The revived dead letters of these messages have SUCCEEDED; how is said where no handler of ours ran. Called before the messages go: their trigger settles only what is REVIVED still.';
CREATE FUNCTION public.message_identity(message public.message_queue) RETURNS public.message_identity
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT CASE WHEN (((e.ce ->> 'type'::text) <> ''::text) AND ((e.ce ->> 'source'::text) <> ''::text) AND ((e.ce ->> 'id'::text) <> ''::text) AND (GREATEST(length((e.ce ->> 'type'::text)), length((e.ce ->> 'source'::text)), length((e.ce ->> 'id'::text))) <= 512)) THEN ROW((e.ce ->> 'type'::text), (e.ce ->> 'source'::text), (e.ce ->> 'id'::text))::public.message_identity ELSE ROW(e.queue, ('queue:'::text || e.queue), (e.id)::text)::public.message_identity END AS "row" FROM (SELECT ((message_identity.message).queue)::text AS queue, (message_identity.message).id AS id, CASE WHEN ((jsonb_typeof((message_identity.message).payload) = 'object'::text) AND ((message_identity.message).payload ? 'specversion'::text)) THEN (SELECT jsonb_object_agg(a.key, a.value) AS jsonb_object_agg FROM jsonb_each((message_identity.message).payload) a(key, value) WHERE ((a.key = ANY (ARRAY['type'::text, 'source'::text, 'id'::text])) AND (jsonb_typeof(a.value) = 'string'::text))) ELSE jsonb_build_object('type', COALESCE(((message_identity.message).headers ->> 'ce_type'::text), ((message_identity.message).queue)::text), 'source', COALESCE(((message_identity.message).headers ->> 'ce_source'::text), ('queue:'::text || ((message_identity.message).queue)::text)), 'id', COALESCE(((message_identity.message).headers ->> 'ce_id'::text), ((message_identity.message).id)::text)) END AS ce) e);
COMMENT ON FUNCTION public.message_identity(message public.message_queue) IS 'Who a message''s event is: what a CloudEvent says of itself, else its headers ce_type, ce_source and ce_id, else its queue and its number.';
CREATE FUNCTION public.message_is_chosen(queue text, payload jsonb, headers jsonb, untried boolean, only_types text[], without_types text[], again_without_types text[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    event_type CONSTANT text := CASE WHEN payload IS NOT NULL THEN message_event_type(queue, payload, headers) END;
BEGIN
    RETURN (only_types IS NULL OR coalesce(event_type = ANY (only_types), false))
        AND (without_types IS NULL OR event_type IS NULL
            OR event_type <> ALL (without_types) AND (untried OR event_type <> ALL (again_without_types)));
END $$;
COMMENT ON FUNCTION public.message_is_chosen(queue text, payload jsonb, headers jsonb, untried boolean, only_types text[], without_types text[], again_without_types text[]) IS 'Whether a consumer that breakers keep from some event types takes this message. without_types also lets through what is no JSON, whose type cannot be told here; of again_without_types only the untried are taken.';
CREATE FUNCTION public.message_quarantine(id bigint, token uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.message_quarantine(id bigint, token uuid) IS 'A claimed message that ended its consumers is no more tried.';
CREATE FUNCTION public.message_queue_added() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    later boolean;
    grouped boolean;
    first_queue text;
    last_queue text;
    queue_names text[];
    holding text[];
    queue_name text;
    mode text;
    unseen boolean;
    somebody boolean;
    -- not current_user, which is whom this function belongs to
    sender CONSTANT name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    IF TG_RELID NOT IN ('message_queue'::regclass, 'message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_added serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT bool_or(a.next_retry_at > clock_timestamp() AND a.status = 'pending'), count(a.group_key) > 0, min(a.queue),
        max(a.queue)
    INTO later, grouped, first_queue, last_queue
    FROM added a;
    IF first_queue IS NULL THEN
        RETURN NULL;
    END IF;
    -- almost every statement sends to one queue
    queue_names := CASE WHEN first_queue = last_queue THEN ARRAY[first_queue]
        ELSE ARRAY(SELECT DISTINCT a.queue FROM added a) END;
    IF NOT has_table_privilege(sender, TG_RELID, 'INSERT') THEN
        -- no producer sends a revival: that is dead_letter_revive, which says itself who may call it
        SELECT s.queue INTO queue_name FROM (SELECT DISTINCT a.queue FROM added a WHERE a.dlq_event_id IS NULL) s
        WHERE NOT producer_may_send(sender, s.queue) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION '% may not send to the queue %', quote_ident(sender), quote_literal(queue_name)
                USING ERRCODE = 'insufficient_privilege', HINT = 'See producer_queues, and the command grants --producer and --consumer.';
        END IF;
    END IF;
    IF later THEN
        -- A message for later must not stand in the claim index.
        UPDATE message_queue m SET status = 'scheduled'
        WHERE m.id = ANY (ARRAY(
            SELECT a.id FROM added a WHERE a.status = 'pending' AND a.next_retry_at > clock_timestamp()
        ));
    END IF;
    IF grouped THEN
        holding := ARRAY(
            SELECT q.name FROM queues q
            WHERE q.name = ANY (queue_names) AND q.on_dead_letter = 'hold' AND q.fifo_groups
        );
        -- Behind an earlier message of its group a message waits, and where the queue holds, behind a dead letter; it
        -- is called when that one has left.
        UPDATE message_queue m SET status = 'waiting'
        WHERE m.id = ANY (ARRAY(
            SELECT a.id FROM added a
            WHERE a.group_key IS NOT NULL AND a.status IN ('pending', 'scheduled')
                AND (SELECT q.fifo_groups FROM queues q WHERE q.name = a.queue LIMIT 1) IS NOT FALSE
                AND (
                    (
                        SELECT true FROM message_queue e
                        WHERE e.queue = a.queue AND e.group_key = a.group_key
                            AND (e.group_key, e.id) < (a.group_key, a.id)
                        LIMIT 1
                    ) OR a.queue = ANY (holding) AND dead_letter_ahead(a.queue, a.group_key, a.id) IS NOT NULL
                )
        ));
    END IF;
    -- NOTIFY takes a lock of the whole cluster until commit, so it is only sent where somebody sleeps.
    -- Sleepers first leave a row, then see that they get the queue's lock exclusively, then look once more.
    -- Holding it shared until commit, we are either waited for, or see the row.
    FOREACH queue_name IN ARRAY queue_names LOOP
        -- refused while a sleeper makes sure, and then it wants to hear of us
        unseen := NOT pg_try_advisory_xact_lock_shared(1145852241, hashtext(queue_name))
            -- an older snapshot cannot see who went to sleep since
            OR current_setting('transaction_isolation') <> 'read committed';
        SELECT (SELECT q.notify FROM queues q WHERE q.name = queue_name),
            unseen OR EXISTS (
                SELECT 1 FROM queue_sleepers s
                WHERE s.queue = queue_name AND s.until > clock_timestamp()
            )
        INTO mode, somebody;
        IF mode = 'statement' OR somebody AND mode IS DISTINCT FROM 'off' THEN
            PERFORM pg_notify('message_queue', left(queue_name, 200));
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.message_queue_added() IS 'Refuses a producer another''s queue. Sets messages for later apart, makes a message wait behind an earlier one of its group or a dead letter that holds it, and wakes who sleeps. A session keeps the plan of each statement: made while the queue was empty, it must suit a million messages.';
CREATE FUNCTION public.message_queue_call_next(queues text[], group_keys text[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    holding CONSTANT text[] := ARRAY(
        SELECT q.name FROM queues q
        WHERE q.name = ANY (message_queue_call_next.queues) AND q.on_dead_letter = 'hold'
    );
    free bigint[];
    held bigint[];
    called bigint := 0;
BEGIN
    SELECT array_agg(h.id ORDER BY h.id) FILTER (WHERE h.status = 'waiting' AND h.letter IS NULL),
        array_agg(h.id ORDER BY h.id) FILTER (WHERE h.status <> 'waiting' AND h.letter IS NOT NULL)
    INTO free, held
    FROM (
        SELECT head.id, head.status,
            CASE WHEN g.queue = ANY (holding) THEN dead_letter_ahead(g.queue, g.group_key, head.id) END AS letter
        FROM unnest(queues, group_keys) g (queue, group_key),
            LATERAL (
                SELECT e.id, e.status FROM message_queue e
                WHERE e.queue = g.queue AND e.group_key = g.group_key
                ORDER BY e.queue, e.group_key, e.id LIMIT 1
            ) head
        WHERE head.status IN ('waiting', 'pending', 'scheduled')
    ) h;
    IF free IS NOT NULL THEN
        UPDATE message_queue m
        SET status = CASE WHEN m.next_retry_at > clock_timestamp() THEN 'scheduled' ELSE 'pending' END
        WHERE m.id = ANY (free) AND m.status = 'waiting';
        GET DIAGNOSTICS called = ROW_COUNT;
    END IF;
    IF held IS NOT NULL THEN
        UPDATE message_queue m SET status = 'waiting'
        WHERE m.id = ANY (held) AND m.status IN ('pending', 'scheduled');
    END IF;
    RETURN called;
END $$;
COMMENT ON FUNCTION public.message_queue_call_next(queues text[], group_keys text[]) IS 'Calls the next of each of these groups, now that the one before it has left; how many were waiting. Where a dead letter holds the group, its next waits, also one that was called already.';
CREATE FUNCTION public.message_queue_emptied() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID NOT IN ('message_queue'::regclass, 'message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_emptied serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO audit_log (actor, action, target, reason)
    VALUES ('sql:' || session_user, 'truncate', 'table:message_queue', 'TRUNCATE ' || TG_TABLE_NAME);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.message_queue_emptied() IS 'Writes into the audit log who emptied the table of messages.';
CREATE FUNCTION public.message_queue_removed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    revived boolean;
    grouped boolean;
BEGIN
    IF TG_RELID NOT IN ('message_queue'::regclass, 'message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_removed serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- almost every message is nobody's revival, and of no group
    SELECT count(r.dlq_event_id) > 0, count(r.group_key) > 0 INTO revived, grouped FROM removed r;
    IF revived THEN
        PERFORM dead_letter_settle_removed(
            array_agg(r.dlq_event_id), array_agg(r.revive_seq), array_agg(r.queue || '/' || r.id),
            array_agg(CASE
                WHEN r.status = 'processing' AND (r.lease_until IS NULL OR r.lease_until >= clock_timestamp())
                THEN coalesce(r.owner, session_user::text) END),
            array_agg(r.dequeued_time))
        FROM removed r WHERE r.dlq_event_id IS NOT NULL;
    END IF;
    IF grouped THEN
        PERFORM message_queue_call_next(array_agg(r.queue), array_agg(r.group_key))
        FROM (SELECT DISTINCT queue::text, group_key::text FROM removed WHERE group_key IS NOT NULL) r;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.message_queue_removed() IS 'After a DELETE by anybody: settles the revived dead letters whose messages went and who are REVIVED still, and calls the next of each group.';
CREATE FUNCTION public.message_queue_taken_over() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID NOT IN ('message_queue'::regclass, 'message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_taken_over serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM attempts_add(ARRAY[attempt('crash', 'failed', OLD.dlq_event_id, OLD.queue || '/' || OLD.id,
        worker => OLD.owner, started_at => OLD.dequeued_time, reason => NEW.last_error)]);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.message_queue_taken_over() IS 'A consumer died while it held a message, and another counts the crash: it is an attempt of the message''s story.';
CREATE FUNCTION public.message_remove(ids bigint[], token uuid, archive boolean, records public.event_record[] DEFAULT NULL::public.event_record[], note boolean DEFAULT false) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.message_remove(ids bigint[], token uuid, archive boolean, records public.event_record[], note boolean) IS 'Claimed messages leave their queue, into the archive or not; records: what handlers made of them, in the order of ids. The revived dead letters among them have SUCCEEDED. note: also for the queue''s figures, and archive NULL: as its policy says. Returns the ids that were still the caller''s.';
CREATE FUNCTION public.message_retry(message public.message_queue, delay_seconds double precision, reason text, category text, stacktrace text, fatal boolean) RETURNS timestamp with time zone
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.message_retry(message public.message_queue, delay_seconds double precision, reason text, category text, stacktrace text, fatal boolean) IS 'A claimed message has failed and is tried again. The attempt is kept, for the dead letter that it may become or was. Whoever calls has locked the message.';
CREATE FUNCTION public.message_take_over(ids bigint[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
    -- Of several that a consumer held when it died nobody knows which it had begun: none is charged, and the first that
    -- is alone in a consumer's hands when that dies, too, is charged with both.
    UPDATE message_queue m
    SET crash_count = m.crash_count + m.charge, charge = CASE WHEN m.charge = 0 THEN 2 ELSE 1 END,
        last_error = 'the consumer ' || coalesce(m.owner, '?') || ' stopped while holding this message'
    WHERE m.id = ANY (ids) AND m.status = 'processing'
$$;
COMMENT ON FUNCTION public.message_take_over(ids bigint[]) IS 'Counts the crash of the consumers that held these messages. Whoever calls has locked them, and claims them now.';
CREATE FUNCTION public.most_crashes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 3;
COMMENT ON FUNCTION public.most_crashes() IS 'A message that has ended so many of its consumers is quarantined.';
CREATE FUNCTION public.most_timeouts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;
COMMENT ON FUNCTION public.most_timeouts() IS 'Nor is an event tried again by a machine after so many timeouts.';
CREATE FUNCTION public.page_visited(here text, nearby text, visitor text) RETURNS TABLE(actor text, page text, seconds double precision)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS $$
BEGIN
    INSERT INTO page_visits AS v (page, actor) VALUES (here, visitor)
    ON CONFLICT ON CONSTRAINT page_visits_pkey DO UPDATE
    SET seen_at = clock_timestamp(), since = CASE
        WHEN v.seen_at < clock_timestamp() - interval '30 seconds' THEN clock_timestamp() ELSE v.since END;
    RETURN QUERY
        SELECT v.actor, v.page::text, extract(epoch FROM clock_timestamp() - v.since)::float8 FROM page_visits v
        WHERE v.page IN (here, nearby) AND v.actor <> visitor
            AND v.seen_at > clock_timestamp() - interval '30 seconds'
        ORDER BY v.since, v.actor LIMIT 10;
END $$;
COMMENT ON FUNCTION public.page_visited(here text, nearby text, visitor text) IS 'Notes that an account has a page open. Returns the others who have it, or the one beside it, open, ten at most, and for how many seconds.';
CREATE FUNCTION public.periodic_send(event_type text, cron text, timezone text, queue text, tick timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    moment CONSTANT text := to_char(periodic_send.tick AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
    sent bigint;
BEGIN
    INSERT INTO periodic_ticks (event_type, cron, timezone, queue, tick)
    VALUES (periodic_send.event_type, periodic_send.cron, periodic_send.timezone, periodic_send.queue,
        periodic_send.tick)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN NULL;
    END IF;
    -- who comes second waits here, and finds the tick taken
    UPDATE periodic_ticks p
    SET cron = periodic_send.cron, timezone = periodic_send.timezone, queue = periodic_send.queue,
        tick = periodic_send.tick
    WHERE p.event_type = periodic_send.event_type AND p.tick < periodic_send.tick
        AND periodic_send.tick <= clock_timestamp();
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    sent := queue_send(periodic_send.queue, jsonb_build_object(
        'specversion', '1.0', 'type', periodic_send.event_type, 'source', 'periodic',
        'id', periodic_send.event_type || ' ' || moment, 'time', moment, 'data', jsonb_build_object()
    ));
    UPDATE periodic_ticks p SET message_id = sent WHERE p.event_type = periodic_send.event_type;
    RETURN sent;
END $$;
COMMENT ON FUNCTION public.periodic_send(event_type text, cron text, timezone text, queue text, tick timestamp with time zone) IS 'Sends the message of a tick, and returns its id; NULL where that was done, or where the handler is new.';
CREATE FUNCTION public.pipeline_runs_guarded() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF NOT has_column_privilege('pipeline_runs', 'asked_at', 'UPDATE') THEN
        RAISE EXCEPTION 'run % was asked for, and % may change only runs of its own processes', OLD.id, quote_ident(current_user)
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION public.pipeline_runs_guarded() IS 'Trigger of pipeline_runs: who may not ask for a run changes none that was asked for. Without asked_at none waits for a worker, which a constraint holds.';
CREATE TABLE public.producer_queues (
    role_name name NOT NULL,
    queue character varying(255) NOT NULL
);
COMMENT ON TABLE public.producer_queues IS 'Which producers may send to which queues: roles that may insert only some columns of message_queue. Written by the command grants.';
CREATE FUNCTION public.producer_may_send(producer name, to_queue text) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM public.producer_queues p WHERE (((p.queue)::text = producer_may_send.to_queue) AND ((p.role_name = producer_may_send.producer) OR (EXISTS (SELECT FROM pg_roles r WHERE ((r.rolname = p.role_name) AND pg_has_role(producer_may_send.producer, r.oid, 'USAGE'::text))))))));
COMMENT ON FUNCTION public.producer_may_send(producer name, to_queue text) IS 'Whether producer_queues gives a queue to this role.';
CREATE FUNCTION public.queue_archive(ids bigint[], token uuid) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT message_remove(ids, token, true, note => true) $$;
COMMENT ON FUNCTION public.queue_archive(ids bigint[], token uuid) IS 'As queue_complete, and into the archive whatever the queue''s policy.';
CREATE FUNCTION public.queue_bind(pattern text, queue text, reason text DEFAULT ''::text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT topic_set(pattern, queue, true, 'sql:' || session_user, reason) $$;
COMMENT ON FUNCTION public.queue_bind(pattern text, queue text, reason text) IS 'From now on the queue gets what is sent to routing keys of the pattern. False: it did already.';
CREATE FUNCTION public.queue_call_forgotten(queue text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.queue_call_forgotten(queue text) IS 'Calls heads of groups whose predecessor left while they were being sent; their number.';
CREATE FUNCTION public.queue_can_claim(queue text, condition jsonb, group_key text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.queue_can_claim(queue text, condition jsonb, group_key text) IS 'Whether a claim would very likely get a message now. It only reads, so whoever waits locks nothing.';
CREATE FUNCTION public.queue_claim(queue text, number integer DEFAULT 1, lease_seconds double precision DEFAULT NULL::double precision, owner text DEFAULT NULL::text, wait_seconds double precision DEFAULT 0, condition jsonb DEFAULT NULL::jsonb, group_key text DEFAULT NULL::text, blameless boolean DEFAULT false) RETURNS SETOF public.queued_message
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_claim(queue text, number integer, lease_seconds double precision, owner text, wait_seconds double precision, condition jsonb, group_key text, blameless boolean) IS 'Claims up to number due messages, in the queue''s order: yours for lease_seconds, by default the queue''s. Waits up to wait_seconds, 60 at most, for the first; without a row, another consumer was quicker. The first call of a session does not wait where client_connection_check_interval is 0: it sets it, so that no session waits whose program is gone. condition: only what payload @> condition finds; group_key: only of this group; blameless: should you die, no message is charged with it. Commit before you begin to work: only then is the attempt counted. After a claim in vain you are woken for a minute: LISTEN message_queue, and the notice''s text is the queue''s name.';
CREATE FUNCTION public.queue_claimed(token uuid, first_id bigint, last_id bigint) RETURNS SETOF public.queued_message
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.payload, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.priority, m.lease_token,
        m.group_key::text, m.dlq_event_id, m.crash_count, false, m.turn
    FROM message_queue m
    WHERE m.id BETWEEN first_id AND last_id AND m.lease_token = token AND m.status = 'processing'
    ORDER BY m.id
$$;
COMMENT ON FUNCTION public.queue_claimed(token uuid, first_id bigint, last_id bigint) IS 'What of a claim is held still, by number: for the workers of a program that has claimed for all of them.';
CREATE FUNCTION public.queue_complete(ids bigint[], token uuid) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT message_remove(ids, token, NULL, note => true) $$;
COMMENT ON FUNCTION public.queue_complete(ids bigint[], token uuid) IS 'The messages are done: they leave the queue, into the archive where its policy says so. A revived dead letter among them has SUCCEEDED. Returns the ids that were still yours; one that is missing lost its lease.';
CREATE FUNCTION public.queue_create(queue text, unlogged boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
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
END $_$;
COMMENT ON FUNCTION public.queue_create(queue text, unlogged boolean) IS 'Makes a queue with the default policy. False: it is there, and stays as it is. A queue needs no row; one that is listed has it.';
CREATE FUNCTION public.queue_delete(ids bigint[], reason text DEFAULT ''::text, archive boolean DEFAULT false) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_delete(ids bigint[], reason text, archive boolean) IS 'Deletes messages that nobody holds, each with a line in the audit log; archive: into the archive. A revived dead letter among them returns to where it was. Returns the ids that went. What you hold you complete.';
CREATE FUNCTION public.queue_drop(queue text, reason text, force boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_drop(queue text, reason text, force boolean) IS 'Purges a queue and removes its policy, figures and topics. Its dead letters stay, and what it archived. False: there was no such queue. Refused while somebody holds a message of it; force: they lose their leases.';
CREATE FUNCTION public.queue_extend(ids bigint[], token uuid, lease_seconds double precision) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    AS $$
    UPDATE message_queue m SET lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    WHERE m.id = ANY (ids) AND m.lease_token = token AND m.status = 'processing'
    RETURNING m.id
$$;
COMMENT ON FUNCTION public.queue_extend(ids bigint[], token uuid, lease_seconds double precision) IS 'Lengthens leases: they end in lease_seconds from now. Returns the ids that were still yours.';
CREATE FUNCTION public.queue_fail(id bigint, token uuid, error_reason text, error_category text DEFAULT 'UNKNOWN'::text, error_stacktrace text DEFAULT ''::text, fatal boolean DEFAULT false) RETURNS SETOF public.failure_outcome
    LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace, fatal, note => true)
$$;
COMMENT ON FUNCTION public.queue_fail(id bigint, token uuid, error_reason text, error_category text, error_stacktrace text, fatal boolean) IS 'A claimed message has failed. The queue''s policy decides: it is tried again after a wait, or becomes a dead letter. error_reason: ErrorClass: message. error_category: TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS or UNKNOWN. fatal: it ended the process of its handler. Returns no row where the lease was lost.';
CREATE FUNCTION public.queue_forget(queue text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_forget(queue text) IS 'Removes what is known of a queue beside its messages: policy, figures, topics. Whether there was a policy or a figure. Its dead letters stay, and what it archived.';
CREATE FUNCTION public.queue_give_up(id bigint, token uuid, error_reason text, error_category text DEFAULT 'UNKNOWN'::text, error_stacktrace text DEFAULT ''::text) RETURNS SETOF public.failure_outcome
    LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace,
        step => ROW('PENDING', NULL)::failure_step, note => true)
$$;
COMMENT ON FUNCTION public.queue_give_up(id bigint, token uuid, error_reason text, error_category text, error_stacktrace text) IS 'As queue_fail, and it becomes a dead letter at once. A revived one returns to its dead letter, as a relapse.';
CREATE FUNCTION public.queue_list() RETURNS TABLE(queue text, unlogged boolean, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT q.name, q.unlogged, q.created_at FROM queues q ORDER BY q.name $$;
COMMENT ON FUNCTION public.queue_list() IS 'The queues that somebody has created.';
CREATE FUNCTION public.queue_metrics(queue text) RETURNS TABLE(visible bigint, in_flight bigint, scheduled bigint, waiting bigint, held bigint, oldest_due_seconds double precision, completed_per_minute double precision, consumers bigint, paused boolean, newest_seconds double precision, handled_this_week bigint, counted_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_metrics(queue text) IS 'The figures of a queue. Each count ends at 100,000. completed_per_minute: over the last five full minutes; consumers: heard of in the last two; newest_seconds: of what is visible or in flight; handled_this_week: completed or dead-lettered, by the figures of seven days.';
CREATE FUNCTION public.queue_note_consumer(queue text, owner text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_note_consumer(queue text, owner text) IS 'Notes every few seconds that a consumer in SQL runs, and does the queue''s chores.';
CREATE FUNCTION public.queue_note_outcomes(queue text, owner text, completed integer DEFAULT 0, retried integer DEFAULT 0, dead_lettered integer DEFAULT 0) RETURNS void
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    INSERT INTO queue_activity AS a (queue, minute, consumer, completed, retried, dead_lettered)
    VALUES (queue_note_outcomes.queue, date_trunc('minute', clock_timestamp()), owner,
        queue_note_outcomes.completed, queue_note_outcomes.retried, queue_note_outcomes.dead_lettered)
    ON CONFLICT (queue, minute, consumer) DO UPDATE SET completed = a.completed + excluded.completed,
        retried = a.retried + excluded.retried, dead_lettered = a.dead_lettered + excluded.dead_lettered
$$;
COMMENT ON FUNCTION public.queue_note_outcomes(queue text, owner text, completed integer, retried integer, dead_lettered integer) IS 'Adds to what a consumer did with a queue in this minute. A row is one consumer''s: nobody waits for it.';
CREATE FUNCTION public.session_actor() RETURNS text
    LANGUAGE sql STABLE
    RETURN ((SESSION_USER)::text || COALESCE(((' ('::text || NULLIF(current_setting('application_name'::text, true), ''::text)) || ')'::text), ''::text));
COMMENT ON FUNCTION public.session_actor() IS 'Who says it by plain SQL: "alice (psql)".';
CREATE FUNCTION public.queue_owner(owner text) RETURNS text
    LANGUAGE sql STABLE
    RETURN "left"(COALESCE(NULLIF(owner, ''::text), ((public.session_actor() || ' '::text) || pg_backend_pid())), 200);
COMMENT ON FUNCTION public.queue_owner(owner text) IS 'By what name a consumer is known: its own, else its account, program and session.';
CREATE FUNCTION public.queue_peek(queue text, number integer DEFAULT 10, after_id bigint DEFAULT 0) RETURNS TABLE(id bigint, status text, payload jsonb, payload_raw bytea, headers jsonb, priority smallint, group_key text, retry_count integer, next_retry_at timestamp with time zone, owner text, lease_until timestamp with time zone, last_error text, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT m.id, m.status, m.payload, m.payload_raw, m.headers, m.priority, m.group_key, m.retry_count,
        m.next_retry_at, m.owner, m.lease_until, m.last_error, m.created_at
    FROM message_queue m
    WHERE m.queue = queue_peek.queue AND m.id > queue_peek.after_id
    ORDER BY m.id
    LIMIT least(queue_peek.number, 1000)
$$;
COMMENT ON FUNCTION public.queue_peek(queue text, number integer, after_id bigint) IS 'Messages of a queue by number, whatever their state, without claiming them: up to number, 1,000 at most, after after_id.';
CREATE TABLE public.queues (
    name character varying(255) NOT NULL,
    max_retries integer DEFAULT 3 NOT NULL,
    lease_seconds integer DEFAULT 60 NOT NULL,
    backoff_base_seconds double precision DEFAULT 5.0 NOT NULL,
    backoff_factor double precision DEFAULT 2.0 NOT NULL,
    backoff_cap_seconds double precision DEFAULT 3600.0 NOT NULL,
    backoff_jitter double precision DEFAULT 1.0 NOT NULL,
    retention character varying(8) DEFAULT 'delete'::character varying NOT NULL,
    archive_days integer DEFAULT 30 NOT NULL,
    notify character varying(12) DEFAULT 'throttled'::character varying NOT NULL,
    fifo_groups boolean DEFAULT true NOT NULL,
    on_dead_letter character varying(8) DEFAULT 'continue'::character varying NOT NULL,
    rate_limit double precision,
    age_limit_seconds integer,
    unlogged boolean DEFAULT false NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT queues_bounds CHECK (((backoff_base_seconds >= (0.0)::double precision) AND (lease_seconds >= 1) AND (max_retries >= 0))),
    CONSTRAINT queues_named CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT queues_notify CHECK (((notify)::text = ANY ((ARRAY['throttled'::character varying, 'statement'::character varying, 'off'::character varying])::text[]))),
    CONSTRAINT queues_on_dead_letter CHECK (((on_dead_letter)::text = ANY ((ARRAY['continue'::character varying, 'hold'::character varying])::text[]))),
    CONSTRAINT queues_policy_bounds CHECK (((archive_days >= 1) AND (backoff_cap_seconds >= (0.0)::double precision) AND (backoff_factor >= (1.0)::double precision) AND (backoff_jitter >= (0.0)::double precision) AND (backoff_jitter <= (1.0)::double precision) AND ((rate_limit IS NULL) OR (rate_limit > (0.0)::double precision)) AND ((age_limit_seconds IS NULL) OR (age_limit_seconds > 0)))),
    CONSTRAINT queues_retention CHECK (((retention)::text = ANY ((ARRAY['delete'::character varying, 'archive'::character varying])::text[])))
);
COMMENT ON TABLE public.queues IS 'A queue''s policy. A queue without a row here has these defaults.';
COMMENT ON COLUMN public.queues.backoff_base_seconds IS 'the delay before the nth retry: base x factor^(n-1), at most cap';
COMMENT ON COLUMN public.queues.backoff_jitter IS 'the share of the delay that is drawn by lot';
COMMENT ON COLUMN public.queues.retention IS 'what becomes of a completed message';
COMMENT ON COLUMN public.queues.archive_days IS 'how long an archived one is kept';
COMMENT ON COLUMN public.queues.fifo_groups IS 'messages of one group key one at a time, in order; false: the key is only a label';
COMMENT ON COLUMN public.queues.on_dead_letter IS 'what the others of a group do while one of them is a dead letter: go on, or wait until it is dealt with';
COMMENT ON COLUMN public.queues.rate_limit IS 'claims a second by all consumers together; NULL: as many as they can';
COMMENT ON COLUMN public.queues.age_limit_seconds IS 'how long its oldest waiting message may have been due before people are told; NULL: no limit';
COMMENT ON COLUMN public.queues.unlogged IS 'messages are not logged: twice as fast to send, and gone after a crash of the database';
CREATE FUNCTION public.queue_policy(its_name text) RETURNS public.queues
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    policy queues;
BEGIN
    SELECT * INTO policy FROM queues q WHERE q.name = its_name;
    IF NOT FOUND THEN
        policy.name := its_name;
        policy.max_retries := 3;
        policy.lease_seconds := 60;
        policy.backoff_base_seconds := 5;
        policy.backoff_factor := 2;
        policy.backoff_cap_seconds := 3600;
        policy.backoff_jitter := 1;
        policy.retention := 'delete';
        policy.archive_days := 30;
        policy.notify := 'throttled';
        policy.fifo_groups := true;
        policy.on_dead_letter := 'continue';
        policy.unlogged := false;
        policy.paused := false;
        policy.created_at := clock_timestamp();
    END IF;
    RETURN policy;
END $$;
COMMENT ON FUNCTION public.queue_policy(its_name text) IS 'A queue''s policy; the columns'' defaults for a queue that nobody created.';
CREATE FUNCTION public.queue_pop(queue text, number integer DEFAULT 1, owner text DEFAULT NULL::text) RETURNS SETOF public.queued_message
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_pop(queue text, number integer, owner text) IS 'Takes up to number due messages off a queue for good, at most once: what you lose then is lost. A revived dead letter among them has SUCCEEDED. Use queue_claim for what must not be lost.';
CREATE FUNCTION public.queue_purge(queue text, reason text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_purge(queue text, reason text) IS 'Takes all messages off a queue that nobody holds, into the archive where its policy says so; their number. One transaction: for many, use the console''s purge, which goes page by page and can be stopped.';
CREATE FUNCTION public.queue_put_back(ids bigint[], token uuid, event_type text, delay_seconds double precision) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_put_back(ids bigint[], token uuid, event_type text, delay_seconds double precision) IS 'Puts messages back that you have no handler for, all of one event type: for a consumer that has it, else for delay_seconds later. The attempt is not counted. Returns the ids that were still yours.';
CREATE FUNCTION public.queue_release(ids bigint[], token uuid, delay_seconds double precision DEFAULT 0) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_release(ids bigint[], token uuid, delay_seconds double precision) IS 'Gives messages back that you did not begin, for now or for later. The attempt is not counted. Returns the ids that were still yours.';
CREATE FUNCTION public.queue_retry(id bigint, token uuid, delay_seconds double precision, error_reason text, error_category text DEFAULT 'UNKNOWN'::text, error_stacktrace text DEFAULT ''::text) RETURNS SETOF public.failure_outcome
    LANGUAGE sql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT * FROM message_fail(id, token, error_reason, error_category, error_stacktrace,
        step => ROW(NULL, greatest(delay_seconds, 0))::failure_step, note => true)
$$;
COMMENT ON FUNCTION public.queue_retry(id bigint, token uuid, delay_seconds double precision, error_reason text, error_category text, error_stacktrace text) IS 'As queue_fail, and it is tried again after delay_seconds, however often it has failed.';
CREATE FUNCTION public.queue_send(queue text, payload jsonb, headers jsonb DEFAULT '{}'::jsonb, delay_seconds double precision DEFAULT 0, priority integer DEFAULT 0, dedupe_key text DEFAULT NULL::text, group_key text DEFAULT NULL::text, max_retries integer DEFAULT NULL::integer, payload_raw bytea DEFAULT NULL::bytea) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    message_id bigint;
    due CONSTANT timestamptz := clock_timestamp() + make_interval(secs => coalesce(queue_send.delay_seconds, 0));
BEGIN
    IF (SELECT q.unlogged FROM queues q WHERE q.name = queue_send.queue) THEN
        RETURN queue_send_unlogged(queue_send.queue, queue_send.payload, queue_send.headers, delay_seconds,
            queue_send.priority, queue_send.dedupe_key, queue_send.group_key, queue_send.max_retries,
            queue_send.payload_raw);
    END IF;
    INSERT INTO message_queue (queue, payload, payload_raw, headers, priority, max_retries, next_retry_at,
        dedupe_key, group_key)
    VALUES (queue_send.queue, queue_send.payload, queue_send.payload_raw, coalesce(queue_send.headers, '{}'),
        queue_send.priority, queue_send.max_retries, due, queue_send.dedupe_key, queue_send.group_key)
    ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
    RETURNING id INTO message_id;
    RETURN message_id;
END $$;
COMMENT ON FUNCTION public.queue_send(queue text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text, max_retries integer, payload_raw bytea) IS 'Puts a message on a queue, in your transaction. Returns its id; NULL where a live message of the queue has its dedupe_key. payload_raw: the exact bytes, where JSON cannot hold them.';
CREATE FUNCTION public.queue_send_many(queue text, payloads jsonb, headers jsonb DEFAULT '{}'::jsonb, delay_seconds double precision DEFAULT 0, priority integer DEFAULT 0, group_key text DEFAULT NULL::text) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    due CONSTANT timestamptz :=
        clock_timestamp() + make_interval(secs => coalesce(queue_send_many.delay_seconds, 0));
BEGIN
    IF (SELECT q.unlogged FROM queues q WHERE q.name = queue_send_many.queue) THEN
        RETURN QUERY SELECT * FROM queue_send_many_unlogged(queue_send_many.queue, payloads, queue_send_many.headers,
            delay_seconds, queue_send_many.priority, queue_send_many.group_key);
        RETURN;
    END IF;
    RETURN QUERY
    INSERT INTO message_queue (queue, payload, headers, priority, next_retry_at, group_key)
    SELECT queue_send_many.queue, p.payload, coalesce(queue_send_many.headers, '{}'), queue_send_many.priority,
        due, queue_send_many.group_key
    FROM jsonb_array_elements(queue_send_many.payloads) WITH ORDINALITY p (payload, place) ORDER BY p.place
    RETURNING id;
END $$;
COMMENT ON FUNCTION public.queue_send_many(queue text, payloads jsonb, headers jsonb, delay_seconds double precision, priority integer, group_key text) IS 'Puts the elements of a JSON array on a queue, a message each, in their order; their ids.';
CREATE FUNCTION public.queue_send_many_unlogged(queue text, payloads jsonb, headers jsonb DEFAULT '{}'::jsonb, delay_seconds double precision DEFAULT 0, priority integer DEFAULT 0, group_key text DEFAULT NULL::text) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    due CONSTANT timestamptz :=
        clock_timestamp() + make_interval(secs => coalesce(queue_send_many_unlogged.delay_seconds, 0));
BEGIN
    IF false AND (SELECT q.unlogged FROM queues q WHERE q.name = queue_send_many_unlogged.queue) THEN
        RETURN QUERY SELECT * FROM queue_send_many_unlogged(queue_send_many_unlogged.queue, payloads, queue_send_many_unlogged.headers,
            delay_seconds, queue_send_many_unlogged.priority, queue_send_many_unlogged.group_key);
        RETURN;
    END IF;
    RETURN QUERY
    INSERT INTO message_queue_unlogged (queue, payload, headers, priority, next_retry_at, group_key)
    SELECT queue_send_many_unlogged.queue, p.payload, coalesce(queue_send_many_unlogged.headers, '{}'), queue_send_many_unlogged.priority,
        due, queue_send_many_unlogged.group_key
    FROM jsonb_array_elements(queue_send_many_unlogged.payloads) WITH ORDINALITY p (payload, place) ORDER BY p.place
    RETURNING id;
END $$;
COMMENT ON FUNCTION public.queue_send_many_unlogged(queue text, payloads jsonb, headers jsonb, delay_seconds double precision, priority integer, group_key text) IS 'queue_send_many to an unlogged queue, made of it.';
CREATE FUNCTION public.queue_send_topic(routing_key text, payload jsonb, headers jsonb DEFAULT '{}'::jsonb, delay_seconds double precision DEFAULT 0, priority integer DEFAULT 0, dedupe_key text DEFAULT NULL::text, group_key text DEFAULT NULL::text) RETURNS TABLE(queue text, id bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT t.queue, queue_send(t.queue, payload, headers, delay_seconds, priority, dedupe_key, group_key)
    FROM (SELECT DISTINCT b.queue FROM queue_topic_bindings(coalesce(routing_key, '')) b ORDER BY b.queue) t
$$;
COMMENT ON FUNCTION public.queue_send_topic(routing_key text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text) IS 'Puts a message on each queue that the routing key reaches, once, in your transaction: all of them or none. You must be allowed to send to each. Returns the queues with the messages'' ids; no row where the key reaches none.';
CREATE FUNCTION public.queue_send_unlogged(queue text, payload jsonb, headers jsonb DEFAULT '{}'::jsonb, delay_seconds double precision DEFAULT 0, priority integer DEFAULT 0, dedupe_key text DEFAULT NULL::text, group_key text DEFAULT NULL::text, max_retries integer DEFAULT NULL::integer, payload_raw bytea DEFAULT NULL::bytea) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
    message_id bigint;
    due CONSTANT timestamptz := clock_timestamp() + make_interval(secs => coalesce(queue_send_unlogged.delay_seconds, 0));
BEGIN
    IF false AND (SELECT q.unlogged FROM queues q WHERE q.name = queue_send_unlogged.queue) THEN
        RETURN queue_send_unlogged(queue_send_unlogged.queue, queue_send_unlogged.payload, queue_send_unlogged.headers, delay_seconds,
            queue_send_unlogged.priority, queue_send_unlogged.dedupe_key, queue_send_unlogged.group_key, queue_send_unlogged.max_retries,
            queue_send_unlogged.payload_raw);
    END IF;
    INSERT INTO message_queue_unlogged (queue, payload, payload_raw, headers, priority, max_retries, next_retry_at,
        dedupe_key, group_key)
    VALUES (queue_send_unlogged.queue, queue_send_unlogged.payload, queue_send_unlogged.payload_raw, coalesce(queue_send_unlogged.headers, '{}'),
        queue_send_unlogged.priority, queue_send_unlogged.max_retries, due, queue_send_unlogged.dedupe_key, queue_send_unlogged.group_key)
    ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
    RETURNING id INTO message_id;
    RETURN message_id;
END $$;
COMMENT ON FUNCTION public.queue_send_unlogged(queue text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text, max_retries integer, payload_raw bytea) IS 'queue_send to an unlogged queue, made of it.';
CREATE FUNCTION public.queue_set_due(id bigint, due timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_set_due(id bigint, due timestamp with time zone) IS 'Says when a message that nobody holds is due, now or later. False: it is gone, somebody holds it, or it waits for another of its group.';
CREATE FUNCTION public.queue_stage(queue text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.queue_stage(queue text) IS 'Makes messages of a queue claimable that have come due, a thousand at most; their number.';
CREATE FUNCTION public.queue_take(queue text, number integer, lease_seconds double precision, owner text, condition jsonb DEFAULT NULL::jsonb, group_key text DEFAULT NULL::text, from_turn integer DEFAULT '-65535'::integer, from_id bigint DEFAULT 0, only_types text[] DEFAULT NULL::text[], without_types text[] DEFAULT NULL::text[], again_without_types text[] DEFAULT '{}'::text[], blameless boolean DEFAULT false) RETURNS SETOF public.queued_message
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
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
COMMENT ON FUNCTION public.queue_take(queue text, number integer, lease_seconds double precision, owner text, condition jsonb, group_key text, from_turn integer, from_id bigint, only_types text[], without_types text[], again_without_types text[], blameless boolean) IS 'Claims due messages of a queue that is not paused, in its order, as many as its rate allows. from_turn and from_id: where the caller''s last claim ended. The types are for a consumer that breakers keep from some. A consumer that does its chores itself calls this; any other one calls queue_claim.';
CREATE FUNCTION public.queue_take_unlogged(queue text, number integer, lease_seconds double precision, owner text, condition jsonb DEFAULT NULL::jsonb, group_key text DEFAULT NULL::text, from_turn integer DEFAULT '-65535'::integer, from_id bigint DEFAULT 0, only_types text[] DEFAULT NULL::text[], without_types text[] DEFAULT NULL::text[], again_without_types text[] DEFAULT '{}'::text[], blameless boolean DEFAULT false) RETURNS SETOF public.queued_message
    LANGUAGE plpgsql SECURITY DEFINER ROWS 10
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
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
    SELECT * INTO policy FROM queues q WHERE q.name = queue_take_unlogged.queue;
    IF false THEN
        RETURN QUERY SELECT * FROM queue_take_unlogged(queue_take_unlogged.queue, number, lease_seconds, owner, condition,
            queue_take_unlogged.group_key, from_turn, from_id, only_types, without_types, again_without_types, blameless);
        RETURN;
    END IF;
    IF policy.paused THEN
        RETURN;
    END IF;
    IF policy.rate_limit IS NOT NULL THEN
        allowance := queue_tokens_take(queue_take_unlogged.queue, allowance, policy.rate_limit);
        IF allowance <= 0 THEN
            RETURN;
        END IF;
    END IF;
    fifo := coalesce(policy.fifo_groups, true);
    SELECT array_agg(d.id), array_agg(d.crashes) INTO due, crashes
    FROM (
        -- What a dead consumer holds still stands here, its lease run out, and is taken over.
        SELECT m.id, m.crash_count + (m.status = 'processing')::int AS crashes
        FROM message_queue m
        WHERE m.queue = queue_take_unlogged.queue AND m.phase = 'live' AND (m.turn, m.id) >= (from_turn, from_id)
            AND (m.status = 'pending' OR m.lease_until < moment)
            AND (queue_take_unlogged.condition IS NULL OR m.payload @> queue_take_unlogged.condition)
            AND (queue_take_unlogged.group_key IS NULL OR m.group_key = queue_take_unlogged.group_key)
            AND (every_type OR message_is_chosen(m.queue, m.payload, m.headers,
                m.retry_count = 0 AND m.dlq_event_id IS NULL, only_types, without_types, again_without_types))
            AND (
                m.group_key IS NULL
                OR NOT fifo
                -- The one of its group that may be taken. What is in flight is taken over, its lease run out, even
                -- where an earlier one was committed after it had begun: else each would wait for the other.
                OR (m.status = 'processing' OR NOT EXISTS (
                    SELECT 1 FROM message_queue e
                    WHERE e.queue = m.queue AND e.group_key = m.group_key
                        AND (e.group_key, e.id) < (m.group_key, m.id)  -- by the groups' own index
                )) AND NOT EXISTS (
                    SELECT 1 FROM message_queue e
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
            + make_interval(secs => coalesce(queue_take_unlogged.lease_seconds, policy.lease_seconds, 60));
        its_token := gen_random_uuid();  -- one for all that is claimed now
        RETURN QUERY
        WITH claimed AS (
            UPDATE message_queue m
            SET status = 'processing', retry_count = m.retry_count + 1, owner = queue_take_unlogged.owner,
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
        PERFORM queue_tokens_return(queue_take_unlogged.queue, allowance - claims);
    END IF;
END $$;
COMMENT ON FUNCTION public.queue_take_unlogged(queue text, number integer, lease_seconds double precision, owner text, condition jsonb, group_key text, from_turn integer, from_id bigint, only_types text[], without_types text[], again_without_types text[], blameless boolean) IS 'The claim of an unlogged queue, made of queue_take.';
CREATE FUNCTION public.queue_tokens_return(queue text, unused integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    UPDATE queue_tokens t SET tokens = t.tokens + unused WHERE t.queue = queue_tokens_return.queue
$$;
COMMENT ON FUNCTION public.queue_tokens_return(queue text, unused integer) IS 'Gives back tokens for which there was no message.';
CREATE FUNCTION public.queue_tokens_take(queue text, wanted integer, rate double precision) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.queue_tokens_take(queue text, wanted integer, rate double precision) IS 'How many of the wanted claims the queue''s rate, in claims a second, allows now.';
CREATE FUNCTION public.queue_topic_bindings(routing_key text DEFAULT NULL::text) RETURNS TABLE(pattern text, queue text, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT t.pattern, t.queue, t.created_at FROM queue_topics t
    WHERE routing_key IS NULL OR topic_matches(t.pattern, routing_key)
    ORDER BY t.pattern, t.queue
$$;
COMMENT ON FUNCTION public.queue_topic_bindings(routing_key text) IS 'The patterns and their queues: all, or those that a routing key reaches.';
CREATE FUNCTION public.queue_unbind(pattern text, queue text, reason text DEFAULT ''::text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT topic_set(pattern, queue, false, 'sql:' || session_user, reason) $$;
COMMENT ON FUNCTION public.queue_unbind(pattern text, queue text, reason text) IS 'Ends a binding; what was sent stays on the queue. False: there was none.';
CREATE FUNCTION public.reclassify_dead_letters(ids bigint[], into_category text DEFAULT NULL::text, by_operation bigint DEFAULT NULL::bigint) RETURNS TABLE(id bigint, error_category text, group_id bigint)
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH locked AS MATERIALIZED (
        SELECT * FROM dlq_events WHERE id = ANY (ids) ORDER BY id FOR UPDATE
    ), judged AS MATERIALIZED (
        SELECT l.id, coalesce(l.said_category, l.error_category) AS said, made.error_class, made.category,
            made.category_rule_id, made.fingerprint_id, made.fingerprint_rule_id, made.group_id
        FROM locked l CROSS JOIN LATERAL dead_letter_classify(
            l.event_type, coalesce(into_category, l.said_category, l.error_category), into_category IS NOT NULL,
            l.error_reason, l.error_stacktrace) made
        WHERE l.fingerprint_version <> 2 OR made.category <> l.error_category
            OR made.fingerprint_id <> l.fingerprint_id OR made.group_id <> l.group_id
            OR made.category_rule_id IS DISTINCT FROM l.category_rule_id
            OR made.fingerprint_rule_id IS DISTINCT FROM l.fingerprint_rule_id
    )
    UPDATE dlq_events d
    SET reclassified_at = clock_timestamp(), error_class = j.error_class, error_category = j.category,
        said_category = nullif(j.said, j.category), category_rule_id = j.category_rule_id,
        fingerprint_id = j.fingerprint_id, fingerprint_rule_id = j.fingerprint_rule_id, fingerprint_version = 2,
        group_id = CASE WHEN d.fingerprint_version < 2
            THEN dead_letter_carry_merge(d.group_id, j.fingerprint_id, j.group_id) ELSE j.group_id END,
        -- what became of a revival is counted for the operation that revived
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE coalesce(by_operation, d.operation_id) END
    FROM judged j
    WHERE d.id = j.id AND d.id = ANY (ARRAY(SELECT id FROM judged))
    RETURNING d.id, d.error_category::text, d.group_id
$$;
COMMENT ON FUNCTION public.reclassify_dead_letters(ids bigint[], into_category text, by_operation bigint) IS 'Asks the rules again, from what the error itself said; or, with a category, puts the dead letters into that one. Returns those whose category, rules or group changed. What the error itself said is kept.';
CREATE FUNCTION public.records_keep(came public.event_record[]) RETURNS public.event_record[]
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    kept bigint;
BEGIN
    -- array_agg of nothing
    IF came IS NULL THEN
        RETURN NULL;
    END IF;
    -- In one order, so that two consumers of the same events never wait for each other.
    INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record, digest)
    SELECT c.event_type, c.source, c.source_key, c.occurred_at, c.record, c.digest
    FROM unnest(came) WITH ORDINALITY c (event_type, source, source_key, occurred_at, record, digest, place)
    ORDER BY c.source, c.source_key, c.place
    ON CONFLICT (source, source_key) DO NOTHING;
    GET DIAGNOSTICS kept = ROW_COUNT;
    IF kept = cardinality(came) THEN
        RETURN NULL;
    END IF;
    -- a statement of its own sees what this one added, and what another consumer committed meanwhile
    RETURN ARRAY(
        SELECT c FROM unnest(came) c
        JOIN enriched_events e ON e.source = c.source AND e.source_key = c.source_key
        WHERE e.digest <> c.digest
    );
END $$;
COMMENT ON FUNCTION public.records_keep(came public.event_record[]) IS 'Keeps records, each event once: of two under one source and key the first stays. Returns those that were not kept because the one that is there is of other bytes: another event, to be kept under its dead_letter_key. Where either digest is not known they are the same.';
CREATE FUNCTION public.report_day_marks(its_name text, since date, until date) RETURNS TABLE(day date, changes bigint, removed bigint, late bigint, lost bigint, computed_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH declared AS MATERIALIZED (
        SELECT r.name, r.timezone, make_interval(secs => r.margin_seconds) AS margin,
            CASE r.day_of WHEN 'occurred_at' THEN ARRAY['enriched', 'dead'] WHEN 'created_at' THEN ARRAY['failed'] END
                AS parts
        FROM reports r WHERE r.name = its_name AND r.day_of <> ''
    ), hours AS MATERIALIZED (
        SELECT h.hour, sum(h.changes) AS changes, sum(h.removed) AS removed
        FROM declared r JOIN event_hours_now h ON h.part = ANY (r.parts)
        WHERE isfinite(h.hour)
            AND (since IS NULL OR h.hour > since::timestamp AT TIME ZONE r.timezone - r.margin - interval '1 hour')
            AND (until IS NULL OR h.hour < (until + 1)::timestamp AT TIME ZONE r.timezone + r.margin)
        GROUP BY h.hour
    ), marks AS (
        SELECT d.day::date AS day, sum(h.changes)::bigint AS changes,
            -- of the day itself: what went of its neighbours it is computed without
            coalesce(sum(h.removed) FILTER (WHERE d.day::date IN (
                (h.hour AT TIME ZONE r.timezone)::date,
                ((h.hour + interval '1 hour' - interval '1 microsecond') AT TIME ZONE r.timezone)::date
            )), 0)::bigint AS removed
        FROM declared r CROSS JOIN hours h CROSS JOIN LATERAL generate_series(
            date_trunc('day', (h.hour - r.margin) AT TIME ZONE r.timezone),
            (h.hour + interval '1 hour' + r.margin - interval '1 microsecond') AT TIME ZONE r.timezone,
            interval '1 day'
        ) d (day)
        WHERE (since IS NULL OR d.day >= since) AND (until IS NULL OR d.day <= until)
        GROUP BY 1
    )
    SELECT m.day, m.changes, m.removed, m.changes - coalesce(c.changes, 0), m.removed - coalesce(c.removed, 0),
        c.computed_at
    FROM marks m LEFT JOIN report_days c ON c.report_id = its_name AND c.day = m.day
$$;
COMMENT ON FUNCTION public.report_day_marks(its_name text, since date, until date) IS 'The days of a report that events fall on, from its hours and its margin: how many came or changed (changes) and were purged or archived (removed) ever, and since the day was computed (late, lost). A day is open where late is not 0. NULL: no limit. Nothing for a report that does not say what its day follows from.';
CREATE FUNCTION public.retry_lanes(for_type text) RETURNS TABLE(categories text[], only_groups bigint[], but_groups bigint[], max_retries integer)
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.retry_lanes(for_type text) IS 'Which dead letters of an event type may be retried now, by the policies: their categories, of which failure groups or of all but which, and how often. What is paused or outside its window is in none.';
CREATE FUNCTION public.retry_limits(for_type text, for_group bigint) RETURNS TABLE(max_retries integer, first_wait double precision, longest_wait double precision)
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.retry_limits(for_type text, for_group bigint) IS 'How often a dead letter of that type and group is retried that does not say it itself, and its waits in seconds; a longest_wait of NULL: always the first. By the policies, else by the code of its handler, else by the settings.';
CREATE TABLE public.retry_policies (
    id bigint NOT NULL,
    event_type character varying(255),
    group_id bigint,
    enabled boolean,
    action character varying(16),
    max_retries integer,
    backoff character varying(16),
    backoff_base_seconds double precision,
    backoff_cap_seconds double precision,
    window_days character varying(27),
    window_begins time without time zone,
    window_ends time without time zone,
    window_zone character varying(64),
    rate double precision,
    paused_at public.moment,
    paused_until public.moment,
    paused_by text DEFAULT ''::text NOT NULL,
    paused_reason text DEFAULT ''::text NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_by text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT retry_policies_action CHECK (((action)::text = ANY ((ARRAY['retry'::character varying, 'revive'::character varying])::text[]))),
    CONSTRAINT retry_policies_backoff CHECK ((((backoff IS NULL) AND (backoff_base_seconds IS NULL) AND (backoff_cap_seconds IS NULL)) OR ((backoff IS NOT NULL) AND (backoff_base_seconds IS NOT NULL) AND ((backoff)::text = 'fixed'::text) AND (backoff_base_seconds >= (1.0)::double precision) AND (backoff_base_seconds <= (2678400.0)::double precision) AND (backoff_cap_seconds IS NULL)) OR ((backoff IS NOT NULL) AND (backoff_base_seconds IS NOT NULL) AND (backoff_cap_seconds IS NOT NULL) AND ((backoff)::text = 'exponential'::text) AND (backoff_base_seconds >= (1.0)::double precision) AND (backoff_base_seconds <= backoff_cap_seconds) AND (backoff_cap_seconds <= (2678400.0)::double precision)))),
    CONSTRAINT retry_policies_group_alone CHECK (((group_id IS NULL) OR (event_type IS NULL))),
    CONSTRAINT retry_policies_max_retries CHECK ((((max_retries >= 0) AND (max_retries <= 1000000)) OR (max_retries IS NULL))),
    CONSTRAINT retry_policies_rate CHECK ((((rate >= (0.001)::double precision) AND (rate <= (1000000.0)::double precision)) OR (rate IS NULL))),
    CONSTRAINT retry_policies_window CHECK ((((window_begins IS NULL) AND (window_days IS NULL) AND (window_ends IS NULL) AND (window_zone IS NULL)) OR ((window_begins IS NOT NULL) AND (window_days IS NOT NULL) AND (window_ends IS NOT NULL) AND (window_zone IS NOT NULL) AND ((window_days)::text ~ '^(mon|tue|wed|thu|fri|sat|sun)(,(mon|tue|wed|thu|fri|sat|sun)){0,6}$'::text))))
);
COMMENT ON TABLE public.retry_policies IS 'How the schedule treats some dead letters; a NULL comes from the next less specific policy.';
COMMENT ON COLUMN public.retry_policies.event_type IS 'NULL: any';
COMMENT ON COLUMN public.retry_policies.group_id IS 'NULL: any';
COMMENT ON COLUMN public.retry_policies.enabled IS 'whether the schedule retries them';
COMMENT ON COLUMN public.retry_policies.action IS 'retry: run its handler in a worker; revive: put it back on its queue. Where no policy says it: retry where a worker has a handler, revive where a program consumes its queue by SQL';
COMMENT ON COLUMN public.retry_policies.backoff IS 'NULL: and both numbers are';
COMMENT ON COLUMN public.retry_policies.backoff_base_seconds IS 'the wait, or the first one of those that grow';
COMMENT ON COLUMN public.retry_policies.backoff_cap_seconds IS 'the longest wait; NULL where all are alike';
COMMENT ON COLUMN public.retry_policies.window_days IS '"mon,tue"; NULL: and the other three are';
COMMENT ON COLUMN public.retry_policies.window_ends IS 'not after it begins: on the day after';
COMMENT ON COLUMN public.retry_policies.window_zone IS 'Europe/Berlin';
COMMENT ON COLUMN public.retry_policies.rate IS 'attempts a second at most, in all workers together';
COMMENT ON COLUMN public.retry_policies.paused_at IS 'since when; NULL: not paused';
COMMENT ON COLUMN public.retry_policies.paused_until IS 'goes on by itself; NULL: until somebody resumes it';
COMMENT ON COLUMN public.retry_policies.version IS 'goes up with every change: two people''s edits cannot overwrite each other';
CREATE FUNCTION public.retry_window_is_open(policy public.retry_policies, moment timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.retry_window_is_open(policy public.retry_policies, moment timestamp with time zone) IS 'Whether dead letters may be retried at a moment; always, where the policy has no window.';
CREATE FUNCTION public.retry_window_opens(day date, begins time without time zone, zone text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.retry_window_opens(day date, begins time without time zone, zone text) IS 'The moment at which a window of that day opens, where the clock is put forward or back, too.';
CREATE FUNCTION public.revive_headers(headers jsonb, event_type text, source text, source_key text, payload jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((SELECT COALESCE(jsonb_object_agg(h.key, h.value), '{}'::jsonb) AS "coalesce" FROM jsonb_each(revive_headers.headers) h(key, value) WHERE ((h.key !~~* 'x-death%'::text) AND (h.key !~~* 'dlq\_%'::text))) || CASE WHEN ((payload IS NOT NULL) AND (jsonb_typeof(payload) = 'object'::text) AND (payload ? 'specversion'::text)) THEN '{}'::jsonb ELSE jsonb_build_object('ce_type', event_type, 'ce_source', source, 'ce_id', source_key) END);
COMMENT ON FUNCTION public.revive_headers(headers jsonb, event_type text, source text, source_key text, payload jsonb) IS 'The headers of a revived message. A CloudEvent names itself; anything else is told who it is by headers. Notes of the earlier failure (x-death and its like) do not travel with the new message.';
CREATE FUNCTION public.revived_message_id(to_queue text, to_group text, its_queue text, its_message bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF to_group IS NOT NULL AND to_queue = its_queue
        -- restored from another database, it may be a number that is still to come
        AND its_message <= pg_sequence_last_value('message_queue_id_seq'::regclass)
        AND EXISTS (SELECT FROM queues q WHERE q.name = to_queue AND q.on_dead_letter = 'hold')
        AND NOT EXISTS (SELECT FROM message_queue m WHERE m.id = its_message)
    THEN
        RETURN its_message;
    END IF;
    RETURN nextval('message_queue_id_seq'::regclass);
END $$;
COMMENT ON FUNCTION public.revived_message_id(to_queue text, to_group text, its_queue text, its_message bigint) IS 'The number of a dead letter''s new message. On a queue that holds it is the one that its message had, so that it comes first in its group; else the next.';
CREATE FUNCTION public.role_grants_follow(ids integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    -- one after the other: two that change one account at once would each miss what the other did
    PERFORM pg_advisory_xact_lock(hashtextextended('role_grants', 0));
    UPDATE role_grants g SET until = clock_timestamp()
    WHERE g.until IS NULL AND (ids IS NULL OR g.user_id = ANY (ids)) AND NOT EXISTS (
        SELECT FROM role_grants_held(ids) h WHERE h.user_id = g.user_id AND h.role = g.role);
    INSERT INTO role_grants (user_id, role)
    SELECT h.user_id, h.role FROM role_grants_held(ids) h
    WHERE NOT EXISTS (
        SELECT FROM role_grants g WHERE g.user_id = h.user_id AND g.role = h.role AND g.until IS NULL)
    ORDER BY h.user_id, h.role;
END $$;
COMMENT ON FUNCTION public.role_grants_follow(ids integer[]) IS 'Makes role_grants say what these accounts may do from now on; of all accounts for NULL.';
CREATE FUNCTION public.role_grants_held(ids integer[]) RETURNS TABLE(user_id integer, role text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY
        SELECT u.id::integer, g.name::text FROM auth_user u
        -- by place: the column of the account is called after the model of AUTH_USER_MODEL
        JOIN auth_user_groups m (id, account, role) ON m.account = u.id
        JOIN auth_group g ON g.id = m.role
        WHERE (ids IS NULL OR u.id = ANY (ids)) AND u.is_active AND g.name IN
            ('viewer', 'operator', 'maintainer', 'admin')
        UNION
        SELECT u.id::integer, 'superuser' FROM auth_user u
        WHERE (ids IS NULL OR u.id = ANY (ids)) AND u.is_active AND u.is_superuser;
END $$;
COMMENT ON FUNCTION public.role_grants_held(ids integer[]) IS 'The roles that these accounts have now; of all accounts for NULL. One that is switched off has none.';
CREATE FUNCTION public.role_grants_kept() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.since := clock_timestamp();
        NEW.until := NULL;
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE' AND OLD.until IS NULL AND NEW.until IS NOT NULL
        AND to_jsonb(OLD) - 'until' = to_jsonb(NEW) - 'until' THEN
        NEW.until := clock_timestamp();
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION public.role_grants_kept() IS 'A row of role_grants or account_names begins now and can only end now: nobody has had a role for longer than that.';
CREATE FUNCTION public.scopes_noted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_RELID <> 'scopes'::regclass THEN
        RAISE EXCEPTION 'scopes_noted() is for scopes' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO audit_log (actor, action, target) VALUES (acting_person(), 'truncate', 'table:scopes');
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        VALUES (acting_person(), 'remove scope', coalesce('account:' || OLD.user_id, 'role:' || OLD.group_id),
            jsonb_build_object('queue', OLD.queue, 'event_type', OLD.event_type));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO audit_log (actor, action, target, detail)
        VALUES (acting_person(), 'add scope', coalesce('account:' || NEW.user_id, 'role:' || NEW.group_id),
            jsonb_build_object('queue', NEW.queue, 'event_type', NEW.event_type));
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION public.scopes_noted() IS 'Trigger of scopes: writes into the audit log what somebody is limited to, and no longer. A scope that is changed is one removed and one added.';
CREATE FUNCTION public.topic_matches(pattern text, routing_key text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (('.'::text || routing_key) ~ (('^'::text || replace(replace(replace(('.'::text || pattern), '.'::text, '\.'::text), '\.*'::text, '\.[^.]+'::text), '\.#'::text, '(\.[^.]+)*'::text)) || '$'::text));
COMMENT ON FUNCTION public.topic_matches(pattern text, routing_key text) IS 'Whether what is sent to a routing key goes to queues of the pattern.';
CREATE FUNCTION public.topic_set(pattern text, queue text, is_bound boolean, actor text, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
COMMENT ON FUNCTION public.topic_set(pattern text, queue text, is_bound boolean, actor text, reason text) IS 'Binds a queue to a pattern, or ends that, with a line in the audit log. False: it was so already.';
CREATE TABLE public.account_names (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    name text NOT NULL,
    since public.moment DEFAULT statement_timestamp() NOT NULL,
    until public.moment
);
COMMENT ON TABLE public.account_names IS 'From when until when an account had a name: the audit log knows people by their numbers.';
COMMENT ON COLUMN public.account_names.until IS 'NULL: it is called so now';
ALTER TABLE public.account_names ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.account_names_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.archive_counts (
    id bigint NOT NULL,
    queue character varying(255) NOT NULL,
    status character varying(16) DEFAULT ''::character varying NOT NULL,
    rows integer NOT NULL,
    file_id bigint NOT NULL
);
COMMENT ON TABLE public.archive_counts IS 'How many rows of an archived file were on a queue and in a status.';
COMMENT ON COLUMN public.archive_counts.queue IS 'the event type where a row had none of its own';
COMMENT ON COLUMN public.archive_counts.status IS 'empty for enriched events';
ALTER TABLE public.archive_counts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.archive_counts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.archive_files (
    id bigint NOT NULL,
    kind character varying(32) NOT NULL,
    state character varying(8) DEFAULT 'writing'::character varying NOT NULL,
    path text NOT NULL,
    day date NOT NULL,
    event_type character varying(255) NOT NULL,
    rows integer DEFAULT 0 NOT NULL,
    ids int8range,
    keys bytea DEFAULT '\x'::bytea NOT NULL,
    checksum text DEFAULT ''::text NOT NULL,
    sha256 text DEFAULT ''::text NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    schema_version smallint DEFAULT 1 NOT NULL,
    archived_at public.moment DEFAULT statement_timestamp() NOT NULL,
    gone_at timestamp with time zone,
    CONSTRAINT archive_files_state CHECK (((state)::text = ANY ((ARRAY['writing'::character varying, 'kept'::character varying, 'leaving'::character varying, 'gone'::character varying])::text[])))
);
COMMENT ON TABLE public.archive_files IS 'One Parquet file of the archive, and what proves that it is what was written.';
COMMENT ON COLUMN public.archive_files.kind IS '"dead_letters", "enriched_events"';
COMMENT ON COLUMN public.archive_files.state IS '"writing" until its rows have left their table, "kept", "leaving" until it is "gone"';
COMMENT ON COLUMN public.archive_files.path IS 'below DLQ_ARCHIVE_DIR';
COMMENT ON COLUMN public.archive_files.day IS 'on which its rows were made, in UTC';
COMMENT ON COLUMN public.archive_files.ids IS 'the least and the greatest of its rows';
COMMENT ON COLUMN public.archive_files.keys IS 'a Bloom filter of its rows'' sources and source keys (job/keys.py)';
COMMENT ON COLUMN public.archive_files.checksum IS 'of the rows in any order, as PostgreSQL computed it before they went';
COMMENT ON COLUMN public.archive_files.sha256 IS 'of the file';
ALTER TABLE public.archive_files ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.archive_files_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.archive_identity (
    one boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    CONSTRAINT archive_identity_one CHECK (one)
);
COMMENT ON TABLE public.archive_identity IS 'Which database this is, as the mark in the archive''s folder says it.';
COMMENT ON COLUMN public.archive_identity.one IS 'true: there is one row';
CREATE TABLE public.attached_queues (
    name character varying(255) NOT NULL,
    transport character varying(16) NOT NULL,
    remote_name character varying(249) NOT NULL,
    max_deliveries integer DEFAULT 5 NOT NULL,
    lease_seconds integer DEFAULT 60 NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    columns jsonb DEFAULT '{}'::jsonb NOT NULL,
    in_doubt jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    seen_at timestamp with time zone,
    CONSTRAINT attached_queues_bounds CHECK (((lease_seconds >= 1) AND (max_deliveries >= 1)))
);
COMMENT ON TABLE public.attached_queues IS 'A queue of another system. Its name, <transport>:<remote_name>, is its dead letters'' queue.';
COMMENT ON COLUMN public.attached_queues.transport IS 'its system, as its name begins';
COMMENT ON COLUMN public.attached_queues.max_deliveries IS 'deliveries after which a message that nobody completed becomes a dead letter';
COMMENT ON COLUMN public.attached_queues.lease_seconds IS 'seconds one of our own consumers holds a message';
COMMENT ON COLUMN public.attached_queues.paused IS 'nothing is sent there, and consumers of ours claim nothing; those of its own system go on';
COMMENT ON COLUMN public.attached_queues.columns IS 'of a table of another program: what it calls the columns that we read and write, by our names';
COMMENT ON COLUMN public.attached_queues.in_doubt IS 'pages that became dead letters here and are perhaps not acknowledged there: digests of their messages, and how many';
COMMENT ON COLUMN public.attached_queues.seen_at IS 'when its system last answered, to about 5 s';
CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at public.moment DEFAULT statement_timestamp() NOT NULL,
    actor text NOT NULL,
    action character varying(64) NOT NULL,
    target text NOT NULL,
    operation_id bigint,
    reason text DEFAULT ''::text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);
COMMENT ON TABLE public.audit_log IS 'Who changed what, when and why. Rows are only ever added; the database refuses the rest.';
COMMENT ON COLUMN public.audit_log.target IS 'what was changed: "dead_letter:42", "operation:7", "queue:orders"';
ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_seals (
    number bigint NOT NULL,
    above bigint NOT NULL,
    up_to bigint NOT NULL,
    count integer NOT NULL,
    columns text[] NOT NULL,
    content bytea NOT NULL,
    marks bytea NOT NULL,
    next_up_to bigint NOT NULL,
    waits_for text[] NOT NULL,
    at public.moment NOT NULL,
    key_name character varying(16) NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL
);
COMMENT ON TABLE public.audit_seals IS 'Blocks of audit_log under a key that the database does not have. Each seal holds the one before.';
COMMENT ON COLUMN public.audit_seals.number IS '1, 2, 3, …: none is left out';
COMMENT ON COLUMN public.audit_seals.above IS 'the block: rows with an id above this one …';
COMMENT ON COLUMN public.audit_seals.up_to IS '… and up to this one, all that there will ever be';
COMMENT ON COLUMN public.audit_seals.columns IS 'of audit_log, as they were then; id is the first';
COMMENT ON COLUMN public.audit_seals.content IS 'sha256 of the rows, as COPY writes them in UTC';
COMMENT ON COLUMN public.audit_seals.marks IS 'for each row its id, and four bytes of each further column: which one differs';
COMMENT ON COLUMN public.audit_seals.next_up_to IS 'the next block ends here, once waits_for have ended';
COMMENT ON COLUMN public.audit_seals.waits_for IS 'virtual transactions that had written to audit_log and not yet committed';
COMMENT ON COLUMN public.audit_seals.key_name IS 'which key; says nothing about it';
COMMENT ON COLUMN public.audit_seals.previous IS 'the hash of the seal before; empty for the first';
COMMENT ON COLUMN public.audit_seals.hash IS 'HMAC-SHA256 of all the other columns';
CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);
CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.breakers (
    key text NOT NULL,
    state text DEFAULT 'closed'::text NOT NULL,
    since public.moment DEFAULT statement_timestamp() NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    event_types text[] DEFAULT '{}'::text[] NOT NULL,
    only_again boolean DEFAULT false NOT NULL,
    score double precision DEFAULT 0.0 NOT NULL,
    rose_at public.moment,
    again_score double precision DEFAULT 0.0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    noted_at public.moment DEFAULT statement_timestamp() NOT NULL,
    first_success_at public.moment,
    next_probe_at public.moment,
    probes integer DEFAULT 0 NOT NULL,
    successes integer DEFAULT 0 NOT NULL,
    held text,
    held_until public.moment,
    held_by text DEFAULT ''::text NOT NULL,
    held_reason text DEFAULT ''::text NOT NULL,
    told_by text DEFAULT ''::text NOT NULL,
    waits integer DEFAULT 0 NOT NULL,
    drained_until public.moment,
    CONSTRAINT breakers_held CHECK ((((held IS NULL) AND (held_until IS NULL)) OR ((held = ANY (ARRAY['open'::text, 'closed'::text])) AND (held_until IS NOT NULL)))),
    CONSTRAINT breakers_key CHECK (((key ~~ 'type:%'::text) OR (key ~~ 'dependency:%'::text) OR (key ~~ 'flood:%'::text))),
    CONSTRAINT breakers_numbers CHECK (((LEAST(failures, probes, successes, waits) >= 0) AND (GREATEST(failures, probes, successes, waits) <= 1000000000))),
    CONSTRAINT breakers_probed CHECK (((state = 'closed'::text) OR (next_probe_at IS NOT NULL))),
    CONSTRAINT breakers_soon CHECK ((((next_probe_at)::timestamp with time zone <= (clock_timestamp() + '1 day 01:00:00'::interval)) AND ((since)::timestamp with time zone <= (clock_timestamp() + '01:00:00'::interval)))),
    CONSTRAINT breakers_state CHECK ((state = ANY (ARRAY['closed'::text, 'open'::text, 'half-open'::text])))
);
COMMENT ON TABLE public.breakers IS 'One circuit breaker a row: of an event type, or of a dependency that handlers name. Closed where there is none.';
COMMENT ON COLUMN public.breakers.key IS 'type:<event type>, dependency:<name>, or flood:<event type> for programs that ask flood_gate';
COMMENT ON COLUMN public.breakers.state IS 'closed: handlers run; open: they do not; half-open: a few runs try whether it is over';
COMMENT ON COLUMN public.breakers.since IS 'of this state';
COMMENT ON COLUMN public.breakers.reason IS 'the last failure that says the other side is away';
COMMENT ON COLUMN public.breakers.event_types IS 'those that were told of it, a hundred at most';
COMMENT ON COLUMN public.breakers.only_again IS 'opened by what had failed before: first attempts go on';
COMMENT ON COLUMN public.breakers.score IS 'of first attempts; it opens where this is too high';
COMMENT ON COLUMN public.breakers.rose_at IS 'when the score last left zero; older successes do not count';
COMMENT ON COLUMN public.breakers.again_score IS 'the same of what had failed before';
COMMENT ON COLUMN public.breakers.failures IS 'since the score was zero';
COMMENT ON COLUMN public.breakers.noted_at IS 'the last outcome that was told';
COMMENT ON COLUMN public.breakers.first_success_at IS 'the last success of a first attempt that was told';
COMMENT ON COLUMN public.breakers.next_probe_at IS 'when one run may try';
COMMENT ON COLUMN public.breakers.probes IS 'runs that tried since it opened';
COMMENT ON COLUMN public.breakers.successes IS 'of these, the last in a row that went well';
COMMENT ON COLUMN public.breakers.held IS 'open or closed, as a person said';
COMMENT ON COLUMN public.breakers.told_by IS 'the role of the database that told the reason';
COMMENT ON COLUMN public.breakers.waits IS 'a flood gate''s: so many pieces of work were told to wait since it opened';
COMMENT ON COLUMN public.breakers.drained_until IS 'a flood gate''s: the last moment that it gave to work that waits';
CREATE VIEW public.breakers_now AS
 SELECT key,
    state,
    since,
    reason,
    event_types,
    only_again,
    score,
    again_score,
    failures,
    probes,
        CASE
            WHEN ((held_until)::timestamp with time zone > clock_timestamp()) THEN held
            ELSE NULL::text
        END AS held,
    held_until,
    held_by,
    held_reason,
    told_by,
    waits,
    (EXTRACT(epoch FROM ((next_probe_at)::timestamp with time zone - clock_timestamp())))::double precision AS next_probe_seconds
   FROM public.breakers
  WHERE ((state <> 'closed'::text) OR (score > (0)::double precision) OR (again_score > (0)::double precision) OR ((held_until)::timestamp with time zone > clock_timestamp()));
COMMENT ON VIEW public.breakers_now IS 'The breakers that are not simply closed, by the database''s clock: few, and looked at once a second by whoever runs handlers.';
CREATE VIEW public.breaker_types AS
 SELECT b.key,
    b.state,
    b.since,
    b.reason,
    b.event_types,
    b.only_again,
    b.score,
    b.again_score,
    b.failures,
    b.probes,
    b.held,
    b.held_until,
    b.held_by,
    b.held_reason,
    b.told_by,
    b.waits,
    b.next_probe_seconds,
    t.event_type
   FROM (public.breakers_now b
     CROSS JOIN LATERAL ( SELECT substr(b.key, 6) AS event_type
          WHERE starts_with(b.key, 'type:'::text)
        UNION
         SELECT unnest(b.event_types) AS unnest) t)
  WHERE (NOT starts_with(b.key, 'flood:'::text));
COMMENT ON VIEW public.breaker_types IS 'The breakers that are not simply closed, a row for each event type whose handlers they stop, as far as they were told of it.';
CREATE TABLE public.common_grounds (
    group_id bigint NOT NULL,
    computed_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    found jsonb NOT NULL
);
COMMENT ON TABLE public.common_grounds IS 'What a failure group''s dead letters have in common, as it was computed last.';
COMMENT ON COLUMN public.common_grounds.found IS 'what it was computed from, and the findings, masked';
CREATE TABLE public.dead_letter_counts (
    group_id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    error_category character varying(16) NOT NULL,
    queue character varying(255) NOT NULL,
    status character varying(16) NOT NULL,
    letters bigint NOT NULL,
    occurrences bigint NOT NULL,
    first_at timestamp with time zone,
    last_at timestamp with time zone
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');
COMMENT ON TABLE public.dead_letter_counts IS 'How many dead letters share these five. Rows stay when they are counted down to nothing.';
COMMENT ON COLUMN public.dead_letter_counts.queue IS 'the dead letter''s, or the one that is named after its event type';
COMMENT ON COLUMN public.dead_letter_counts.first_at IS 'of all that were ever counted here';
CREATE TABLE public.dead_letter_deltas (
    hour timestamp with time zone NOT NULL,
    group_id bigint NOT NULL,
    event_type text NOT NULL,
    error_category text NOT NULL,
    queue text NOT NULL,
    status text NOT NULL,
    letters bigint NOT NULL,
    occurrences bigint NOT NULL,
    first_at timestamp with time zone,
    last_at timestamp with time zone
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_threshold='-1', autovacuum_analyze_threshold='1000000');
COMMENT ON TABLE public.dead_letter_deltas IS 'What one statement changed in the counts, until it is folded. Without an index: it is read whole, and soon emptied.';
COMMENT ON COLUMN public.dead_letter_deltas.letters IS 'more, or less than zero';
CREATE TABLE public.dead_letter_hours (
    group_id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    status character varying(16) NOT NULL,
    letters bigint NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');
COMMENT ON TABLE public.dead_letter_hours IS 'How many dead letters of a group came in one hour, by where they stand now.';
COMMENT ON COLUMN public.dead_letter_hours.hour IS 'its beginning, in UTC';
CREATE TABLE public.dead_letter_looks (
    transport character varying(16) NOT NULL,
    tried_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    looked_at timestamp with time zone,
    problem text DEFAULT ''::text NOT NULL,
    queues jsonb
);
COMMENT ON TABLE public.dead_letter_looks IS 'Where the queues of a system with attached ones dead-letter to, when somebody last looked.';
COMMENT ON COLUMN public.dead_letter_looks.transport IS 'the system, as its queues'' names begin';
COMMENT ON COLUMN public.dead_letter_looks.tried_at IS 'the last look, also one that came to nothing: the next one waits for it';
COMMENT ON COLUMN public.dead_letter_looks.looked_at IS 'the last look that saw something';
COMMENT ON COLUMN public.dead_letter_looks.problem IS 'why nobody could look; empty: the last look saw something';
COMMENT ON COLUMN public.dead_letter_looks.queues IS 'of that look: each dead-letter queue (null: what fails is lost), the queues whose failures come to it, how many stand on it, and whether somebody there takes from it; NULL: the system cannot tell';
CREATE VIEW public.dead_letter_totals AS
 SELECT dead_letter_counts.group_id,
    (dead_letter_counts.event_type)::text AS event_type,
    (dead_letter_counts.error_category)::text AS error_category,
    (dead_letter_counts.queue)::text AS queue,
    (dead_letter_counts.status)::text AS status,
    dead_letter_counts.letters,
    dead_letter_counts.occurrences,
    dead_letter_counts.first_at,
    dead_letter_counts.last_at
   FROM public.dead_letter_counts
UNION ALL
 SELECT dead_letter_deltas.group_id,
    dead_letter_deltas.event_type,
    dead_letter_deltas.error_category,
    dead_letter_deltas.queue,
    dead_letter_deltas.status,
    dead_letter_deltas.letters,
    dead_letter_deltas.occurrences,
    dead_letter_deltas.first_at,
    dead_letter_deltas.last_at
   FROM public.dead_letter_deltas;
COMMENT ON VIEW public.dead_letter_totals IS 'The figures, exact in every snapshot: what was folded and what was not yet.';
CREATE VIEW public.dead_letter_trend AS
 SELECT dead_letter_hours.group_id,
    dead_letter_hours.hour,
    (dead_letter_hours.status)::text AS status,
    dead_letter_hours.letters
   FROM public.dead_letter_hours
UNION ALL
 SELECT dead_letter_deltas.group_id,
    dead_letter_deltas.hour,
    dead_letter_deltas.status,
    dead_letter_deltas.letters
   FROM public.dead_letter_deltas;
COMMENT ON VIEW public.dead_letter_trend IS 'The same hour by hour.';
CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);
ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
ALTER TABLE public.dlq_attempts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.dlq_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.dlq_events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.dlq_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.enriched_events (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    source character varying(1024) NOT NULL,
    source_key character varying(1024) NOT NULL,
    occurred_at timestamp with time zone,
    record jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    digest uuid
);
COMMENT ON TABLE public.enriched_events IS 'What a handler returned for an event: one row an event, however often it ran.';
COMMENT ON COLUMN public.enriched_events.digest IS 'of what the event brought; null: not known';
ALTER TABLE public.enriched_events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.enriched_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.event_changes (
    part text NOT NULL,
    hour timestamp with time zone NOT NULL,
    changes bigint NOT NULL,
    removed bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_threshold='-1', autovacuum_analyze_threshold='1000000');
COMMENT ON TABLE public.event_changes IS 'What one statement did to the events of an hour, until it is folded. Without an index: it is read whole, and soon emptied.';
COMMENT ON COLUMN public.event_changes.part IS '"enriched" and "dead": records and dead letters, by when the event occurred; "failed": dead letters, by created_at';
COMMENT ON COLUMN public.event_changes.hour IS '-infinity: of events that do not say when they occurred';
COMMENT ON COLUMN public.event_changes.removed IS 'what has left the table: a report would not find it any more';
CREATE TABLE public.event_effects (
    name character varying(255) NOT NULL,
    key character varying(1024) NOT NULL,
    source character varying(1024) NOT NULL,
    source_key character varying(1024) NOT NULL,
    begun_at public.moment DEFAULT clock_timestamp() NOT NULL,
    done_at public.moment,
    told_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT event_effects_name CHECK ((((name)::text <> ''::text) AND ((key)::text <> ''::text)))
);
COMMENT ON TABLE public.event_effects IS 'Effects of events outside of their program, each at most once by its name and key.';
COMMENT ON COLUMN public.event_effects.name IS 'of the effect, as stripe.charge';
COMMENT ON COLUMN public.event_effects.key IS 'makes it one of its name, as the number of the order';
COMMENT ON COLUMN public.event_effects.source IS 'the event''s, as its dead letter has it';
COMMENT ON COLUMN public.event_effects.source_key IS 'the event''s, as its dead letter has it';
COMMENT ON COLUMN public.event_effects.done_at IS 'NULL: begun, and nobody knows whether it was done';
COMMENT ON COLUMN public.event_effects.told_by IS 'the role of the database that began it';
CREATE TABLE public.event_hours (
    part text NOT NULL,
    hour timestamp with time zone NOT NULL,
    changes bigint NOT NULL,
    removed bigint NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');
COMMENT ON TABLE public.event_hours IS 'How many events of an hour came or changed, and how many were taken away, ever.';
CREATE VIEW public.event_hours_now AS
 SELECT event_hours.part,
    event_hours.hour,
    event_hours.changes,
    event_hours.removed
   FROM public.event_hours
UNION ALL
 SELECT event_changes.part,
    event_changes.hour,
    event_changes.changes,
    event_changes.removed
   FROM public.event_changes;
COMMENT ON VIEW public.event_hours_now IS 'The same, exact in every snapshot: what was folded and what was not yet.';
CREATE TABLE public.export_chunks (
    number integer NOT NULL,
    start bigint NOT NULL,
    size integer NOT NULL,
    content bytea NOT NULL,
    operation_id bigint NOT NULL
);
ALTER TABLE ONLY public.export_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
COMMENT ON TABLE public.export_chunks IS 'A part of an export''s file; the file is offered when its operation is completed.';
COMMENT ON COLUMN public.export_chunks.start IS 'the first of its bytes in the file';
COMMENT ON COLUMN public.export_chunks.size IS 'its bytes in the file';
COMMENT ON COLUMN public.export_chunks.content IS 'packed by zlib where the format does not pack';
CREATE TABLE public.failure_groups (
    id bigint NOT NULL,
    fingerprint_version smallint DEFAULT 1 NOT NULL,
    event_type character varying(255) NOT NULL,
    error_category character varying(16) NOT NULL,
    error_class character varying(255) NOT NULL,
    message text NOT NULL,
    frames text DEFAULT ''::text NOT NULL,
    rule_id bigint,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    state character varying(16) DEFAULT 'open'::character varying NOT NULL,
    state_changed_at public.moment,
    state_changed_by text DEFAULT ''::text NOT NULL,
    snoozed_until public.moment,
    snoozed_to_occurrences bigint,
    snoozed_below_rate integer,
    owner text DEFAULT ''::text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    ticket text DEFAULT ''::text NOT NULL,
    claimed_by text DEFAULT ''::text NOT NULL,
    claimed_until public.moment,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT failure_groups_claim CHECK (((claimed_by = ''::text) = (claimed_until IS NULL))),
    CONSTRAINT failure_groups_numbers CHECK ((id >= 0)),
    CONSTRAINT failure_groups_state CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'resolved'::character varying, 'regressed'::character varying, 'snoozed'::character varying])::text[])))
);
COMMENT ON TABLE public.failure_groups IS 'What the dead letters of one fingerprint share. Rows appear by themselves, written by the database.';
COMMENT ON COLUMN public.failure_groups.message IS 'the reason with its variable parts taken out';
COMMENT ON COLUMN public.failure_groups.frames IS 'the application''s frames, outermost first, a line each: "orders.py charge"';
COMMENT ON COLUMN public.failure_groups.rule_id IS 'the rule that made the fingerprint, where one did';
COMMENT ON COLUMN public.failure_groups.snoozed_until IS 'snoozed until then, or until one of the next two is reached';
COMMENT ON COLUMN public.failure_groups.snoozed_to_occurrences IS '… until so many failures in all';
COMMENT ON COLUMN public.failure_groups.snoozed_below_rate IS '… until more than so many new dead letters in an hour';
COMMENT ON COLUMN public.failure_groups.claimed_by IS 'the person who works on it, until claimed_until';
COMMENT ON COLUMN public.failure_groups.version IS 'goes up with every change a person makes: no two people overwrite each other';
CREATE TABLE public.owner_rules (
    id bigint NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    event_type character varying(255) DEFAULT ''::character varying NOT NULL,
    queue character varying(255) DEFAULT ''::character varying NOT NULL,
    frame character varying(255) DEFAULT ''::character varying NOT NULL,
    owner character varying(100) NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_by text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT owner_rules_matches_something CHECK ((NOT (((event_type)::text = ''::text) AND ((queue)::text = ''::text) AND ((frame)::text = ''::text)))),
    CONSTRAINT owner_rules_owner CHECK (((owner)::text <> ''::text))
);
COMMENT ON TABLE public.owner_rules IS 'Which failure groups are whose. Every condition that is not empty must hold; the first rule that matches counts.';
COMMENT ON COLUMN public.owner_rules."position" IS 'the order in which they are asked; the id decides between equals';
COMMENT ON COLUMN public.owner_rules.event_type IS 'wildcards: "flight.*"; "*" for every group';
COMMENT ON COLUMN public.owner_rules.queue IS 'wildcards, of any queue that a dead letter of the group was on';
COMMENT ON COLUMN public.owner_rules.frame IS 'wildcards, of any frame of the group: "billing.py *"';
COMMENT ON COLUMN public.owner_rules.owner IS 'a person or a team';
COMMENT ON COLUMN public.owner_rules.version IS 'goes up with every change: two people''s edits cannot overwrite each other';
CREATE VIEW public.failure_group_owners AS
 SELECT id AS group_id,
    COALESCE(NULLIF(owner, ''::text), ( SELECT (r.owner)::text AS owner
           FROM public.owner_rules r
          WHERE (r.enabled AND
                CASE
                    WHEN (((r.event_type)::text <> ''::text) AND ((g.event_type)::text !~~ public.dead_letter_wildcards((r.event_type)::text))) THEN false
                    WHEN (((r.frame)::text <> ''::text) AND (NOT (EXISTS ( SELECT
                       FROM string_to_table(g.frames, '
'::text) frame(frame)
                      WHERE (frame.frame ~~ public.dead_letter_wildcards((r.frame)::text)))))) THEN false
                    WHEN ((r.queue)::text <> ''::text) THEN (EXISTS ( SELECT
                       FROM public.dead_letter_counts c
                      WHERE ((c.group_id = g.id) AND ((c.queue)::text ~~ public.dead_letter_wildcards((r.queue)::text)))))
                    ELSE true
                END)
          ORDER BY r."position", r.id
         LIMIT 1), ''::text) AS owner
   FROM public.failure_groups g;
COMMENT ON VIEW public.failure_group_owners IS 'The owner of each failure group; empty: nobody. A rule of a queue holds as soon as the counts are folded.';
CREATE TABLE public.failure_reports (
    id uuid NOT NULL,
    digest uuid NOT NULL,
    dlq_event_id bigint NOT NULL,
    reported_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
COMMENT ON TABLE public.failure_reports IS 'A report of a failure that its sender gave an id, so that it counts once; kept for 30 days.';
COMMENT ON COLUMN public.failure_reports.digest IS 'of what it said: another failure under its id is refused';
CREATE TABLE public.failure_rules (
    id bigint NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    name character varying(200) NOT NULL,
    event_type character varying(255) DEFAULT ''::character varying NOT NULL,
    error_class character varying(255) DEFAULT ''::character varying NOT NULL,
    sqlstate character varying(255) DEFAULT ''::character varying NOT NULL,
    http_status character varying(255) DEFAULT ''::character varying NOT NULL,
    pattern character varying(500) DEFAULT ''::character varying NOT NULL,
    category character varying(16) DEFAULT ''::character varying NOT NULL,
    overrides boolean DEFAULT false NOT NULL,
    shipped boolean DEFAULT false NOT NULL,
    fingerprint character varying(300) DEFAULT ''::character varying NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_by text DEFAULT ''::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT failure_rules_category CHECK (((category)::text = ANY ((ARRAY[''::character varying, 'TRANSIENT'::character varying, 'DEPENDENCY'::character varying, 'PERMANENT'::character varying, 'BUSINESS'::character varying, 'UNKNOWN'::character varying])::text[]))),
    CONSTRAINT failure_rules_fingerprint CHECK ((regexp_replace((fingerprint)::text, '\{(?:default|type|class|sqlstate|status)\}'::text, ''::text, 'g'::text) !~ '[{}]'::text)),
    CONSTRAINT failure_rules_http_status CHECK (((http_status)::text ~ '^(?:[1-5](?:[0-9]{2}|xx)(?:, *[1-5](?:[0-9]{2}|xx))*)?$'::text)),
    CONSTRAINT failure_rules_matches_something CHECK ((NOT (((error_class)::text = ''::text) AND ((event_type)::text = ''::text) AND ((http_status)::text = ''::text) AND ((pattern)::text = ''::text) AND ((sqlstate)::text = ''::text)))),
    CONSTRAINT failure_rules_pattern CHECK ((((pattern)::text = ''::text) OR public.failure_rule_pattern_is_sound((pattern)::text))),
    CONSTRAINT failure_rules_sets_something CHECK ((NOT (((category)::text = ''::text) AND ((fingerprint)::text = ''::text)))),
    CONSTRAINT failure_rules_sqlstate CHECK (((sqlstate)::text ~ '^(?:(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*)(?:, *(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*))*)?$'::text))
);
COMMENT ON TABLE public.failure_rules IS 'What a failure must look like, and what category or fingerprint it then gets.';
COMMENT ON COLUMN public.failure_rules."position" IS 'the order in which they are asked; the id decides between equals';
COMMENT ON COLUMN public.failure_rules.event_type IS 'wildcards: "flight.*"';
COMMENT ON COLUMN public.failure_rules.error_class IS '"psycopg.errors.*"; without a dot also the last part of a dotted class';
COMMENT ON COLUMN public.failure_rules.sqlstate IS '"40001, 08*"';
COMMENT ON COLUMN public.failure_rules.http_status IS '"429, 5xx"';
COMMENT ON COLUMN public.failure_rules.pattern IS 'a regular expression of PostgreSQL over the first 2,000 characters of the reason';
COMMENT ON COLUMN public.failure_rules.category IS 'empty: the category is left alone';
COMMENT ON COLUMN public.failure_rules.overrides IS 'also where the error itself said another category than UNKNOWN';
COMMENT ON COLUMN public.failure_rules.shipped IS 'came with the product: asked after all others, and only where the error is UNKNOWN';
COMMENT ON COLUMN public.failure_rules.fingerprint IS 'empty: the fingerprint is left alone; "{default}" in it refines, without it overrides';
COMMENT ON COLUMN public.failure_rules.version IS 'goes up with every change: two people''s edits cannot overwrite each other';
ALTER TABLE public.failure_rules ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.failure_rules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.forwarded_messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.forwarded_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.group_merges (
    fingerprint_id bigint NOT NULL,
    group_id bigint NOT NULL,
    actor text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.group_merges IS 'A fingerprint that somebody put into a group; into its own, where somebody split it out again.';
CREATE TABLE public.handler_limits (
    event_type character varying(255) NOT NULL,
    max_retries integer,
    backoff_base_seconds double precision,
    backoff_cap_seconds double precision
);
COMMENT ON TABLE public.handler_limits IS 'The limits of retries that the code of handlers names, as the schedule''s workers have it; a policy comes first.';
COMMENT ON COLUMN public.handler_limits.max_retries IS 'NULL: the code does not say';
COMMENT ON COLUMN public.handler_limits.backoff_base_seconds IS 'the first wait; NULL: the code does not say';
COMMENT ON COLUMN public.handler_limits.backoff_cap_seconds IS 'the longest wait; NULL where all are alike';
CREATE TABLE public.handler_reports (
    worker text NOT NULL,
    role character varying(16) NOT NULL,
    queues text[] NOT NULL,
    event_types text[] NOT NULL,
    rehearsable text[] NOT NULL,
    unhandled jsonb NOT NULL,
    seen_at public.moment DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.handler_reports IS 'What one worker or consumer last said of itself: that it runs, and for which event types it has handlers. Who is silent for ten minutes is forgotten.';
COMMENT ON COLUMN public.handler_reports.role IS 'worker: runs the schedule and operations; consumer: of these queues; celery: the first process of a Celery worker, which serves these queues of wake-ups';
COMMENT ON COLUMN public.handler_reports.event_types IS 'those it has handlers for';
COMMENT ON COLUMN public.handler_reports.rehearsable IS 'of these the ones whose handlers can be rehearsed';
COMMENT ON COLUMN public.handler_reports.unhandled IS 'by queue and event type how many messages it has put back for want of a handler, where the queue itself does not say it';
CREATE TABLE public.ingested_files (
    id bigint NOT NULL,
    place uuid NOT NULL,
    family uuid NOT NULL,
    root text NOT NULL,
    seen_as text NOT NULL,
    known_as text NOT NULL,
    inode bigint NOT NULL,
    size bigint NOT NULL,
    modified_ns bigint NOT NULL,
    changed_ns bigint NOT NULL,
    whole boolean NOT NULL,
    start_byte bigint NOT NULL,
    end_byte bigint NOT NULL,
    end_line bigint NOT NULL,
    digest uuid NOT NULL,
    run_id bigint NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    seen_at public.moment DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.ingested_files IS 'How far the pipeline has read each file. To lose it costs time only.';
COMMENT ON COLUMN public.ingested_files.place IS 'the same for the same name in the same folder';
COMMENT ON COLUMN public.ingested_files.family IS 'the same for a file and what rotation and packing make of it';
COMMENT ON COLUMN public.ingested_files.root IS 'the folder that was asked for';
COMMENT ON COLUMN public.ingested_files.seen_as IS 'the file''s path in it';
COMMENT ON COLUMN public.ingested_files.known_as IS 'the path that names its events; another once it was rotated';
COMMENT ON COLUMN public.ingested_files.size IS 'bytes on the disk';
COMMENT ON COLUMN public.ingested_files.whole IS 'nothing was left to read; a file that looks the same need not be opened';
COMMENT ON COLUMN public.ingested_files.end_byte IS 'done up to here; of a packed file, in what it holds';
COMMENT ON COLUMN public.ingested_files.end_line IS 'lines of the file up to there';
COMMENT ON COLUMN public.ingested_files.digest IS 'of all of the file up to there';
COMMENT ON COLUMN public.ingested_files.run_id IS 'the pipeline run that read them';
COMMENT ON COLUMN public.ingested_files.seen_at IS 'to a day; after 90 days the row goes';
ALTER TABLE public.ingested_files ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.ingested_files_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.lock_tokens (
    name character varying(64) NOT NULL,
    token bigint NOT NULL,
    locked_by character varying(255) NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    clock_drift double precision NOT NULL
);
COMMENT ON TABLE public.lock_tokens IS 'Beside each row of shedlock: how often that lock was taken, by whomever. Who writes under a lock shows the token that it had then; once the lock has been taken again the write is refused.';
COMMENT ON COLUMN public.lock_tokens.taken_at IS 'when the lock was taken, by the clock of the database';
COMMENT ON COLUMN public.lock_tokens.clock_drift IS 'seconds that the holder''s clock was ahead of the database''s when it took the lock; about 0 with database time';
CREATE TABLE public.message_archive (
    id bigint NOT NULL,
    queue character varying(255) NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb NOT NULL,
    priority smallint NOT NULL,
    retry_count integer NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    keep_until timestamp with time zone NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
)
PARTITION BY RANGE (keep_until);
COMMENT ON TABLE public.message_archive IS 'Completed messages of queues that archive. A partition holds what is kept until one day, and goes after it.';
COMMENT ON COLUMN public.message_archive.keep_until IS 'fixed when it was archived, by message_archive_keep_until: later changes of the queue leave it alone';
CREATE TABLE public.message_archive_unplaced (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
COMMENT ON TABLE public.message_archive_unplaced IS 'Catches what no day''s partition is ready for. message_archive_prepare moves it where it belongs; what reaches its time here is deleted page by page.';
CREATE TABLE public.message_archive_until_20261227 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20261228 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20261229 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20261230 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20261231 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20270101 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20270102 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
CREATE TABLE public.message_archive_until_20270103 (
    id bigint CONSTRAINT message_archive_id_not_null NOT NULL,
    queue character varying(255) CONSTRAINT message_archive_queue_not_null NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb CONSTRAINT message_archive_headers_not_null NOT NULL,
    priority smallint CONSTRAINT message_archive_priority_not_null NOT NULL,
    retry_count integer CONSTRAINT message_archive_retry_count_not_null NOT NULL,
    group_key character varying(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamp with time zone CONSTRAINT message_archive_created_at_not_null NOT NULL,
    dequeued_time timestamp with time zone,
    archived_at timestamp with time zone DEFAULT clock_timestamp() CONSTRAINT message_archive_archived_at_not_null NOT NULL,
    keep_until timestamp with time zone CONSTRAINT message_archive_keep_until_not_null NOT NULL,
    CONSTRAINT message_archive_moments CHECK (((keep_until > '1900-01-01 00:00:00+00'::timestamp with time zone) AND (keep_until < '9999-01-01 00:00:00+00'::timestamp with time zone)))
);
ALTER TABLE public.message_queue ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.message_queue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE public.message_queue_unlogged (
)
INHERITS (public.message_queue)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.02');
COMMENT ON TABLE public.message_queue_unlogged IS 'Messages of queues that are declared unlogged: whatever reads or moves messages in message_queue finds these too. Empty after a crash of the database.';
CREATE TABLE public.operation_items (
    dead_letter_id bigint NOT NULL,
    status character varying(16) DEFAULT 'remaining'::character varying NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    message_id bigint,
    group_id bigint,
    frozen_status character varying(16),
    frozen_version integer,
    revive_seq integer,
    was jsonb DEFAULT 'null'::jsonb,
    operation_id bigint NOT NULL,
    CONSTRAINT operation_items_status CHECK (((status)::text = ANY ((ARRAY['remaining'::character varying, 'done'::character varying, 'skipped'::character varying, 'failed'::character varying])::text[])))
);
COMMENT ON TABLE public.operation_items IS 'One dead letter within an operation, and what became of it.';
COMMENT ON COLUMN public.operation_items.group_id IS 'the failure group it was in when frozen';
COMMENT ON COLUMN public.operation_items.frozen_status IS 'the dead letter''s state when frozen';
COMMENT ON COLUMN public.operation_items.frozen_version IS 'its payload_version when frozen; what was edited since is skipped';
COMMENT ON COLUMN public.operation_items.revive_seq IS 'which revival this was';
COMMENT ON COLUMN public.operation_items.was IS 'what the operation overwrote, for the undo';
CREATE TABLE public.operations (
    id bigint NOT NULL,
    request_key uuid NOT NULL,
    kind character varying(16) NOT NULL,
    status character varying(16) DEFAULT 'freezing'::character varying NOT NULL,
    actor text NOT NULL,
    is_proven boolean DEFAULT false NOT NULL,
    reason text NOT NULL,
    scope character varying(8) NOT NULL,
    ids jsonb DEFAULT '[]'::jsonb NOT NULL,
    filter jsonb DEFAULT '{}'::jsonb NOT NULL,
    filter_words text DEFAULT ''::text NOT NULL,
    states jsonb DEFAULT 'null'::jsonb,
    source_outcome character varying(16) DEFAULT ''::character varying NOT NULL,
    queue character varying(255) DEFAULT ''::character varying NOT NULL,
    group_id bigint,
    access_scope jsonb DEFAULT 'null'::jsonb,
    parameters jsonb DEFAULT '{}'::jsonb NOT NULL,
    rate integer,
    paced_until public.moment,
    cutoff_id bigint NOT NULL,
    expected integer NOT NULL,
    expected_exact boolean DEFAULT true NOT NULL,
    selected integer DEFAULT 0 NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    frozen_to_id bigint DEFAULT 0 NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    started_at public.moment,
    finished_at public.moment,
    owner text,
    lease_token uuid,
    lease_until public.moment,
    adoptions integer DEFAULT 0 NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    approval character varying(8) DEFAULT 'none'::character varying NOT NULL,
    alone_up_to integer DEFAULT 2147483647 NOT NULL,
    approver text DEFAULT ''::text NOT NULL,
    approved_at public.moment,
    approve_until public.moment,
    stage smallint,
    probes jsonb DEFAULT '[]'::jsonb NOT NULL,
    judged_from jsonb DEFAULT '{}'::jsonb NOT NULL,
    watch_until public.moment,
    undo_until public.moment,
    released_to_id bigint DEFAULT 0 NOT NULL,
    released_at public.moment,
    result jsonb DEFAULT '{}'::jsonb NOT NULL,
    items_kept character varying(8) DEFAULT 'kept'::character varying NOT NULL,
    source_operation_id bigint,
    passed_operation_id bigint,
    undone_by_id bigint,
    handled_at public.moment,
    CONSTRAINT operations_counts CHECK ((selected >= ((done + skipped) + failed))),
    CONSTRAINT operations_items_kept CHECK (((items_kept)::text = ANY ((ARRAY['kept'::character varying, 'leaving'::character varying, 'gone'::character varying])::text[]))),
    CONSTRAINT operations_kind CHECK (((kind)::text ~ '^[a-z_]{1,16}$'::text)),
    CONSTRAINT operations_status CHECK (((status)::text = ANY ((ARRAY['freezing'::character varying, 'awaiting'::character varying, 'running'::character varying, 'paused'::character varying, 'halted'::character varying, 'cancelling'::character varying, 'cancelled'::character varying, 'completed'::character varying])::text[])))
);
COMMENT ON TABLE public.operations IS 'One durable bulk action; its page is the receipt.';
COMMENT ON COLUMN public.operations.request_key IS 'made by the form: the same click twice is one operation';
COMMENT ON COLUMN public.operations.is_proven IS 'a person signed in, or by a personal token of their own: only they may ask for approval';
COMMENT ON COLUMN public.operations.scope IS 'rows: those of ids; filter: what filter matched when confirmed; items: those of source_operation that have the fate source_outcome; queue: the messages of queue; log: entries of the audit log';
COMMENT ON COLUMN public.operations.states IS 'of what filter matches only what is in one of these states; NULL: in whatever state';
COMMENT ON COLUMN public.operations.queue IS 'the queue whose messages are its items; empty: they are dead letters';
COMMENT ON COLUMN public.operations.group_id IS 'the failure group that the filter names';
COMMENT ON COLUMN public.operations.access_scope IS 'what who asked is limited to: pairs of a queue and an event type; NULL: nothing';
COMMENT ON COLUMN public.operations.parameters IS 'what the kind needs beside the scope';
COMMENT ON COLUMN public.operations.rate IS 'items a second; NULL: as fast as it goes';
COMMENT ON COLUMN public.operations.paced_until IS 'with a rate: no page begins before';
COMMENT ON COLUMN public.operations.cutoff_id IS 'newer dead letters, or messages, are not part of it';
COMMENT ON COLUMN public.operations.expected IS 'what the person saw when confirming';
COMMENT ON COLUMN public.operations.expected_exact IS 'False: there were more, which could not be counted in time';
COMMENT ON COLUMN public.operations.frozen_to_id IS 'how far the freezing has come';
COMMENT ON COLUMN public.operations.adoptions IS 'how often another worker had to take it over';
COMMENT ON COLUMN public.operations.note IS 'what it waits for just now, in a sentence; empty while it moves';
COMMENT ON COLUMN public.operations.alone_up_to IS 'a larger selection waits for the second person';
COMMENT ON COLUMN public.operations.stage IS 'a canary''s: NULL without one';
COMMENT ON COLUMN public.operations.judged_from IS 'a canary''s: how many were settled, had succeeded and failed again when its probes were chosen';
COMMENT ON COLUMN public.operations.watch_until IS 'it looks at what became of a stage, until then at the latest';
COMMENT ON COLUMN public.operations.undo_until IS 'revived messages are held back until the undo window has passed';
COMMENT ON COLUMN public.operations.result IS 'what an export or a purge leaves: sizes, hashes';
COMMENT ON COLUMN public.operations.items_kept IS '"kept", "leaving" from DLQ_RECEIPT_DAYS after its end, "gone"';
COMMENT ON COLUMN public.operations.passed_operation_id IS 'only what went well in that operation, with its payload as it is now; NULL: everything';
COMMENT ON COLUMN public.operations.undone_by_id IS 'the newest operation that takes this one back';
COMMENT ON COLUMN public.operations.handled_at IS 'after its end: when none of the messages that it put on queues was left to be handled';
CREATE VIEW public.operation_fates AS
 SELECT operation_id,
    dead_letter_id,
    status,
    fate,
        CASE fate
            WHEN 'failed_again'::text THEN error_reason
            ELSE reason
        END AS reason,
    message_id,
    group_id,
    status_now
   FROM ( SELECT i.operation_id,
            i.dead_letter_id,
            i.status,
            i.reason,
            i.message_id,
            e.error_reason,
            COALESCE(e.group_id, i.group_id) AS group_id,
            e.status AS status_now,
                CASE
                    WHEN ((i.status)::text <> 'done'::text) THEN i.status
                    WHEN ((o.undone_by_id IS NOT NULL) AND (EXISTS ( SELECT
                       FROM (public.operations u
                         JOIN public.operation_items b ON (((b.operation_id = u.id) AND (b.dead_letter_id = i.dead_letter_id))))
                      WHERE ((u.source_operation_id = i.operation_id) AND ((u.kind)::text = 'undo'::text) AND ((b.status)::text = 'done'::text))))) THEN 'pulled_back'::character varying
                    WHEN (i.revive_seq IS NULL) THEN 'done'::character varying
                    WHEN (e.id IS NULL) THEN 'gone'::character varying
                    WHEN ((e.revive_count = i.revive_seq) AND ((e.status)::text = 'REVIVED'::text)) THEN 'under_way'::character varying
                    WHEN ((e.revive_count = i.revive_seq) AND ((e.status)::text = 'SUCCEEDED'::text) AND (e.last_failure_at <= e.revived_at)) THEN 'succeeded'::character varying
                    ELSE 'failed_again'::character varying
                END AS fate
           FROM ((public.operation_items i
             JOIN public.operations o ON ((o.id = i.operation_id)))
             LEFT JOIN public.dlq_events e ON ((e.id = i.dead_letter_id)))) f;
COMMENT ON VIEW public.operation_fates IS 'What became of each dead letter of an operation. fate: its status; pulled_back by an undo; or of one that was put on a queue under_way, succeeded, failed_again or gone (deleted since). reason: why it was skipped or failed; of one that failed again its new error.';
CREATE TABLE public.operation_groups (
    group_id bigint NOT NULL,
    items integer NOT NULL,
    done integer NOT NULL,
    operation_id bigint NOT NULL
);
COMMENT ON TABLE public.operation_groups IS 'How many of an operation''s items were in a failure group: counted once, when it ends.';
CREATE TABLE public.operation_messages (
    message_id bigint NOT NULL,
    status character varying(16) DEFAULT 'remaining'::character varying NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    dead_letter_id bigint,
    operation_id bigint NOT NULL,
    CONSTRAINT operation_messages_status CHECK (((status)::text = ANY ((ARRAY['remaining'::character varying, 'done'::character varying, 'skipped'::character varying, 'failed'::character varying])::text[])))
);
COMMENT ON TABLE public.operation_messages IS 'One message of a queue within an operation, and what became of it.';
COMMENT ON COLUMN public.operation_messages.dead_letter_id IS 'the dead letter that it revived, back where it was';
CREATE TABLE public.operation_parts (
    queue character varying(255) NOT NULL,
    event_type character varying(255) NOT NULL,
    items integer NOT NULL,
    operation_id bigint NOT NULL
);
COMMENT ON TABLE public.operation_parts IS 'How many of an operation''s items are of a queue and an event type: counted as they are frozen.';
COMMENT ON COLUMN public.operation_parts.event_type IS 'empty for the messages of a queue';
ALTER TABLE public.operations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.operations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.owner_rules ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.owner_rules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.paces (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    rate double precision,
    floor double precision NOT NULL,
    ceiling double precision NOT NULL,
    baseline_seconds double precision,
    recent_seconds double precision,
    share double precision,
    why text DEFAULT ''::text NOT NULL,
    slowed_at public.moment,
    changed_at public.moment DEFAULT statement_timestamp() NOT NULL,
    tried integer DEFAULT 0 NOT NULL,
    came_back integer DEFAULT 0 NOT NULL,
    timed integer DEFAULT 0 NOT NULL,
    log_seconds double precision DEFAULT 0.0 NOT NULL,
    begun_at public.moment DEFAULT statement_timestamp() NOT NULL,
    noted_at public.moment DEFAULT statement_timestamp() NOT NULL,
    tokens double precision DEFAULT 0.0 NOT NULL,
    filled_at public.moment DEFAULT statement_timestamp() NOT NULL,
    operation_id bigint DEFAULT 0 NOT NULL,
    group_id bigint DEFAULT 0 NOT NULL,
    handed_out bigint DEFAULT 0 NOT NULL,
    heard bigint DEFAULT 0 NOT NULL,
    heard_back bigint DEFAULT 0 NOT NULL,
    heard_at public.moment DEFAULT statement_timestamp() NOT NULL,
    watched bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT paces_never_stop CHECK (((rate IS NULL) OR (rate > (0.0)::double precision)))
);
COMMENT ON TABLE public.paces IS 'How fast events of a failure group are tried again, by the schedule or by one operation, and why.';
COMMENT ON COLUMN public.paces.rate IS 'events a second; NULL: nothing is held back';
COMMENT ON COLUMN public.paces.floor IS 'the slowest, events a second, as it was when last judged';
COMMENT ON COLUMN public.paces.ceiling IS 'from here on nothing is held back';
COMMENT ON COLUMN public.paces.baseline_seconds IS 'how long its handler usually takes: a slow average';
COMMENT ON COLUMN public.paces.recent_seconds IS 'how long it took in the window that was judged last';
COMMENT ON COLUMN public.paces.share IS 'of what was tried again in that window, how much failed again: 0 to 1';
COMMENT ON COLUMN public.paces.why IS 'why it was slowed last; empty while nothing is held back';
COMMENT ON COLUMN public.paces.slowed_at IS 'since when it is held back';
COMMENT ON COLUMN public.paces.changed_at IS 'when its rate changed last';
COMMENT ON COLUMN public.paces.tried IS 'outcomes in the window that is not judged yet';
COMMENT ON COLUMN public.paces.log_seconds IS 'the sum of the logarithms of so many successes'' seconds';
COMMENT ON COLUMN public.paces.begun_at IS 'when the window began';
COMMENT ON COLUMN public.paces.noted_at IS 'when an outcome was noted last';
COMMENT ON COLUMN public.paces.tokens IS 'what may begin at once';
COMMENT ON COLUMN public.paces.operation_id IS 'the operation whose own pace it is; 0: the schedule''s';
COMMENT ON COLUMN public.paces.group_id IS 'the failure group they had when they were taken up; 0: none';
COMMENT ON COLUMN public.paces.handed_out IS 'a revive''s: so many of the group it has put on queues';
COMMENT ON COLUMN public.paces.heard IS 'a revive''s: so many outcomes of these are in its windows already';
COMMENT ON COLUMN public.paces.heard_back IS 'a revive''s: so many of them came back';
COMMENT ON COLUMN public.paces.heard_at IS 'a revive''s: when it began, or an outcome was heard last';
COMMENT ON COLUMN public.paces.watched IS 'a revive''s newest messages of the group: whether they fail on their queue already';
ALTER TABLE public.paces ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.paces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE public.page_visits (
    page character varying(64) NOT NULL,
    actor text NOT NULL,
    since public.moment DEFAULT clock_timestamp() NOT NULL,
    seen_at public.moment DEFAULT clock_timestamp() NOT NULL
)
WITH (fillfactor='50');
COMMENT ON TABLE public.page_visits IS 'Which page an account has open in a tab that is seen: its live updates renew the row. Nothing is decided by it.';
COMMENT ON COLUMN public.page_visits.page IS 'the address''s name and number: group:7';
COMMENT ON COLUMN public.page_visits.seen_at IS 'older than 30 seconds: the page is closed, or out of sight';
CREATE TABLE public.payload_changes (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    path character varying(512) NOT NULL,
    hour timestamp with time zone NOT NULL,
    kind character varying(16) NOT NULL,
    before text DEFAULT ''::text NOT NULL,
    after text DEFAULT ''::text NOT NULL,
    share_before double precision NOT NULL,
    share_after double precision NOT NULL,
    payloads integer NOT NULL,
    payloads_before integer NOT NULL,
    found_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT payload_changes_kind CHECK (((kind)::text = ANY ((ARRAY['appeared'::character varying, 'vanished'::character varying, 'became'::character varying])::text[])))
);
COMMENT ON TABLE public.payload_changes IS 'A path of an event type''s payloads that appeared, vanished, or became another type.';
COMMENT ON COLUMN public.payload_changes.hour IS 'in which it was first seen, in UTC';
COMMENT ON COLUMN public.payload_changes.kind IS 'appeared, vanished, became';
COMMENT ON COLUMN public.payload_changes.before IS 'what stood there, where it became another type';
COMMENT ON COLUMN public.payload_changes.share_before IS 'of the hours before; 0 to 1';
COMMENT ON COLUMN public.payload_changes.share_after IS 'of its hour, when it was found';
COMMENT ON COLUMN public.payload_changes.payloads IS 'looked at in its hour, when it was found';
COMMENT ON COLUMN public.payload_changes.payloads_before IS 'looked at in the hours before';
ALTER TABLE public.payload_changes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.payload_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.payload_shapes (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    hour timestamp with time zone NOT NULL,
    path character varying(512) NOT NULL,
    events double precision NOT NULL,
    payloads integer NOT NULL,
    types jsonb DEFAULT '{}'::jsonb NOT NULL,
    left_out integer DEFAULT 0 NOT NULL,
    CONSTRAINT payload_shapes_counts CHECK (((events >= (0.0)::double precision) AND (payloads >= 0)))
);
COMMENT ON TABLE public.payload_shapes IS 'How frequent each path is in an event type''s payloads, by hour. Without one: the hour.';
COMMENT ON COLUMN public.payload_shapes.hour IS 'its beginning, in UTC';
COMMENT ON COLUMN public.payload_shapes.path IS 'items[].sku; empty: all payloads of the hour';
COMMENT ON COLUMN public.payload_shapes.events IS 'events of the hour that have it, estimated from those looked at';
COMMENT ON COLUMN public.payload_shapes.payloads IS 'payloads looked at that have it';
COMMENT ON COLUMN public.payload_shapes.types IS 'events by what stands there: {"text": 12.5}';
COMMENT ON COLUMN public.payload_shapes.left_out IS 'of the row without a path: paths that were too many, or no names';
ALTER TABLE public.payload_shapes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.payload_shapes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.payload_versions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.payload_versions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.periodic_ticks (
    event_type text NOT NULL,
    cron text NOT NULL,
    timezone text NOT NULL,
    queue text NOT NULL,
    tick timestamp with time zone NOT NULL,
    message_id bigint
);
COMMENT ON TABLE public.periodic_ticks IS 'The last tick of each periodic handler; nobody sends a message for it again.';
COMMENT ON COLUMN public.periodic_ticks.cron IS 'as the handler''s code said it with this tick';
COMMENT ON COLUMN public.periodic_ticks.timezone IS 'in which the cron expression''s hours are';
COMMENT ON COLUMN public.periodic_ticks.message_id IS 'of the tick; NULL where the handler was new, and none was sent';
CREATE TABLE public.personal_tokens (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    label character varying(100) NOT NULL,
    prefix character varying(16) NOT NULL,
    sha256 character varying(64) NOT NULL,
    made_by text NOT NULL,
    scope character varying(16) DEFAULT 'person'::character varying NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    expires_at public.moment NOT NULL,
    last_used_at public.moment,
    revoked_at public.moment,
    revoked_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT personal_tokens_hash CHECK (((sha256)::text ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT personal_tokens_scope CHECK (((scope)::text = ANY ((ARRAY['person'::character varying, 'report'::character varying])::text[])))
);
COMMENT ON TABLE public.personal_tokens IS 'What a person proves who they are with, on the command line or to the API; of the token only a hash is kept.';
COMMENT ON COLUMN public.personal_tokens.user_id IS 'whose it is; a token of an account that is gone proves nothing';
COMMENT ON COLUMN public.personal_tokens.prefix IS 'how it begins, to know it by';
COMMENT ON COLUMN public.personal_tokens.made_by IS 'the person, signed in; or cli:…, and then it approves nothing';
COMMENT ON COLUMN public.personal_tokens.scope IS 'person: acts as the person on the command line; report: reports failures over HTTP, and nothing else';
ALTER TABLE public.personal_tokens ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.personal_tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.pipeline_runs (
    id bigint NOT NULL,
    kind character varying(16) NOT NULL,
    status character varying(16) DEFAULT 'running'::character varying NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    asked_by text DEFAULT ''::text NOT NULL,
    asked_at public.moment,
    arguments jsonb DEFAULT '{}'::jsonb NOT NULL,
    operation_id bigint,
    lock_name character varying(64),
    memory integer DEFAULT 0 NOT NULL,
    host text DEFAULT ''::text NOT NULL,
    pid integer,
    started_at public.moment DEFAULT statement_timestamp() NOT NULL,
    heartbeat_at public.moment DEFAULT statement_timestamp() NOT NULL,
    finished_at public.moment,
    cancelled_by text DEFAULT ''::text NOT NULL,
    exit_status integer,
    log text DEFAULT ''::text NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    unit character varying(16) DEFAULT 'events'::character varying NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    CONSTRAINT pipeline_runs_asked CHECK (((NOT ((status)::text = 'asked'::text)) OR (asked_at IS NOT NULL))),
    CONSTRAINT pipeline_runs_status CHECK (((status)::text = ANY ((ARRAY['asked'::character varying, 'running'::character varying, 'cancelling'::character varying, 'completed'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[])))
);
COMMENT ON TABLE public.pipeline_runs IS 'One run of a pipeline job. The job keeps the row up to date while it works.';
COMMENT ON COLUMN public.pipeline_runs.kind IS 'the job: its file in runs/jobs, its command';
COMMENT ON COLUMN public.pipeline_runs.status IS '"asked", "running", "cancelling", "completed", "failed", "cancelled"';
COMMENT ON COLUMN public.pipeline_runs.subject IS 'what it reads: a path, a topic, a day';
COMMENT ON COLUMN public.pipeline_runs.asked_by IS 'who asked for it; empty: begun on the command line';
COMMENT ON COLUMN public.pipeline_runs.arguments IS 'what was asked for, as its job reads it';
COMMENT ON COLUMN public.pipeline_runs.operation_id IS 'the operation whose items it works on';
COMMENT ON COLUMN public.pipeline_runs.lock_name IS 'of all that were asked for, one of this name is open at a time';
COMMENT ON COLUMN public.pipeline_runs.memory IS 'MiB that its processes may come to need together';
COMMENT ON COLUMN public.pipeline_runs.host IS 'where its process is';
COMMENT ON COLUMN public.pipeline_runs.pid IS 'its process, once that took it up';
COMMENT ON COLUMN public.pipeline_runs.cancelled_by IS 'who wanted it to end';
COMMENT ON COLUMN public.pipeline_runs.exit_status IS 'of its process; below 0: the signal that killed it';
COMMENT ON COLUMN public.pipeline_runs.log IS 'the end of what it printed, without secrets';
COMMENT ON COLUMN public.pipeline_runs.total IS 'bytes, rows or items, as unit says; 0 while unknown';
COMMENT ON COLUMN public.pipeline_runs.counts IS 'read, enriched, dead_lettered, unchanged, blank, files …';
COMMENT ON COLUMN public.pipeline_runs.message IS 'one sentence: what it is doing, or why it failed';
ALTER TABLE public.pipeline_runs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.pipeline_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.playbook_entries (
    id bigint NOT NULL,
    at public.moment DEFAULT statement_timestamp() NOT NULL,
    outcome character varying(8) NOT NULL,
    why text NOT NULL,
    edge bigint NOT NULL,
    part integer NOT NULL,
    told text DEFAULT ''::text NOT NULL,
    operation_id bigint,
    playbook_id bigint NOT NULL,
    CONSTRAINT playbook_entries_operation CHECK ((((operation_id IS NOT NULL) AND ((outcome)::text = 'asked'::text)) OR (NOT ((outcome)::text = 'asked'::text)))),
    CONSTRAINT playbook_entries_outcome CHECK (((outcome)::text = ANY ((ARRAY['asked'::character varying, 'held'::character varying, 'stopped'::character varying])::text[])))
);
COMMENT ON TABLE public.playbook_entries IS 'One thing that a playbook did, or why it did not.';
COMMENT ON COLUMN public.playbook_entries.told IS 'the group''s owner at that moment, where they are told';
ALTER TABLE public.playbook_entries ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.playbook_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.playbooks (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    look text DEFAULT ''::text NOT NULL,
    acts_for text NOT NULL,
    created_by text NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    updated_at public.moment DEFAULT statement_timestamp() NOT NULL,
    filter jsonb NOT NULL,
    group_id bigint,
    trigger character varying(16) NOT NULL,
    trigger_options jsonb NOT NULL,
    kind character varying(16) NOT NULL,
    options jsonb NOT NULL,
    per_hour integer,
    per_day integer NOT NULL,
    operations_per_day integer NOT NULL,
    tells_owner boolean DEFAULT true NOT NULL,
    turn bigint DEFAULT 0 NOT NULL,
    seen_open_at public.moment,
    next_at public.moment,
    due_at public.moment,
    due_why text DEFAULT ''::text NOT NULL,
    edge bigint DEFAULT 0 NOT NULL,
    part integer DEFAULT 0 NOT NULL,
    held text DEFAULT ''::text NOT NULL,
    operation_id bigint,
    CONSTRAINT playbooks_acts_for CHECK ((acts_for ~ '^user:[1-9][0-9]{0,9}$'::text)),
    CONSTRAINT playbooks_budget CHECK (((operations_per_day >= 1) AND (per_day >= 1) AND ((per_hour IS NULL) OR (per_hour >= 1)))),
    CONSTRAINT playbooks_kind CHECK (((kind)::text ~ '^[a-z_]{1,16}$'::text))
);
COMMENT ON TABLE public.playbooks IS 'A standing rule of a person: when this happens, do that to those, within a budget.';
COMMENT ON COLUMN public.playbooks.version IS 'one more with each change that a person makes';
COMMENT ON COLUMN public.playbooks.look IS 'why it does nothing until a person has looked; empty: it goes on';
COMMENT ON COLUMN public.playbooks.acts_for IS 'the person who made or last changed it, and answers for what it does';
COMMENT ON COLUMN public.playbooks.filter IS 'which dead letters, as an operation keeps it';
COMMENT ON COLUMN public.playbooks.group_id IS 'the failure group that the filter names';
COMMENT ON COLUMN public.playbooks.trigger IS 'breaker, every, daily, or many';
COMMENT ON COLUMN public.playbooks.kind IS 'of its operations';
COMMENT ON COLUMN public.playbooks.options IS 'of its operations, the rate among them';
COMMENT ON COLUMN public.playbooks.per_hour IS 'dead letters in an hour of the clock; NULL: as in a day';
COMMENT ON COLUMN public.playbooks.per_day IS 'dead letters in a day, UTC';
COMMENT ON COLUMN public.playbooks.tells_owner IS 'the overview tells the group''s owner';
COMMENT ON COLUMN public.playbooks.turn IS 'one more with each thing that a worker notes: two at once cannot';
COMMENT ON COLUMN public.playbooks.seen_open_at IS 'the breaker was seen open, since then';
COMMENT ON COLUMN public.playbooks.next_at IS 'when it is due, or when to look again';
COMMENT ON COLUMN public.playbooks.due_at IS 'it happened, and is not worked off; NULL: nothing is';
COMMENT ON COLUMN public.playbooks.edge IS 'how often it happened';
COMMENT ON COLUMN public.playbooks.part IS 'operations for the newest time it happened';
COMMENT ON COLUMN public.playbooks.held IS 'why it does not go on just now, as it told last';
COMMENT ON COLUMN public.playbooks.operation_id IS 'its newest, until a person has looked';
ALTER TABLE public.playbooks ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.playbooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.queue_activity (
    id bigint NOT NULL,
    queue character varying(255) NOT NULL,
    minute public.moment NOT NULL,
    completed integer DEFAULT 0 NOT NULL,
    retried integer DEFAULT 0 NOT NULL,
    dead_lettered integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    consumer text DEFAULT ''::text NOT NULL
);
COMMENT ON TABLE public.queue_activity IS 'What consumers did with a queue in one minute: ours together, added up every few seconds, and each in SQL.';
COMMENT ON COLUMN public.queue_activity.consumer IS 'one in SQL, whose row is its own; empty: all of ours';
ALTER TABLE public.queue_activity ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.queue_activity_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE public.queue_sleepers (
    queue text NOT NULL,
    consumer text NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
COMMENT ON TABLE public.queue_sleepers IS 'Who waits for messages of which queue, and until when at most. Only its own consumer writes a row.';
CREATE UNLOGGED TABLE public.queue_tokens (
    queue text NOT NULL,
    tokens double precision NOT NULL,
    taken integer NOT NULL,
    filled_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
COMMENT ON TABLE public.queue_tokens IS 'A rate-limited queue''s tokens. Losing the row in a crash fills the bucket once.';
COMMENT ON COLUMN public.queue_tokens.taken IS 'what the last caller was given';
CREATE TABLE public.queue_topics (
    pattern character varying(255) NOT NULL,
    queue character varying(255) NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT queue_topics_pattern CHECK (((pattern)::text ~ '^([A-Za-z0-9_-]+|[*]|#)([.]([A-Za-z0-9_-]+|[*]|#))*$'::text))
);
COMMENT ON TABLE public.queue_topics IS 'Which queues get what is sent to a routing key. Words of a pattern have dots between them; * is any one word, # any number of words, also none.';
CREATE TABLE public.rehearsal_predictions (
    dead_letter_id bigint NOT NULL,
    payload_version integer NOT NULL,
    would character varying(16) NOT NULL,
    error_class text DEFAULT ''::text NOT NULL,
    category character varying(16) DEFAULT ''::character varying NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    operation_id bigint NOT NULL,
    CONSTRAINT rehearsal_predictions_would CHECK (((would)::text = ANY ((ARRAY['succeed'::character varying, 'fail'::character varying, 'stop'::character varying, 'write'::character varying, 'unknown'::character varying])::text[])))
);
COMMENT ON TABLE public.rehearsal_predictions IS 'What a rehearsal says of one dead letter; it goes with the item.';
COMMENT ON COLUMN public.rehearsal_predictions.payload_version IS 'of which payload it is said: another may do otherwise';
COMMENT ON COLUMN public.rehearsal_predictions.category IS 'of the failure, as the rules would have it';
CREATE TABLE public.report_days (
    id bigint NOT NULL,
    day date NOT NULL,
    computed_at public.moment DEFAULT statement_timestamp() NOT NULL,
    changes bigint DEFAULT 0 NOT NULL,
    removed bigint DEFAULT 0 NOT NULL,
    lines integer DEFAULT 0 NOT NULL,
    kept_at public.moment,
    report_id character varying(64) NOT NULL,
    CONSTRAINT report_days_day CHECK (((day >= '0001-01-01'::date) AND (day <= '9999-12-31'::date)))
);
COMMENT ON TABLE public.report_days IS 'A day of a report that was computed: open again when the marks of its hours say another number.';
COMMENT ON COLUMN public.report_days.changes IS 'of its hours, in the snapshot it was computed from';
COMMENT ON COLUMN public.report_days.removed IS 'the same: what had been taken away';
COMMENT ON COLUMN public.report_days.lines IS 'its rows';
COMMENT ON COLUMN public.report_days.kept_at IS 'when it was not computed anew, as some of its events had been purged or archived';
ALTER TABLE public.report_days ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.report_days_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.report_mails (
    recipient text NOT NULL,
    day date NOT NULL,
    tries integer NOT NULL,
    next_at public.moment NOT NULL,
    sent_at public.moment
);
COMMENT ON TABLE public.report_mails IS 'The last mail to each recipient: who sends one moves its row first.';
COMMENT ON COLUMN public.report_mails.recipient IS 'a keyed hash of the address';
COMMENT ON COLUMN public.report_mails.day IS 'the day that the mail tells of';
COMMENT ON COLUMN public.report_mails.tries IS 'of this day; the last one may still be under way';
COMMENT ON COLUMN public.report_mails.next_at IS 'until then nobody else tries';
COMMENT ON COLUMN public.report_mails.sent_at IS 'when the mail server took it; NULL: not yet';
CREATE TABLE public.report_rows (
    id bigint NOT NULL,
    day date NOT NULL,
    key jsonb NOT NULL,
    figures jsonb NOT NULL,
    report_id character varying(64) NOT NULL,
    CONSTRAINT report_rows_day CHECK (((day >= '0001-01-01'::date) AND (day <= '9999-12-31'::date)))
);
COMMENT ON TABLE public.report_rows IS 'One line of a daily report: a day, a key, its figures.';
COMMENT ON COLUMN public.report_rows.key IS '{"carrier": "UA"}';
COMMENT ON COLUMN public.report_rows.figures IS '{"flights": 165, "on_time_share": 0.81}';
ALTER TABLE public.report_rows ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.report_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.reports (
    name character varying(64) NOT NULL,
    title text NOT NULL,
    keys jsonb NOT NULL,
    metrics jsonb NOT NULL,
    updated_at public.moment DEFAULT statement_timestamp(),
    day_of character varying(16) DEFAULT ''::character varying NOT NULL,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    margin_seconds integer DEFAULT 0 NOT NULL,
    changes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT reports_timezone CHECK ((('2000-01-01 00:00:00+00'::timestamp with time zone AT TIME ZONE timezone) IS NOT NULL))
);
COMMENT ON TABLE public.reports IS 'A daily report that a user''s module declares; its columns are kept so that a page can show it.';
COMMENT ON COLUMN public.reports.keys IS 'the names of the key columns, in order';
COMMENT ON COLUMN public.reports.metrics IS '[["flights", "count"], ["on_time_share", "share"], …]: an object would lose its order';
COMMENT ON COLUMN public.reports.updated_at IS 'NULL: not computed yet';
COMMENT ON COLUMN public.reports.day_of IS 'what an event''s day follows from: "occurred_at", of a dead letter "created_at"; empty: not said';
COMMENT ON COLUMN public.reports.timezone IS 'where its days begin at midnight';
COMMENT ON COLUMN public.reports.margin_seconds IS 'how far an event may lie outside of the day that it counts on';
COMMENT ON COLUMN public.reports.changes IS 'of all hours, when all its days were computed last; without day_of';
CREATE TABLE public.restored_dead_letters (
    dead_letter_id bigint NOT NULL,
    restored_at public.moment DEFAULT statement_timestamp() NOT NULL,
    restored_by text NOT NULL,
    file_id bigint NOT NULL
);
COMMENT ON TABLE public.restored_dead_letters IS 'A dead letter that was taken back from where it was kept: it may be closed, and stays for a while.';
COMMENT ON COLUMN public.restored_dead_letters.restored_by IS 'the actor';
ALTER TABLE public.retry_policies ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.retry_policies_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.retry_run_requests (
    id bigint NOT NULL,
    asked_at public.moment DEFAULT statement_timestamp() NOT NULL,
    asked_by text NOT NULL,
    reason text DEFAULT ''::text NOT NULL
);
COMMENT ON TABLE public.retry_run_requests IS 'Somebody wants a run now: the next tick begins it.';
ALTER TABLE public.retry_run_requests ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.retry_run_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.retry_run_workers (
    id bigint NOT NULL,
    run_id bigint NOT NULL,
    worker text NOT NULL,
    joined_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    left_at timestamp with time zone,
    left_for character varying(16) DEFAULT ''::character varying NOT NULL,
    claimed integer DEFAULT 0 NOT NULL,
    succeeded integer DEFAULT 0 NOT NULL,
    revived integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    exhausted integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    failures jsonb DEFAULT '{}'::jsonb NOT NULL
);
COMMENT ON TABLE public.retry_run_workers IS 'What one worker did in a run. The run''s own counts are the sums of these.';
COMMENT ON COLUMN public.retry_run_workers.failures IS 'how many attempts failed, by the number of their failure group';
ALTER TABLE public.retry_run_workers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.retry_run_workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.retry_runs (
    id bigint NOT NULL,
    started_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    trigger character varying(16) NOT NULL,
    worker text NOT NULL,
    token bigint DEFAULT 0 NOT NULL,
    late_seconds double precision DEFAULT 0.0 NOT NULL,
    missed integer DEFAULT 0 NOT NULL,
    claimed integer DEFAULT 0 NOT NULL,
    succeeded integer DEFAULT 0 NOT NULL,
    revived integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    exhausted integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    ended_for character varying(16) DEFAULT ''::character varying NOT NULL,
    more_due boolean DEFAULT false NOT NULL,
    resume_at timestamp with time zone,
    note text DEFAULT ''::text NOT NULL
);
COMMENT ON TABLE public.retry_runs IS 'One scheduled run of the whole fleet: every worker that has a tick joins it.';
COMMENT ON COLUMN public.retry_runs.trigger IS '"schedule" or "by hand"';
COMMENT ON COLUMN public.retry_runs.worker IS 'who holds the lock and keeps the book of it';
COMMENT ON COLUMN public.retry_runs.token IS 'of the lock that it runs under: after the next one''s it does no more';
COMMENT ON COLUMN public.retry_runs.late_seconds IS 'how long after its time it began: late ones begin gently';
COMMENT ON COLUMN public.retry_runs.missed IS 'turns before it that nobody took: this one makes up for all';
COMMENT ON COLUMN public.retry_runs.revived IS 'put back on their queues; what their consumers make of them comes later';
COMMENT ON COLUMN public.retry_runs.lost IS 'leases that ran out while a handler ran: somebody else took the row';
COMMENT ON COLUMN public.retry_runs.more_due IS 'the next run does not wait for its turn, but for resume_at';
COMMENT ON COLUMN public.retry_runs.note IS 'why it ended, where that is not "nothing is due any more"';
ALTER TABLE public.retry_runs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.retry_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.retry_settings (
    one boolean DEFAULT true NOT NULL,
    max_retries integer NOT NULL,
    backoff_base_seconds double precision NOT NULL,
    backoff_cap_seconds double precision NOT NULL,
    come_backs integer NOT NULL,
    breaker_failures integer NOT NULL,
    noted_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT retry_settings_one CHECK (one)
);
COMMENT ON TABLE public.retry_settings IS 'The settings of our schedule that functions here need; no row until it has had a tick: their defaults.';
COMMENT ON COLUMN public.retry_settings.max_retries IS 'DLQ_RETRY_MAX_RETRIES';
COMMENT ON COLUMN public.retry_settings.backoff_base_seconds IS 'DLQ_RETRY_BACKOFF_BASE';
COMMENT ON COLUMN public.retry_settings.backoff_cap_seconds IS 'DLQ_RETRY_BACKOFF_CAP';
COMMENT ON COLUMN public.retry_settings.come_backs IS 'DLQ_COME_BACKS';
COMMENT ON COLUMN public.retry_settings.breaker_failures IS 'DLQ_BREAKER_FAILURES';
CREATE VIEW public.retry_settings_now AS
 SELECT COALESCE(s.max_retries, 240) AS max_retries,
    COALESCE(s.backoff_base_seconds, (60)::double precision) AS backoff_base_seconds,
    COALESCE(s.backoff_cap_seconds, (21600)::double precision) AS backoff_cap_seconds,
    COALESCE(s.come_backs, 5) AS come_backs,
    COALESCE(s.breaker_failures, 20) AS breaker_failures
   FROM (( SELECT) always
     LEFT JOIN public.retry_settings s ON (s.one));
COMMENT ON VIEW public.retry_settings_now IS 'The settings of our schedule, or their defaults where it never ran.';
CREATE TABLE public.retry_tickers (
    id bigint NOT NULL,
    name text NOT NULL,
    started_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.retry_tickers IS 'The beats that run; in the row called tick, when a worker last had a tick of one.';
ALTER TABLE public.retry_tickers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.retry_tickers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.revival_outcomes (
    id bigint NOT NULL,
    operation_id bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL,
    group_id bigint DEFAULT 0 NOT NULL
);
COMMENT ON TABLE public.revival_outcomes IS 'What became of some of an operation''s revived dead letters; the sum of its rows is what is known.';
COMMENT ON COLUMN public.revival_outcomes.group_id IS 'the failure group that they had while they were revived';
ALTER TABLE public.revival_outcomes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.revival_outcomes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.role_grants (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    role character varying(16) NOT NULL,
    since public.moment DEFAULT statement_timestamp() NOT NULL,
    until public.moment,
    CONSTRAINT role_grants_role CHECK (((role)::text = ANY ((ARRAY['viewer'::character varying, 'operator'::character varying, 'maintainer'::character varying, 'admin'::character varying, 'superuser'::character varying])::text[])))
);
COMMENT ON TABLE public.role_grants IS 'From when until when a person had a role: an account that is switched off has none.';
COMMENT ON COLUMN public.role_grants.user_id IS 'stays when the account is deleted; no other account gets it';
COMMENT ON COLUMN public.role_grants.until IS 'NULL: the person has it now';
ALTER TABLE public.role_grants ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.role_grants_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sample_policies (
    event_type character varying(255) NOT NULL,
    one_in integer,
    masked boolean,
    updated_at public.moment DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT sample_policies_one_in CHECK (((one_in IS NULL) OR ((one_in >= 0) AND (one_in <= 1000000))))
);
COMMENT ON TABLE public.sample_policies IS 'How an event type''s successes are sampled, where it is not as the settings say.';
COMMENT ON COLUMN public.sample_policies.one_in IS 'one success in so many is kept; 0: none at all';
COMMENT ON COLUMN public.sample_policies.masked IS 'whether what is personal is masked before it is stored';
CREATE TABLE public.saved_views (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name character varying(80) NOT NULL,
    filter text NOT NULL,
    sort character varying(40) DEFAULT ''::character varying NOT NULL,
    columns character varying(200) DEFAULT ''::character varying NOT NULL,
    "grouping" character varying(40) DEFAULT ''::character varying NOT NULL,
    is_shared boolean DEFAULT false NOT NULL,
    created_at public.moment DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.saved_views IS 'Filters of dead letters that a person named, each with the order, columns and grouping of its list; everybody sees the shared ones.';
COMMENT ON COLUMN public.saved_views.user_id IS 'whose it is; a view of an account that is gone is shown to nobody';
COMMENT ON COLUMN public.saved_views.filter IS 'its canonical text';
COMMENT ON COLUMN public.saved_views.sort IS 'the order of its list, as an address has it; empty: newest first';
COMMENT ON COLUMN public.saved_views.columns IS 'the columns of its list, comma between; empty: the usual ones';
COMMENT ON COLUMN public.saved_views."grouping" IS '"group": it opens as failure groups; empty: as a list';
ALTER TABLE public.saved_views ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.saved_views_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.schema_parts (
    part text NOT NULL,
    change integer NOT NULL,
    version text NOT NULL,
    digest text NOT NULL,
    applied_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.schema_parts IS 'The version of the tables, for the core and for each feature. Written by migrate.';
COMMENT ON COLUMN public.schema_parts.part IS '"core", or the folder of a feature';
COMMENT ON COLUMN public.schema_parts.change IS 'the last numbered change that is applied; 0: none yet';
COMMENT ON COLUMN public.schema_parts.version IS 'the version of dlqconsole whose files these are';
COMMENT ON COLUMN public.schema_parts.digest IS 'of the files, so that migrate runs them again only if they changed';
CREATE TABLE public.scopes (
    id bigint NOT NULL,
    queue character varying(256) DEFAULT '*'::character varying NOT NULL,
    event_type character varying(256) DEFAULT '*'::character varying NOT NULL,
    group_id integer,
    user_id integer,
    CONSTRAINT scopes_of_somebody CHECK ((((group_id IS NULL) AND (user_id IS NOT NULL)) OR ((group_id IS NOT NULL) AND (user_id IS NULL)))),
    CONSTRAINT scopes_patterns CHECK ((((event_type)::text ~ '^([^*]+\*?|\*)$'::text) AND ((queue)::text ~ '^([^*]+\*?|\*)$'::text)))
);
COMMENT ON TABLE public.scopes IS 'What a person, or each member of a group, is limited to; who has none of these is not limited.';
COMMENT ON COLUMN public.scopes.queue IS 'a name, the beginning of one with * behind it, or * for all';
COMMENT ON COLUMN public.scopes.event_type IS 'the same of event types';
ALTER TABLE public.scopes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.scopes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.shape_progress (
    number smallint NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT shape_progress_one CHECK ((number = 1))
);
COMMENT ON TABLE public.shape_progress IS 'Up to when payloads have been looked at for their shapes. One row.';
CREATE TABLE public.shedlock (
    name character varying(64) NOT NULL,
    lock_until timestamp without time zone NOT NULL,
    locked_at timestamp without time zone NOT NULL,
    locked_by character varying(255) NOT NULL
);
COMMENT ON TABLE public.shedlock IS 'ShedLock''s own table, to the letter: a Java fleet and we can share it. Its timestamps have no zone and mean UTC; rows are never deleted.';
CREATE TABLE public.sign_in_allowances (
    key character varying(110) NOT NULL,
    spent_until timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.sign_in_allowances IS 'Tries to sign in, and reports of a token, that were used up, and until when they are all back.';
CREATE TABLE public.source_positions (
    log character varying(400) NOT NULL,
    part integer NOT NULL,
    "position" bigint NOT NULL,
    read_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL
);
COMMENT ON TABLE public.source_positions IS 'How far a partition of a log was read. Losing it costs time only: the tables know what is done.';
COMMENT ON COLUMN public.source_positions.log IS 'a topic of one cluster';
COMMENT ON COLUMN public.source_positions."position" IS 'the next offset';
CREATE TABLE public.success_samples (
    id bigint NOT NULL,
    event_type character varying(255) NOT NULL,
    source character varying(1024) NOT NULL,
    source_key character varying(1024) NOT NULL,
    payload jsonb,
    payload_raw bytea,
    masked boolean DEFAULT false NOT NULL,
    was_dead_letter boolean DEFAULT false NOT NULL,
    by_rate boolean DEFAULT true NOT NULL,
    stands_for integer DEFAULT 1 NOT NULL,
    sampled_at public.moment DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT success_samples_stands_for CHECK ((stands_for >= 1))
);
COMMENT ON TABLE public.success_samples IS 'A bounded sample of the inputs that handlers succeeded with; the oldest go by themselves.';
COMMENT ON COLUMN public.success_samples.payload IS 'null where JSONB cannot hold it: see payload_raw';
COMMENT ON COLUMN public.success_samples.masked IS 'something in it was masked: it is not as it came';
COMMENT ON COLUMN public.success_samples.was_dead_letter IS 'it had failed before it succeeded';
COMMENT ON COLUMN public.success_samples.by_rate IS 'by its type''s rate; else one of the first of its minute';
COMMENT ON COLUMN public.success_samples.stands_for IS 'successes of its type and process since the sample before, with it';
ALTER TABLE public.success_samples ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.success_samples_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_unplaced DEFAULT;
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20261227 FOR VALUES FROM ('2026-12-27 00:00:00+00') TO ('2026-12-28 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20261228 FOR VALUES FROM ('2026-12-28 00:00:00+00') TO ('2026-12-29 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20261229 FOR VALUES FROM ('2026-12-29 00:00:00+00') TO ('2026-12-30 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20261230 FOR VALUES FROM ('2026-12-30 00:00:00+00') TO ('2026-12-31 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20261231 FOR VALUES FROM ('2026-12-31 00:00:00+00') TO ('2027-01-01 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20270101 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-01-02 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20270102 FOR VALUES FROM ('2027-01-02 00:00:00+00') TO ('2027-01-03 00:00:00+00');
ALTER TABLE ONLY public.message_archive ATTACH PARTITION public.message_archive_until_20270103 FOR VALUES FROM ('2027-01-03 00:00:00+00') TO ('2027-01-04 00:00:00+00');
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN id SET DEFAULT nextval('public.message_queue_id_seq'::regclass);
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN headers SET DEFAULT '{}'::jsonb;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN priority SET DEFAULT 0;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN status SET DEFAULT 'pending'::character varying;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN retry_count SET DEFAULT 0;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN next_retry_at SET DEFAULT statement_timestamp();
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN crash_count SET DEFAULT 0;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN charge SET DEFAULT 0;
ALTER TABLE ONLY public.message_queue_unlogged ALTER COLUMN created_at SET DEFAULT statement_timestamp();
INSERT INTO public.account_names VALUES (1, 1, 'ann', '2026-11-27 03:52:59.645987+00', NULL);
INSERT INTO public.account_names VALUES (2, 2, 'oscar', '2026-11-27 03:52:59.651098+00', NULL);
INSERT INTO public.audit_log VALUES (1, '2026-11-27 03:52:58.58649+00', 'sql:dlqconsole', 'create', 'role:1', NULL, '', '{"name": "viewer"}');
INSERT INTO public.audit_log VALUES (2, '2026-11-27 03:52:58.5881+00', 'sql:dlqconsole', 'create', 'role:2', NULL, '', '{"name": "operator"}');
INSERT INTO public.audit_log VALUES (3, '2026-11-27 03:52:58.588721+00', 'sql:dlqconsole', 'create', 'role:3', NULL, '', '{"name": "maintainer"}');
INSERT INTO public.audit_log VALUES (4, '2026-11-27 03:52:58.589372+00', 'sql:dlqconsole', 'create', 'role:4', NULL, '', '{"name": "admin"}');
INSERT INTO public.audit_log VALUES (5, '2026-11-27 03:52:58.602445+00', 'sql:dlqconsole', 'grant', 'role:1', NULL, '', '{"permissions": ["dlq_engine.view_deadletter", "dlq_engine.view_attempt", "dlq_engine.view_payloadversion", "dlq_engine.view_enrichedevent", "dlq_engine.view_pacedgroup", "dlq_engine.view_breaker", "dlq_engine.view_failurerule", "dlq_engine.view_ownerrule", "dlq_engine.view_groupmerge", "dlq_engine.view_failuregroup", "dlq_engine.view_message", "dlq_engine.view_queue", "dlq_engine.view_queueactivity", "dlq_engine.view_archivedmessage", "dlq_engine.view_handlerreport", "dlq_engine.view_auditentry", "dlq_engine.view_ingestedfile", "dlq_engine.view_deadlettercount", "dlq_engine.view_deadletterhour", "dlq_engine.view_revivaloutcome", "dlq_retries.view_retryrun", "dlq_retries.view_retryrunworker", "dlq_retries.view_ticker", "dlq_retries.view_retrypolicy", "dlq_retries.view_runrequest", "dlq_operations.view_operation", "dlq_operations.view_operationitem", "dlq_operations.view_operationmessage", "dlq_operations.view_operationgroup", "dlq_operations.view_operationpart", "dlq_operations.view_exportchunk", "dlq_reports.view_report", "dlq_reports.view_reportrow", "dlq_reports.view_reportday"]}');
INSERT INTO public.audit_log VALUES (6, '2026-11-27 03:52:58.606817+00', 'sql:dlqconsole', 'grant', 'role:2', NULL, '', '{"permissions": ["dlq_engine.view_deadletter", "dlq_engine.view_attempt", "dlq_engine.view_payloadversion", "dlq_engine.view_enrichedevent", "dlq_engine.view_pacedgroup", "dlq_engine.view_breaker", "dlq_engine.view_failurerule", "dlq_engine.view_ownerrule", "dlq_engine.view_groupmerge", "dlq_engine.view_failuregroup", "dlq_engine.view_message", "dlq_engine.view_queue", "dlq_engine.view_queueactivity", "dlq_engine.view_archivedmessage", "dlq_engine.view_handlerreport", "dlq_engine.view_auditentry", "dlq_engine.view_ingestedfile", "dlq_engine.view_deadlettercount", "dlq_engine.view_deadletterhour", "dlq_engine.view_revivaloutcome", "dlq_retries.view_retryrun", "dlq_retries.view_retryrunworker", "dlq_retries.view_ticker", "dlq_retries.view_retrypolicy", "dlq_retries.view_runrequest", "dlq_operations.add_operation", "dlq_operations.change_operation", "dlq_operations.view_operation", "dlq_operations.view_operationitem", "dlq_operations.view_operationmessage", "dlq_operations.view_operationgroup", "dlq_operations.view_operationpart", "dlq_operations.view_exportchunk", "dlq_reports.view_report", "dlq_reports.view_reportrow", "dlq_reports.view_reportday"]}');
INSERT INTO public.audit_log VALUES (7, '2026-11-27 03:52:58.610395+00', 'sql:dlqconsole', 'grant', 'role:3', NULL, '', '{"permissions": ["dlq_engine.view_deadletter", "dlq_engine.view_attempt", "dlq_engine.view_payloadversion", "dlq_engine.view_enrichedevent", "dlq_engine.view_pacedgroup", "dlq_engine.view_breaker", "dlq_engine.view_failurerule", "dlq_engine.view_ownerrule", "dlq_engine.view_groupmerge", "dlq_engine.view_failuregroup", "dlq_engine.view_message", "dlq_engine.view_queue", "dlq_engine.view_queueactivity", "dlq_engine.view_archivedmessage", "dlq_engine.view_handlerreport", "dlq_engine.view_auditentry", "dlq_engine.view_ingestedfile", "dlq_engine.view_deadlettercount", "dlq_engine.view_deadletterhour", "dlq_engine.view_revivaloutcome", "dlq_retries.view_retryrun", "dlq_retries.view_retryrunworker", "dlq_retries.view_ticker", "dlq_retries.view_retrypolicy", "dlq_retries.view_runrequest", "dlq_operations.add_operation", "dlq_operations.change_operation", "dlq_operations.view_operation", "dlq_operations.view_operationitem", "dlq_operations.view_operationmessage", "dlq_operations.view_operationgroup", "dlq_operations.view_operationpart", "dlq_operations.view_exportchunk", "dlq_reports.view_report", "dlq_reports.view_reportrow", "dlq_reports.view_reportday"]}');
INSERT INTO public.audit_log VALUES (8, '2026-11-27 03:52:58.614876+00', 'sql:dlqconsole', 'grant', 'role:4', NULL, '', '{"permissions": ["dlq_engine.view_deadletter", "dlq_engine.view_attempt", "dlq_engine.view_payloadversion", "dlq_engine.view_enrichedevent", "dlq_engine.view_pacedgroup", "dlq_engine.view_breaker", "dlq_engine.view_failurerule", "dlq_engine.view_ownerrule", "dlq_engine.view_groupmerge", "dlq_engine.view_failuregroup", "dlq_engine.view_message", "dlq_engine.view_queue", "dlq_engine.view_queueactivity", "dlq_engine.view_archivedmessage", "dlq_engine.view_handlerreport", "dlq_engine.view_auditentry", "dlq_engine.view_ingestedfile", "dlq_engine.view_deadlettercount", "dlq_engine.view_deadletterhour", "dlq_engine.view_revivaloutcome", "dlq_people.add_scope", "dlq_people.change_scope", "dlq_people.delete_scope", "dlq_people.view_scope", "dlq_retries.view_retryrun", "dlq_retries.view_retryrunworker", "dlq_retries.view_ticker", "dlq_retries.view_retrypolicy", "dlq_retries.view_runrequest", "dlq_operations.add_operation", "dlq_operations.change_operation", "dlq_operations.view_operation", "dlq_operations.view_operationitem", "dlq_operations.view_operationmessage", "dlq_operations.view_operationgroup", "dlq_operations.view_operationpart", "dlq_operations.view_exportchunk", "dlq_reports.view_report", "dlq_reports.view_reportrow", "dlq_reports.view_reportday", "auth.view_group", "auth.add_user", "auth.change_user", "auth.delete_user", "auth.view_user"]}');
INSERT INTO public.audit_log VALUES (9, '2026-11-27 03:52:59.643447+00', 'sql:dlqconsole', 'create', 'account:1', NULL, '', '{"name": "ann", "is_staff": true, "is_active": true, "is_superuser": true}');
INSERT INTO public.audit_log VALUES (10, '2026-11-27 03:52:59.650868+00', 'sql:dlqconsole', 'create', 'account:2', NULL, '', '{"name": "oscar", "is_staff": false, "is_active": true, "is_superuser": false}');
INSERT INTO public.audit_log VALUES (11, '2026-11-27 03:52:59.652486+00', 'sql:dlqconsole', 'join role', 'account:2', NULL, '', '{"name": "oscar", "role": "operator"}');
INSERT INTO public.audit_log VALUES (12, '2026-11-27 03:52:59.661942+00', 'user:2', 'create', 'queue:kept', NULL, 'new', '{"retention": "archive"}');
INSERT INTO public.audit_log VALUES (13, '2026-11-27 03:53:00.502844+00', 'sql:dlqconsole', 'revive', 'dead_letter:14', NULL, 'dead_letter_revive()', '{"message_id": 6, "revive_count": 1}');
INSERT INTO public.audit_log VALUES (14, '2026-11-27 03:53:00.502844+00', 'sql:dlqconsole', 'revive', 'dead_letter:15', NULL, 'dead_letter_revive()', '{"message_id": 7, "revive_count": 1}');
INSERT INTO public.audit_log VALUES (15, '2026-11-27 03:53:00.502844+00', 'sql:dlqconsole', 'revive', 'dead_letter:16', NULL, 'dead_letter_revive()', '{"message_id": 8, "revive_count": 1}');
INSERT INTO public.audit_log VALUES (16, '2026-11-27 03:53:00.533795+00', 'settings', 'set', 'setting:DLQ_FOUR_EYES_ABOVE', NULL, '', '{"changes": {"DLQ_FOUR_EYES_ABOVE": [1000, 1000000000]}, "process": "vm:30283:760525f4"}');
INSERT INTO public.audit_log VALUES (17, '2026-11-27 03:53:00.539084+00', 'user:2', 'request discard', 'operation:1', 1, 'a test', '{"rate": null, "scope": "rows", "filter": {}, "source": null, "expected": 0, "parameters": {}}');
INSERT INTO public.audit_log VALUES (18, '2026-11-27 03:53:00.734183+00', 'user:2', 'discard', 'operation:1', 1, 'a test', '{"done": 1, "last": 1, "first": 1, "failed": 0, "skipped": 0}');
INSERT INTO public.audit_log VALUES (19, '2026-11-27 03:53:00.739165+00', 'user:2', 'completed', 'operation:1', 1, 'a test', '{"done": 1, "failed": 0, "skipped": 0, "selected": 1, "remaining": 0}');
INSERT INTO public.audit_log VALUES (20, '2026-11-27 03:53:00.743984+00', 'user:2', 'request discard', 'operation:2', 2, 'a test', '{"rate": 1, "scope": "rows", "filter": {}, "source": null, "expected": 0, "parameters": {}}');
INSERT INTO public.audit_log VALUES (21, '2026-11-27 03:53:00.758563+00', 'user:2', 'discard', 'operation:2', 2, 'a test', '{"done": 1, "last": 2, "first": 2, "failed": 0, "skipped": 0}');
INSERT INTO public.audit_log VALUES (22, '2026-11-27 03:53:01.370646+00', 'user:2', 'pause', 'operation:2', 2, '', '{"remaining": 1}');
INSERT INTO public.audit_log VALUES (23, '2026-11-27 03:53:01.374484+00', 'user:2', 'request retry', 'operation:3', 3, 'a test', '{"rate": null, "scope": "rows", "filter": {}, "source": null, "expected": 0, "parameters": {"canary": null, "rehearsal": "", "full_speed": false}}');
INSERT INTO public.auth_group VALUES (1, 'viewer');
INSERT INTO public.auth_group VALUES (2, 'operator');
INSERT INTO public.auth_group VALUES (3, 'maintainer');
INSERT INTO public.auth_group VALUES (4, 'admin');
INSERT INTO public.auth_group_permissions VALUES (1, 1, 128);
INSERT INTO public.auth_group_permissions VALUES (2, 1, 4);
INSERT INTO public.auth_group_permissions VALUES (3, 1, 132);
INSERT INTO public.auth_group_permissions VALUES (4, 1, 8);
INSERT INTO public.auth_group_permissions VALUES (5, 1, 12);
INSERT INTO public.auth_group_permissions VALUES (6, 1, 140);
INSERT INTO public.auth_group_permissions VALUES (7, 1, 16);
INSERT INTO public.auth_group_permissions VALUES (8, 1, 144);
INSERT INTO public.auth_group_permissions VALUES (9, 1, 20);
INSERT INTO public.auth_group_permissions VALUES (10, 1, 148);
INSERT INTO public.auth_group_permissions VALUES (11, 1, 24);
INSERT INTO public.auth_group_permissions VALUES (12, 1, 152);
INSERT INTO public.auth_group_permissions VALUES (13, 1, 28);
INSERT INTO public.auth_group_permissions VALUES (14, 1, 156);
INSERT INTO public.auth_group_permissions VALUES (15, 1, 32);
INSERT INTO public.auth_group_permissions VALUES (16, 1, 160);
INSERT INTO public.auth_group_permissions VALUES (17, 1, 36);
INSERT INTO public.auth_group_permissions VALUES (18, 1, 40);
INSERT INTO public.auth_group_permissions VALUES (19, 1, 44);
INSERT INTO public.auth_group_permissions VALUES (20, 1, 48);
INSERT INTO public.auth_group_permissions VALUES (21, 1, 52);
INSERT INTO public.auth_group_permissions VALUES (22, 1, 56);
INSERT INTO public.auth_group_permissions VALUES (23, 1, 60);
INSERT INTO public.auth_group_permissions VALUES (24, 1, 64);
INSERT INTO public.auth_group_permissions VALUES (25, 1, 68);
INSERT INTO public.auth_group_permissions VALUES (26, 1, 72);
INSERT INTO public.auth_group_permissions VALUES (27, 1, 76);
INSERT INTO public.auth_group_permissions VALUES (28, 1, 80);
INSERT INTO public.auth_group_permissions VALUES (29, 1, 228);
INSERT INTO public.auth_group_permissions VALUES (30, 1, 232);
INSERT INTO public.auth_group_permissions VALUES (31, 1, 236);
INSERT INTO public.auth_group_permissions VALUES (32, 1, 116);
INSERT INTO public.auth_group_permissions VALUES (33, 1, 120);
INSERT INTO public.auth_group_permissions VALUES (34, 1, 124);
INSERT INTO public.auth_group_permissions VALUES (35, 2, 128);
INSERT INTO public.auth_group_permissions VALUES (36, 2, 4);
INSERT INTO public.auth_group_permissions VALUES (37, 2, 132);
INSERT INTO public.auth_group_permissions VALUES (38, 2, 8);
INSERT INTO public.auth_group_permissions VALUES (39, 2, 137);
INSERT INTO public.auth_group_permissions VALUES (40, 2, 138);
INSERT INTO public.auth_group_permissions VALUES (41, 2, 12);
INSERT INTO public.auth_group_permissions VALUES (42, 2, 140);
INSERT INTO public.auth_group_permissions VALUES (43, 2, 16);
INSERT INTO public.auth_group_permissions VALUES (44, 2, 144);
INSERT INTO public.auth_group_permissions VALUES (45, 2, 20);
INSERT INTO public.auth_group_permissions VALUES (46, 2, 148);
INSERT INTO public.auth_group_permissions VALUES (47, 2, 24);
INSERT INTO public.auth_group_permissions VALUES (48, 2, 152);
INSERT INTO public.auth_group_permissions VALUES (49, 2, 28);
INSERT INTO public.auth_group_permissions VALUES (50, 2, 156);
INSERT INTO public.auth_group_permissions VALUES (51, 2, 32);
INSERT INTO public.auth_group_permissions VALUES (52, 2, 160);
INSERT INTO public.auth_group_permissions VALUES (53, 2, 36);
INSERT INTO public.auth_group_permissions VALUES (54, 2, 40);
INSERT INTO public.auth_group_permissions VALUES (55, 2, 44);
INSERT INTO public.auth_group_permissions VALUES (56, 2, 48);
INSERT INTO public.auth_group_permissions VALUES (57, 2, 52);
INSERT INTO public.auth_group_permissions VALUES (58, 2, 56);
INSERT INTO public.auth_group_permissions VALUES (59, 2, 60);
INSERT INTO public.auth_group_permissions VALUES (60, 2, 64);
INSERT INTO public.auth_group_permissions VALUES (61, 2, 68);
INSERT INTO public.auth_group_permissions VALUES (62, 2, 72);
INSERT INTO public.auth_group_permissions VALUES (63, 2, 76);
INSERT INTO public.auth_group_permissions VALUES (64, 2, 80);
INSERT INTO public.auth_group_permissions VALUES (65, 2, 228);
INSERT INTO public.auth_group_permissions VALUES (66, 2, 232);
INSERT INTO public.auth_group_permissions VALUES (67, 2, 236);
INSERT INTO public.auth_group_permissions VALUES (68, 2, 116);
INSERT INTO public.auth_group_permissions VALUES (69, 2, 120);
INSERT INTO public.auth_group_permissions VALUES (70, 2, 124);
INSERT INTO public.auth_group_permissions VALUES (71, 3, 128);
INSERT INTO public.auth_group_permissions VALUES (72, 3, 4);
INSERT INTO public.auth_group_permissions VALUES (73, 3, 132);
INSERT INTO public.auth_group_permissions VALUES (74, 3, 8);
INSERT INTO public.auth_group_permissions VALUES (75, 3, 137);
INSERT INTO public.auth_group_permissions VALUES (76, 3, 138);
INSERT INTO public.auth_group_permissions VALUES (77, 3, 12);
INSERT INTO public.auth_group_permissions VALUES (78, 3, 140);
INSERT INTO public.auth_group_permissions VALUES (79, 3, 16);
INSERT INTO public.auth_group_permissions VALUES (80, 3, 144);
INSERT INTO public.auth_group_permissions VALUES (81, 3, 20);
INSERT INTO public.auth_group_permissions VALUES (82, 3, 148);
INSERT INTO public.auth_group_permissions VALUES (83, 3, 24);
INSERT INTO public.auth_group_permissions VALUES (84, 3, 152);
INSERT INTO public.auth_group_permissions VALUES (85, 3, 28);
INSERT INTO public.auth_group_permissions VALUES (86, 3, 156);
INSERT INTO public.auth_group_permissions VALUES (87, 3, 32);
INSERT INTO public.auth_group_permissions VALUES (88, 3, 160);
INSERT INTO public.auth_group_permissions VALUES (89, 3, 36);
INSERT INTO public.auth_group_permissions VALUES (90, 3, 40);
INSERT INTO public.auth_group_permissions VALUES (91, 3, 44);
INSERT INTO public.auth_group_permissions VALUES (92, 3, 48);
INSERT INTO public.auth_group_permissions VALUES (93, 3, 52);
INSERT INTO public.auth_group_permissions VALUES (94, 3, 56);
INSERT INTO public.auth_group_permissions VALUES (95, 3, 60);
INSERT INTO public.auth_group_permissions VALUES (96, 3, 64);
INSERT INTO public.auth_group_permissions VALUES (97, 3, 68);
INSERT INTO public.auth_group_permissions VALUES (98, 3, 72);
INSERT INTO public.auth_group_permissions VALUES (99, 3, 76);
INSERT INTO public.auth_group_permissions VALUES (100, 3, 80);
INSERT INTO public.auth_group_permissions VALUES (101, 3, 228);
INSERT INTO public.auth_group_permissions VALUES (102, 3, 232);
INSERT INTO public.auth_group_permissions VALUES (103, 3, 236);
INSERT INTO public.auth_group_permissions VALUES (104, 3, 116);
INSERT INTO public.auth_group_permissions VALUES (105, 3, 120);
INSERT INTO public.auth_group_permissions VALUES (106, 3, 124);
INSERT INTO public.auth_group_permissions VALUES (107, 4, 256);
INSERT INTO public.auth_group_permissions VALUES (108, 4, 257);
INSERT INTO public.auth_group_permissions VALUES (109, 4, 258);
INSERT INTO public.auth_group_permissions VALUES (110, 4, 259);
INSERT INTO public.auth_group_permissions VALUES (111, 4, 260);
INSERT INTO public.auth_group_permissions VALUES (112, 4, 4);
INSERT INTO public.auth_group_permissions VALUES (113, 4, 128);
INSERT INTO public.auth_group_permissions VALUES (114, 4, 132);
INSERT INTO public.auth_group_permissions VALUES (115, 4, 8);
INSERT INTO public.auth_group_permissions VALUES (116, 4, 137);
INSERT INTO public.auth_group_permissions VALUES (117, 4, 138);
INSERT INTO public.auth_group_permissions VALUES (118, 4, 12);
INSERT INTO public.auth_group_permissions VALUES (119, 4, 140);
INSERT INTO public.auth_group_permissions VALUES (120, 4, 16);
INSERT INTO public.auth_group_permissions VALUES (121, 4, 144);
INSERT INTO public.auth_group_permissions VALUES (122, 4, 20);
INSERT INTO public.auth_group_permissions VALUES (123, 4, 148);
INSERT INTO public.auth_group_permissions VALUES (124, 4, 24);
INSERT INTO public.auth_group_permissions VALUES (125, 4, 152);
INSERT INTO public.auth_group_permissions VALUES (126, 4, 28);
INSERT INTO public.auth_group_permissions VALUES (127, 4, 156);
INSERT INTO public.auth_group_permissions VALUES (128, 4, 32);
INSERT INTO public.auth_group_permissions VALUES (129, 4, 160);
INSERT INTO public.auth_group_permissions VALUES (130, 4, 36);
INSERT INTO public.auth_group_permissions VALUES (131, 4, 40);
INSERT INTO public.auth_group_permissions VALUES (132, 4, 44);
INSERT INTO public.auth_group_permissions VALUES (133, 4, 48);
INSERT INTO public.auth_group_permissions VALUES (134, 4, 52);
INSERT INTO public.auth_group_permissions VALUES (135, 4, 56);
INSERT INTO public.auth_group_permissions VALUES (136, 4, 60);
INSERT INTO public.auth_group_permissions VALUES (137, 4, 64);
INSERT INTO public.auth_group_permissions VALUES (138, 4, 68);
INSERT INTO public.auth_group_permissions VALUES (139, 4, 72);
INSERT INTO public.auth_group_permissions VALUES (140, 4, 76);
INSERT INTO public.auth_group_permissions VALUES (141, 4, 80);
INSERT INTO public.auth_group_permissions VALUES (142, 4, 93);
INSERT INTO public.auth_group_permissions VALUES (143, 4, 94);
INSERT INTO public.auth_group_permissions VALUES (144, 4, 95);
INSERT INTO public.auth_group_permissions VALUES (145, 4, 96);
INSERT INTO public.auth_group_permissions VALUES (146, 4, 228);
INSERT INTO public.auth_group_permissions VALUES (147, 4, 232);
INSERT INTO public.auth_group_permissions VALUES (148, 4, 236);
INSERT INTO public.auth_group_permissions VALUES (149, 4, 116);
INSERT INTO public.auth_group_permissions VALUES (150, 4, 120);
INSERT INTO public.auth_group_permissions VALUES (151, 4, 124);
INSERT INTO public.auth_permission VALUES (1, 'Can add dead letter', 5, 'add_deadletter');
INSERT INTO public.auth_permission VALUES (2, 'Can change dead letter', 5, 'change_deadletter');
INSERT INTO public.auth_permission VALUES (3, 'Can delete dead letter', 5, 'delete_deadletter');
INSERT INTO public.auth_permission VALUES (4, 'Can view dead letter', 5, 'view_deadletter');
INSERT INTO public.auth_permission VALUES (5, 'Can add attempt', 2, 'add_attempt');
INSERT INTO public.auth_permission VALUES (6, 'Can change attempt', 2, 'change_attempt');
INSERT INTO public.auth_permission VALUES (7, 'Can delete attempt', 2, 'delete_attempt');
INSERT INTO public.auth_permission VALUES (8, 'Can view attempt', 2, 'view_attempt');
INSERT INTO public.auth_permission VALUES (9, 'Can add payload version', 17, 'add_payloadversion');
INSERT INTO public.auth_permission VALUES (10, 'Can change payload version', 17, 'change_payloadversion');
INSERT INTO public.auth_permission VALUES (11, 'Can delete payload version', 17, 'delete_payloadversion');
INSERT INTO public.auth_permission VALUES (12, 'Can view payload version', 17, 'view_payloadversion');
INSERT INTO public.auth_permission VALUES (13, 'Can add enriched event', 8, 'add_enrichedevent');
INSERT INTO public.auth_permission VALUES (14, 'Can change enriched event', 8, 'change_enrichedevent');
INSERT INTO public.auth_permission VALUES (15, 'Can delete enriched event', 8, 'delete_enrichedevent');
INSERT INTO public.auth_permission VALUES (16, 'Can view enriched event', 8, 'view_enrichedevent');
INSERT INTO public.auth_permission VALUES (17, 'Can add paced group', 16, 'add_pacedgroup');
INSERT INTO public.auth_permission VALUES (18, 'Can change paced group', 16, 'change_pacedgroup');
INSERT INTO public.auth_permission VALUES (19, 'Can delete paced group', 16, 'delete_pacedgroup');
INSERT INTO public.auth_permission VALUES (20, 'Can view paced group', 16, 'view_pacedgroup');
INSERT INTO public.auth_permission VALUES (21, 'Can add breaker', 4, 'add_breaker');
INSERT INTO public.auth_permission VALUES (22, 'Can change breaker', 4, 'change_breaker');
INSERT INTO public.auth_permission VALUES (23, 'Can delete breaker', 4, 'delete_breaker');
INSERT INTO public.auth_permission VALUES (24, 'Can view breaker', 4, 'view_breaker');
INSERT INTO public.auth_permission VALUES (25, 'Can add failure rule', 10, 'add_failurerule');
INSERT INTO public.auth_permission VALUES (26, 'Can change failure rule', 10, 'change_failurerule');
INSERT INTO public.auth_permission VALUES (27, 'Can delete failure rule', 10, 'delete_failurerule');
INSERT INTO public.auth_permission VALUES (28, 'Can view failure rule', 10, 'view_failurerule');
INSERT INTO public.auth_permission VALUES (29, 'Can add owner rule', 15, 'add_ownerrule');
INSERT INTO public.auth_permission VALUES (30, 'Can change owner rule', 15, 'change_ownerrule');
INSERT INTO public.auth_permission VALUES (31, 'Can delete owner rule', 15, 'delete_ownerrule');
INSERT INTO public.auth_permission VALUES (32, 'Can view owner rule', 15, 'view_ownerrule');
INSERT INTO public.auth_permission VALUES (33, 'Can add group merge', 11, 'add_groupmerge');
INSERT INTO public.auth_permission VALUES (34, 'Can change group merge', 11, 'change_groupmerge');
INSERT INTO public.auth_permission VALUES (35, 'Can delete group merge', 11, 'delete_groupmerge');
INSERT INTO public.auth_permission VALUES (36, 'Can view group merge', 11, 'view_groupmerge');
INSERT INTO public.auth_permission VALUES (37, 'Can add failure group', 9, 'add_failuregroup');
INSERT INTO public.auth_permission VALUES (38, 'Can change failure group', 9, 'change_failuregroup');
INSERT INTO public.auth_permission VALUES (39, 'Can delete failure group', 9, 'delete_failuregroup');
INSERT INTO public.auth_permission VALUES (40, 'Can view failure group', 9, 'view_failuregroup');
INSERT INTO public.auth_permission VALUES (41, 'Can add message', 14, 'add_message');
INSERT INTO public.auth_permission VALUES (42, 'Can change message', 14, 'change_message');
INSERT INTO public.auth_permission VALUES (43, 'Can delete message', 14, 'delete_message');
INSERT INTO public.auth_permission VALUES (44, 'Can view message', 14, 'view_message');
INSERT INTO public.auth_permission VALUES (45, 'Can add queue', 18, 'add_queue');
INSERT INTO public.auth_permission VALUES (46, 'Can change queue', 18, 'change_queue');
INSERT INTO public.auth_permission VALUES (47, 'Can delete queue', 18, 'delete_queue');
INSERT INTO public.auth_permission VALUES (48, 'Can view queue', 18, 'view_queue');
INSERT INTO public.auth_permission VALUES (49, 'Can add queue activity', 19, 'add_queueactivity');
INSERT INTO public.auth_permission VALUES (50, 'Can change queue activity', 19, 'change_queueactivity');
INSERT INTO public.auth_permission VALUES (51, 'Can delete queue activity', 19, 'delete_queueactivity');
INSERT INTO public.auth_permission VALUES (52, 'Can view queue activity', 19, 'view_queueactivity');
INSERT INTO public.auth_permission VALUES (53, 'Can add archived message', 1, 'add_archivedmessage');
INSERT INTO public.auth_permission VALUES (54, 'Can change archived message', 1, 'change_archivedmessage');
INSERT INTO public.auth_permission VALUES (55, 'Can delete archived message', 1, 'delete_archivedmessage');
INSERT INTO public.auth_permission VALUES (56, 'Can view archived message', 1, 'view_archivedmessage');
INSERT INTO public.auth_permission VALUES (57, 'Can add handler report', 12, 'add_handlerreport');
INSERT INTO public.auth_permission VALUES (58, 'Can change handler report', 12, 'change_handlerreport');
INSERT INTO public.auth_permission VALUES (59, 'Can delete handler report', 12, 'delete_handlerreport');
INSERT INTO public.auth_permission VALUES (60, 'Can view handler report', 12, 'view_handlerreport');
INSERT INTO public.auth_permission VALUES (61, 'Can add audit entry', 3, 'add_auditentry');
INSERT INTO public.auth_permission VALUES (62, 'Can change audit entry', 3, 'change_auditentry');
INSERT INTO public.auth_permission VALUES (63, 'Can delete audit entry', 3, 'delete_auditentry');
INSERT INTO public.auth_permission VALUES (64, 'Can view audit entry', 3, 'view_auditentry');
INSERT INTO public.auth_permission VALUES (65, 'Can add ingested file', 13, 'add_ingestedfile');
INSERT INTO public.auth_permission VALUES (66, 'Can change ingested file', 13, 'change_ingestedfile');
INSERT INTO public.auth_permission VALUES (67, 'Can delete ingested file', 13, 'delete_ingestedfile');
INSERT INTO public.auth_permission VALUES (68, 'Can view ingested file', 13, 'view_ingestedfile');
INSERT INTO public.auth_permission VALUES (69, 'Can add dead letter count', 6, 'add_deadlettercount');
INSERT INTO public.auth_permission VALUES (70, 'Can change dead letter count', 6, 'change_deadlettercount');
INSERT INTO public.auth_permission VALUES (71, 'Can delete dead letter count', 6, 'delete_deadlettercount');
INSERT INTO public.auth_permission VALUES (72, 'Can view dead letter count', 6, 'view_deadlettercount');
INSERT INTO public.auth_permission VALUES (73, 'Can add dead letter hour', 7, 'add_deadletterhour');
INSERT INTO public.auth_permission VALUES (74, 'Can change dead letter hour', 7, 'change_deadletterhour');
INSERT INTO public.auth_permission VALUES (75, 'Can delete dead letter hour', 7, 'delete_deadletterhour');
INSERT INTO public.auth_permission VALUES (76, 'Can view dead letter hour', 7, 'view_deadletterhour');
INSERT INTO public.auth_permission VALUES (77, 'Can add revival outcome', 20, 'add_revivaloutcome');
INSERT INTO public.auth_permission VALUES (78, 'Can change revival outcome', 20, 'change_revivaloutcome');
INSERT INTO public.auth_permission VALUES (79, 'Can delete revival outcome', 20, 'delete_revivaloutcome');
INSERT INTO public.auth_permission VALUES (80, 'Can view revival outcome', 20, 'view_revivaloutcome');
INSERT INTO public.auth_permission VALUES (81, 'Can add role grant', 23, 'add_rolegrant');
INSERT INTO public.auth_permission VALUES (82, 'Can change role grant', 23, 'change_rolegrant');
INSERT INTO public.auth_permission VALUES (83, 'Can delete role grant', 23, 'delete_rolegrant');
INSERT INTO public.auth_permission VALUES (84, 'Can view role grant', 23, 'view_rolegrant');
INSERT INTO public.auth_permission VALUES (85, 'Can add account name', 21, 'add_accountname');
INSERT INTO public.auth_permission VALUES (86, 'Can change account name', 21, 'change_accountname');
INSERT INTO public.auth_permission VALUES (87, 'Can delete account name', 21, 'delete_accountname');
INSERT INTO public.auth_permission VALUES (88, 'Can view account name', 21, 'view_accountname');
INSERT INTO public.auth_permission VALUES (89, 'Can add personal token', 22, 'add_personaltoken');
INSERT INTO public.auth_permission VALUES (90, 'Can change personal token', 22, 'change_personaltoken');
INSERT INTO public.auth_permission VALUES (91, 'Can delete personal token', 22, 'delete_personaltoken');
INSERT INTO public.auth_permission VALUES (92, 'Can view personal token', 22, 'view_personaltoken');
INSERT INTO public.auth_permission VALUES (93, 'Can add scope', 24, 'add_scope');
INSERT INTO public.auth_permission VALUES (94, 'Can change scope', 24, 'change_scope');
INSERT INTO public.auth_permission VALUES (95, 'Can delete scope', 24, 'delete_scope');
INSERT INTO public.auth_permission VALUES (96, 'Can view scope', 24, 'view_scope');
INSERT INTO public.auth_permission VALUES (97, 'Can add attached queue', 25, 'add_attachedqueue');
INSERT INTO public.auth_permission VALUES (98, 'Can change attached queue', 25, 'change_attachedqueue');
INSERT INTO public.auth_permission VALUES (99, 'Can delete attached queue', 25, 'delete_attachedqueue');
INSERT INTO public.auth_permission VALUES (100, 'Can view attached queue', 25, 'view_attachedqueue');
INSERT INTO public.auth_permission VALUES (101, 'Can add forwarded message', 27, 'add_forwardedmessage');
INSERT INTO public.auth_permission VALUES (102, 'Can change forwarded message', 27, 'change_forwardedmessage');
INSERT INTO public.auth_permission VALUES (103, 'Can delete forwarded message', 27, 'delete_forwardedmessage');
INSERT INTO public.auth_permission VALUES (104, 'Can view forwarded message', 27, 'view_forwardedmessage');
INSERT INTO public.auth_permission VALUES (105, 'Can add dead letter look', 26, 'add_deadletterlook');
INSERT INTO public.auth_permission VALUES (106, 'Can change dead letter look', 26, 'change_deadletterlook');
INSERT INTO public.auth_permission VALUES (107, 'Can delete dead letter look', 26, 'delete_deadletterlook');
INSERT INTO public.auth_permission VALUES (108, 'Can view dead letter look', 26, 'view_deadletterlook');
INSERT INTO public.auth_permission VALUES (109, 'Can add source position', 28, 'add_sourceposition');
INSERT INTO public.auth_permission VALUES (110, 'Can change source position', 28, 'change_sourceposition');
INSERT INTO public.auth_permission VALUES (111, 'Can delete source position', 28, 'delete_sourceposition');
INSERT INTO public.auth_permission VALUES (112, 'Can view source position', 28, 'view_sourceposition');
INSERT INTO public.auth_permission VALUES (113, 'Can add retry run', 30, 'add_retryrun');
INSERT INTO public.auth_permission VALUES (114, 'Can change retry run', 30, 'change_retryrun');
INSERT INTO public.auth_permission VALUES (115, 'Can delete retry run', 30, 'delete_retryrun');
INSERT INTO public.auth_permission VALUES (116, 'Can view retry run', 30, 'view_retryrun');
INSERT INTO public.auth_permission VALUES (117, 'Can add retry run worker', 31, 'add_retryrunworker');
INSERT INTO public.auth_permission VALUES (118, 'Can change retry run worker', 31, 'change_retryrunworker');
INSERT INTO public.auth_permission VALUES (119, 'Can delete retry run worker', 31, 'delete_retryrunworker');
INSERT INTO public.auth_permission VALUES (120, 'Can view retry run worker', 31, 'view_retryrunworker');
INSERT INTO public.auth_permission VALUES (121, 'Can add ticker', 33, 'add_ticker');
INSERT INTO public.auth_permission VALUES (122, 'Can change ticker', 33, 'change_ticker');
INSERT INTO public.auth_permission VALUES (123, 'Can delete ticker', 33, 'delete_ticker');
INSERT INTO public.auth_permission VALUES (124, 'Can view ticker', 33, 'view_ticker');
INSERT INTO public.auth_permission VALUES (125, 'Can add retry policy', 29, 'add_retrypolicy');
INSERT INTO public.auth_permission VALUES (126, 'Can change retry policy', 29, 'change_retrypolicy');
INSERT INTO public.auth_permission VALUES (127, 'Can delete retry policy', 29, 'delete_retrypolicy');
INSERT INTO public.auth_permission VALUES (128, 'Can view retry policy', 29, 'view_retrypolicy');
INSERT INTO public.auth_permission VALUES (129, 'Can add run request', 32, 'add_runrequest');
INSERT INTO public.auth_permission VALUES (130, 'Can change run request', 32, 'change_runrequest');
INSERT INTO public.auth_permission VALUES (131, 'Can delete run request', 32, 'delete_runrequest');
INSERT INTO public.auth_permission VALUES (132, 'Can view run request', 32, 'view_runrequest');
INSERT INTO public.auth_permission VALUES (133, 'Can add pipeline run', 34, 'add_pipelinerun');
INSERT INTO public.auth_permission VALUES (134, 'Can change pipeline run', 34, 'change_pipelinerun');
INSERT INTO public.auth_permission VALUES (135, 'Can delete pipeline run', 34, 'delete_pipelinerun');
INSERT INTO public.auth_permission VALUES (136, 'Can view pipeline run', 34, 'view_pipelinerun');
INSERT INTO public.auth_permission VALUES (137, 'Can add operation', 36, 'add_operation');
INSERT INTO public.auth_permission VALUES (138, 'Can change operation', 36, 'change_operation');
INSERT INTO public.auth_permission VALUES (139, 'Can delete operation', 36, 'delete_operation');
INSERT INTO public.auth_permission VALUES (140, 'Can view operation', 36, 'view_operation');
INSERT INTO public.auth_permission VALUES (141, 'Can add operation item', 38, 'add_operationitem');
INSERT INTO public.auth_permission VALUES (142, 'Can change operation item', 38, 'change_operationitem');
INSERT INTO public.auth_permission VALUES (143, 'Can delete operation item', 38, 'delete_operationitem');
INSERT INTO public.auth_permission VALUES (144, 'Can view operation item', 38, 'view_operationitem');
INSERT INTO public.auth_permission VALUES (145, 'Can add operation message', 39, 'add_operationmessage');
INSERT INTO public.auth_permission VALUES (146, 'Can change operation message', 39, 'change_operationmessage');
INSERT INTO public.auth_permission VALUES (147, 'Can delete operation message', 39, 'delete_operationmessage');
INSERT INTO public.auth_permission VALUES (148, 'Can view operation message', 39, 'view_operationmessage');
INSERT INTO public.auth_permission VALUES (149, 'Can add operation group', 37, 'add_operationgroup');
INSERT INTO public.auth_permission VALUES (150, 'Can change operation group', 37, 'change_operationgroup');
INSERT INTO public.auth_permission VALUES (151, 'Can delete operation group', 37, 'delete_operationgroup');
INSERT INTO public.auth_permission VALUES (152, 'Can view operation group', 37, 'view_operationgroup');
INSERT INTO public.auth_permission VALUES (153, 'Can add operation part', 40, 'add_operationpart');
INSERT INTO public.auth_permission VALUES (154, 'Can change operation part', 40, 'change_operationpart');
INSERT INTO public.auth_permission VALUES (155, 'Can delete operation part', 40, 'delete_operationpart');
INSERT INTO public.auth_permission VALUES (156, 'Can view operation part', 40, 'view_operationpart');
INSERT INTO public.auth_permission VALUES (157, 'Can add export chunk', 35, 'add_exportchunk');
INSERT INTO public.auth_permission VALUES (158, 'Can change export chunk', 35, 'change_exportchunk');
INSERT INTO public.auth_permission VALUES (159, 'Can delete export chunk', 35, 'delete_exportchunk');
INSERT INTO public.auth_permission VALUES (160, 'Can view export chunk', 35, 'view_exportchunk');
INSERT INTO public.auth_permission VALUES (161, 'Can add playbook', 41, 'add_playbook');
INSERT INTO public.auth_permission VALUES (162, 'Can change playbook', 41, 'change_playbook');
INSERT INTO public.auth_permission VALUES (163, 'Can delete playbook', 41, 'delete_playbook');
INSERT INTO public.auth_permission VALUES (164, 'Can view playbook', 41, 'view_playbook');
INSERT INTO public.auth_permission VALUES (165, 'Can add playbook entry', 42, 'add_playbookentry');
INSERT INTO public.auth_permission VALUES (166, 'Can change playbook entry', 42, 'change_playbookentry');
INSERT INTO public.auth_permission VALUES (167, 'Can delete playbook entry', 42, 'delete_playbookentry');
INSERT INTO public.auth_permission VALUES (168, 'Can view playbook entry', 42, 'view_playbookentry');
INSERT INTO public.auth_permission VALUES (169, 'Can add success sample', 48, 'add_successsample');
INSERT INTO public.auth_permission VALUES (170, 'Can change success sample', 48, 'change_successsample');
INSERT INTO public.auth_permission VALUES (171, 'Can delete success sample', 48, 'delete_successsample');
INSERT INTO public.auth_permission VALUES (172, 'Can view success sample', 48, 'view_successsample');
INSERT INTO public.auth_permission VALUES (173, 'Can add sampled type', 46, 'add_sampledtype');
INSERT INTO public.auth_permission VALUES (174, 'Can change sampled type', 46, 'change_sampledtype');
INSERT INTO public.auth_permission VALUES (175, 'Can delete sampled type', 46, 'delete_sampledtype');
INSERT INTO public.auth_permission VALUES (176, 'Can view sampled type', 46, 'view_sampledtype');
INSERT INTO public.auth_permission VALUES (177, 'Can add common ground', 43, 'add_commonground');
INSERT INTO public.auth_permission VALUES (178, 'Can change common ground', 43, 'change_commonground');
INSERT INTO public.auth_permission VALUES (179, 'Can delete common ground', 43, 'delete_commonground');
INSERT INTO public.auth_permission VALUES (180, 'Can view common ground', 43, 'view_commonground');
INSERT INTO public.auth_permission VALUES (181, 'Can add payload shape', 45, 'add_payloadshape');
INSERT INTO public.auth_permission VALUES (182, 'Can change payload shape', 45, 'change_payloadshape');
INSERT INTO public.auth_permission VALUES (183, 'Can delete payload shape', 45, 'delete_payloadshape');
INSERT INTO public.auth_permission VALUES (184, 'Can view payload shape', 45, 'view_payloadshape');
INSERT INTO public.auth_permission VALUES (185, 'Can add payload change', 44, 'add_payloadchange');
INSERT INTO public.auth_permission VALUES (186, 'Can change payload change', 44, 'change_payloadchange');
INSERT INTO public.auth_permission VALUES (187, 'Can delete payload change', 44, 'delete_payloadchange');
INSERT INTO public.auth_permission VALUES (188, 'Can view payload change', 44, 'view_payloadchange');
INSERT INTO public.auth_permission VALUES (189, 'Can add shape progress', 47, 'add_shapeprogress');
INSERT INTO public.auth_permission VALUES (190, 'Can change shape progress', 47, 'change_shapeprogress');
INSERT INTO public.auth_permission VALUES (191, 'Can delete shape progress', 47, 'delete_shapeprogress');
INSERT INTO public.auth_permission VALUES (192, 'Can view shape progress', 47, 'view_shapeprogress');
INSERT INTO public.auth_permission VALUES (193, 'Can add prediction', 49, 'add_prediction');
INSERT INTO public.auth_permission VALUES (194, 'Can change prediction', 49, 'change_prediction');
INSERT INTO public.auth_permission VALUES (195, 'Can delete prediction', 49, 'delete_prediction');
INSERT INTO public.auth_permission VALUES (196, 'Can view prediction', 49, 'view_prediction');
INSERT INTO public.auth_permission VALUES (197, 'Can add audit seal', 50, 'add_auditseal');
INSERT INTO public.auth_permission VALUES (198, 'Can change audit seal', 50, 'change_auditseal');
INSERT INTO public.auth_permission VALUES (199, 'Can delete audit seal', 50, 'delete_auditseal');
INSERT INTO public.auth_permission VALUES (200, 'Can view audit seal', 50, 'view_auditseal');
INSERT INTO public.auth_permission VALUES (201, 'Can add archive file', 52, 'add_archivefile');
INSERT INTO public.auth_permission VALUES (202, 'Can change archive file', 52, 'change_archivefile');
INSERT INTO public.auth_permission VALUES (203, 'Can delete archive file', 52, 'delete_archivefile');
INSERT INTO public.auth_permission VALUES (204, 'Can view archive file', 52, 'view_archivefile');
INSERT INTO public.auth_permission VALUES (205, 'Can add archive count', 51, 'add_archivecount');
INSERT INTO public.auth_permission VALUES (206, 'Can change archive count', 51, 'change_archivecount');
INSERT INTO public.auth_permission VALUES (207, 'Can delete archive count', 51, 'delete_archivecount');
INSERT INTO public.auth_permission VALUES (208, 'Can view archive count', 51, 'view_archivecount');
INSERT INTO public.auth_permission VALUES (209, 'Can add archive identity', 53, 'add_archiveidentity');
INSERT INTO public.auth_permission VALUES (210, 'Can change archive identity', 53, 'change_archiveidentity');
INSERT INTO public.auth_permission VALUES (211, 'Can delete archive identity', 53, 'delete_archiveidentity');
INSERT INTO public.auth_permission VALUES (212, 'Can view archive identity', 53, 'view_archiveidentity');
INSERT INTO public.auth_permission VALUES (213, 'Can add restored letter', 54, 'add_restoredletter');
INSERT INTO public.auth_permission VALUES (214, 'Can change restored letter', 54, 'change_restoredletter');
INSERT INTO public.auth_permission VALUES (215, 'Can delete restored letter', 54, 'delete_restoredletter');
INSERT INTO public.auth_permission VALUES (216, 'Can view restored letter', 54, 'view_restoredletter');
INSERT INTO public.auth_permission VALUES (217, 'Can add effect', 55, 'add_effect');
INSERT INTO public.auth_permission VALUES (218, 'Can change effect', 55, 'change_effect');
INSERT INTO public.auth_permission VALUES (219, 'Can delete effect', 55, 'delete_effect');
INSERT INTO public.auth_permission VALUES (220, 'Can view effect', 55, 'view_effect');
INSERT INTO public.auth_permission VALUES (221, 'Can add report mail', 56, 'add_reportmail');
INSERT INTO public.auth_permission VALUES (222, 'Can change report mail', 56, 'change_reportmail');
INSERT INTO public.auth_permission VALUES (223, 'Can delete report mail', 56, 'delete_reportmail');
INSERT INTO public.auth_permission VALUES (224, 'Can view report mail', 56, 'view_reportmail');
INSERT INTO public.auth_permission VALUES (225, 'Can add report', 57, 'add_report');
INSERT INTO public.auth_permission VALUES (226, 'Can change report', 57, 'change_report');
INSERT INTO public.auth_permission VALUES (227, 'Can delete report', 57, 'delete_report');
INSERT INTO public.auth_permission VALUES (228, 'Can view report', 57, 'view_report');
INSERT INTO public.auth_permission VALUES (229, 'Can add report row', 59, 'add_reportrow');
INSERT INTO public.auth_permission VALUES (230, 'Can change report row', 59, 'change_reportrow');
INSERT INTO public.auth_permission VALUES (231, 'Can delete report row', 59, 'delete_reportrow');
INSERT INTO public.auth_permission VALUES (232, 'Can view report row', 59, 'view_reportrow');
INSERT INTO public.auth_permission VALUES (233, 'Can add report day', 58, 'add_reportday');
INSERT INTO public.auth_permission VALUES (234, 'Can change report day', 58, 'change_reportday');
INSERT INTO public.auth_permission VALUES (235, 'Can delete report day', 58, 'delete_reportday');
INSERT INTO public.auth_permission VALUES (236, 'Can view report day', 58, 'view_reportday');
INSERT INTO public.auth_permission VALUES (237, 'Can add sign in allowance', 61, 'add_signinallowance');
INSERT INTO public.auth_permission VALUES (238, 'Can change sign in allowance', 61, 'change_signinallowance');
INSERT INTO public.auth_permission VALUES (239, 'Can delete sign in allowance', 61, 'delete_signinallowance');
INSERT INTO public.auth_permission VALUES (240, 'Can view sign in allowance', 61, 'view_signinallowance');
INSERT INTO public.auth_permission VALUES (241, 'Can add saved view', 60, 'add_savedview');
INSERT INTO public.auth_permission VALUES (242, 'Can change saved view', 60, 'change_savedview');
INSERT INTO public.auth_permission VALUES (243, 'Can delete saved view', 60, 'delete_savedview');
INSERT INTO public.auth_permission VALUES (244, 'Can view saved view', 60, 'view_savedview');
INSERT INTO public.auth_permission VALUES (245, 'Can add log entry', 62, 'add_logentry');
INSERT INTO public.auth_permission VALUES (246, 'Can change log entry', 62, 'change_logentry');
INSERT INTO public.auth_permission VALUES (247, 'Can delete log entry', 62, 'delete_logentry');
INSERT INTO public.auth_permission VALUES (248, 'Can view log entry', 62, 'view_logentry');
INSERT INTO public.auth_permission VALUES (249, 'Can add permission', 64, 'add_permission');
INSERT INTO public.auth_permission VALUES (250, 'Can change permission', 64, 'change_permission');
INSERT INTO public.auth_permission VALUES (251, 'Can delete permission', 64, 'delete_permission');
INSERT INTO public.auth_permission VALUES (252, 'Can view permission', 64, 'view_permission');
INSERT INTO public.auth_permission VALUES (253, 'Can add group', 63, 'add_group');
INSERT INTO public.auth_permission VALUES (254, 'Can change group', 63, 'change_group');
INSERT INTO public.auth_permission VALUES (255, 'Can delete group', 63, 'delete_group');
INSERT INTO public.auth_permission VALUES (256, 'Can view group', 63, 'view_group');
INSERT INTO public.auth_permission VALUES (257, 'Can add user', 65, 'add_user');
INSERT INTO public.auth_permission VALUES (258, 'Can change user', 65, 'change_user');
INSERT INTO public.auth_permission VALUES (259, 'Can delete user', 65, 'delete_user');
INSERT INTO public.auth_permission VALUES (260, 'Can view user', 65, 'view_user');
INSERT INTO public.auth_permission VALUES (261, 'Can add content type', 66, 'add_contenttype');
INSERT INTO public.auth_permission VALUES (262, 'Can change content type', 66, 'change_contenttype');
INSERT INTO public.auth_permission VALUES (263, 'Can delete content type', 66, 'delete_contenttype');
INSERT INTO public.auth_permission VALUES (264, 'Can view content type', 66, 'view_contenttype');
INSERT INTO public.auth_permission VALUES (265, 'Can add session', 67, 'add_session');
INSERT INTO public.auth_permission VALUES (266, 'Can change session', 67, 'change_session');
INSERT INTO public.auth_permission VALUES (267, 'Can delete session', 67, 'delete_session');
INSERT INTO public.auth_permission VALUES (268, 'Can view session', 67, 'view_session');
INSERT INTO public.auth_user VALUES (1, 'argon2$argon2id$v=19$m=19456,t=2,p=1$R0ZKZ2lBZmUxRlFIZ3hGT3Q2ZUtGbQ$o6QAKsTNFPiqUjcQFIwqLcqg2y+4Z6uXPIb/vo64b9g', NULL, true, 'ann', '', '', '', true, true, '2026-11-27 03:52:59.603679+00');
INSERT INTO public.auth_user VALUES (2, '', NULL, false, 'oscar', '', '', '', false, true, '2026-11-27 03:52:59.650497+00');
INSERT INTO public.auth_user_groups VALUES (1, 2, 2);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 923155197393904890, 'order.created', 'BUSINESS', 'order.created', 'PENDING', 1, 1, '2026-11-27 03:53:00.37454+00', '2026-11-27 03:53:00.37454+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 342359037867226941, 'order.pending', 'TRANSIENT', 'order.pending', 'PENDING', 1, 1, '2026-11-27 03:53:00.477315+00', '2026-11-27 03:53:00.477315+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 342359037867226941, 'order.pending', 'TRANSIENT', 'order.pending', 'PENDING', 1, 1, '2026-11-27 03:53:00.478842+00', '2026-11-27 03:53:00.478842+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 342359037867226941, 'order.pending', 'TRANSIENT', 'order.pending', 'PENDING', 1, 1, '2026-11-27 03:53:00.479526+00', '2026-11-27 03:53:00.479526+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 353456803926154036, 'order.retrying', 'TRANSIENT', 'order.retrying', 'PENDING', 1, 1, '2026-11-27 03:53:00.483093+00', '2026-11-27 03:53:00.483093+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 353456803926154036, 'order.retrying', 'TRANSIENT', 'order.retrying', 'PENDING', 1, 1, '2026-11-27 03:53:00.483892+00', '2026-11-27 03:53:00.483892+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 353456803926154036, 'order.retrying', 'TRANSIENT', 'order.retrying', 'PENDING', 1, 1, '2026-11-27 03:53:00.484305+00', '2026-11-27 03:53:00.484305+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 353456803926154036, 'order.retrying', 'TRANSIENT', 'order.retrying', 'RETRYING', 3, 3, '2026-11-27 03:53:00.483093+00', '2026-11-27 03:53:00.484305+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 353456803926154036, 'order.retrying', 'TRANSIENT', 'order.retrying', 'PENDING', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'PENDING', 1, 1, '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.487539+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'PENDING', 1, 1, '2026-11-27 03:53:00.489342+00', '2026-11-27 03:53:00.489342+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'PENDING', 1, 1, '2026-11-27 03:53:00.489858+00', '2026-11-27 03:53:00.489858+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'EXHAUSTED', 3, 3, '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.489858+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'PENDING', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'EXHAUSTED', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 546759276559265675, 'order.succeeded', 'TRANSIENT', 'order.succeeded', 'SUCCEEDED', 3, 3, '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.489858+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 90809601770434244, 'order.exhausted', 'TRANSIENT', 'order.exhausted', 'PENDING', 1, 1, '2026-11-27 03:53:00.49759+00', '2026-11-27 03:53:00.49759+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 90809601770434244, 'order.exhausted', 'TRANSIENT', 'order.exhausted', 'PENDING', 1, 1, '2026-11-27 03:53:00.498458+00', '2026-11-27 03:53:00.498458+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 90809601770434244, 'order.exhausted', 'TRANSIENT', 'order.exhausted', 'PENDING', 1, 1, '2026-11-27 03:53:00.498878+00', '2026-11-27 03:53:00.498878+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 90809601770434244, 'order.exhausted', 'TRANSIENT', 'order.exhausted', 'EXHAUSTED', 3, 3, '2026-11-27 03:53:00.49759+00', '2026-11-27 03:53:00.498878+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 90809601770434244, 'order.exhausted', 'TRANSIENT', 'order.exhausted', 'PENDING', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', 1, 1, '2026-11-27 03:53:00.501436+00', '2026-11-27 03:53:00.501436+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', 1, 1, '2026-11-27 03:53:00.502128+00', '2026-11-27 03:53:00.502128+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', 1, 1, '2026-11-27 03:53:00.502482+00', '2026-11-27 03:53:00.502482+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', -1, -1, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'REVIVED', 1, 1, '2026-11-27 03:53:00.501436+00', '2026-11-27 03:53:00.501436+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', -1, -1, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'REVIVED', 1, 1, '2026-11-27 03:53:00.502128+00', '2026-11-27 03:53:00.502128+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'PENDING', -1, -1, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 240356727128415906, 'order.revived', 'TRANSIENT', 'order.revived', 'REVIVED', 1, 1, '2026-11-27 03:53:00.502482+00', '2026-11-27 03:53:00.502482+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 388601803677177835, 'order.discarded', 'TRANSIENT', 'order.discarded', 'PENDING', 1, 1, '2026-11-27 03:53:00.510063+00', '2026-11-27 03:53:00.510063+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 388601803677177835, 'order.discarded', 'TRANSIENT', 'order.discarded', 'PENDING', 1, 1, '2026-11-27 03:53:00.511135+00', '2026-11-27 03:53:00.511135+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 388601803677177835, 'order.discarded', 'TRANSIENT', 'order.discarded', 'PENDING', 1, 1, '2026-11-27 03:53:00.511588+00', '2026-11-27 03:53:00.511588+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 388601803677177835, 'order.discarded', 'TRANSIENT', 'order.discarded', 'PENDING', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 388601803677177835, 'order.discarded', 'TRANSIENT', 'order.discarded', 'DISCARDED', 3, 3, '2026-11-27 03:53:00.510063+00', '2026-11-27 03:53:00.511588+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'PENDING', 1, 1, '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.514355+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'PENDING', 1, 1, '2026-11-27 03:53:00.515008+00', '2026-11-27 03:53:00.515008+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'PENDING', 1, 1, '2026-11-27 03:53:00.515354+00', '2026-11-27 03:53:00.515354+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'PENDING', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'DISCARDED', 3, 3, '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.515354+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'QUARANTINED', 3, 3, '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.515354+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 389861731129950125, 'order.quarantined', 'TRANSIENT', 'order.quarantined', 'DISCARDED', -3, -3, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 923155197393904890, 'order.created', 'BUSINESS', 'order.created', 'PENDING', -1, -1, NULL, NULL);
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 923155197393904890, 'order.created', 'BUSINESS', 'order.created', 'DISCARDED', 1, 1, '2026-11-27 03:53:00.37454+00', '2026-11-27 03:53:00.37454+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 342359037867226941, 'order.pending', 'TRANSIENT', 'order.pending', 'DISCARDED', 1, 1, '2026-11-27 03:53:00.477315+00', '2026-11-27 03:53:00.477315+00');
INSERT INTO public.dead_letter_deltas VALUES ('2026-11-27 03:00:00+00', 342359037867226941, 'order.pending', 'TRANSIENT', 'order.pending', 'PENDING', -1, -1, NULL, NULL);
INSERT INTO public.django_content_type VALUES (1, 'dlq_engine', 'archivedmessage');
INSERT INTO public.django_content_type VALUES (2, 'dlq_engine', 'attempt');
INSERT INTO public.django_content_type VALUES (3, 'dlq_engine', 'auditentry');
INSERT INTO public.django_content_type VALUES (4, 'dlq_engine', 'breaker');
INSERT INTO public.django_content_type VALUES (5, 'dlq_engine', 'deadletter');
INSERT INTO public.django_content_type VALUES (6, 'dlq_engine', 'deadlettercount');
INSERT INTO public.django_content_type VALUES (7, 'dlq_engine', 'deadletterhour');
INSERT INTO public.django_content_type VALUES (8, 'dlq_engine', 'enrichedevent');
INSERT INTO public.django_content_type VALUES (9, 'dlq_engine', 'failuregroup');
INSERT INTO public.django_content_type VALUES (10, 'dlq_engine', 'failurerule');
INSERT INTO public.django_content_type VALUES (11, 'dlq_engine', 'groupmerge');
INSERT INTO public.django_content_type VALUES (12, 'dlq_engine', 'handlerreport');
INSERT INTO public.django_content_type VALUES (13, 'dlq_engine', 'ingestedfile');
INSERT INTO public.django_content_type VALUES (14, 'dlq_engine', 'message');
INSERT INTO public.django_content_type VALUES (15, 'dlq_engine', 'ownerrule');
INSERT INTO public.django_content_type VALUES (16, 'dlq_engine', 'pacedgroup');
INSERT INTO public.django_content_type VALUES (17, 'dlq_engine', 'payloadversion');
INSERT INTO public.django_content_type VALUES (18, 'dlq_engine', 'queue');
INSERT INTO public.django_content_type VALUES (19, 'dlq_engine', 'queueactivity');
INSERT INTO public.django_content_type VALUES (20, 'dlq_engine', 'revivaloutcome');
INSERT INTO public.django_content_type VALUES (21, 'dlq_people', 'accountname');
INSERT INTO public.django_content_type VALUES (22, 'dlq_people', 'personaltoken');
INSERT INTO public.django_content_type VALUES (23, 'dlq_people', 'rolegrant');
INSERT INTO public.django_content_type VALUES (24, 'dlq_people', 'scope');
INSERT INTO public.django_content_type VALUES (25, 'dlq_transports', 'attachedqueue');
INSERT INTO public.django_content_type VALUES (26, 'dlq_transports', 'deadletterlook');
INSERT INTO public.django_content_type VALUES (27, 'dlq_transports', 'forwardedmessage');
INSERT INTO public.django_content_type VALUES (28, 'dlq_transports', 'sourceposition');
INSERT INTO public.django_content_type VALUES (29, 'dlq_retries', 'retrypolicy');
INSERT INTO public.django_content_type VALUES (30, 'dlq_retries', 'retryrun');
INSERT INTO public.django_content_type VALUES (31, 'dlq_retries', 'retryrunworker');
INSERT INTO public.django_content_type VALUES (32, 'dlq_retries', 'runrequest');
INSERT INTO public.django_content_type VALUES (33, 'dlq_retries', 'ticker');
INSERT INTO public.django_content_type VALUES (34, 'dlq_runs', 'pipelinerun');
INSERT INTO public.django_content_type VALUES (35, 'dlq_operations', 'exportchunk');
INSERT INTO public.django_content_type VALUES (36, 'dlq_operations', 'operation');
INSERT INTO public.django_content_type VALUES (37, 'dlq_operations', 'operationgroup');
INSERT INTO public.django_content_type VALUES (38, 'dlq_operations', 'operationitem');
INSERT INTO public.django_content_type VALUES (39, 'dlq_operations', 'operationmessage');
INSERT INTO public.django_content_type VALUES (40, 'dlq_operations', 'operationpart');
INSERT INTO public.django_content_type VALUES (41, 'dlq_playbooks', 'playbook');
INSERT INTO public.django_content_type VALUES (42, 'dlq_playbooks', 'playbookentry');
INSERT INTO public.django_content_type VALUES (43, 'dlq_insight', 'commonground');
INSERT INTO public.django_content_type VALUES (44, 'dlq_insight', 'payloadchange');
INSERT INTO public.django_content_type VALUES (45, 'dlq_insight', 'payloadshape');
INSERT INTO public.django_content_type VALUES (46, 'dlq_insight', 'sampledtype');
INSERT INTO public.django_content_type VALUES (47, 'dlq_insight', 'shapeprogress');
INSERT INTO public.django_content_type VALUES (48, 'dlq_insight', 'successsample');
INSERT INTO public.django_content_type VALUES (49, 'dlq_rehearsals', 'prediction');
INSERT INTO public.django_content_type VALUES (50, 'dlq_sealing', 'auditseal');
INSERT INTO public.django_content_type VALUES (51, 'dlq_archive', 'archivecount');
INSERT INTO public.django_content_type VALUES (52, 'dlq_archive', 'archivefile');
INSERT INTO public.django_content_type VALUES (53, 'dlq_archive', 'archiveidentity');
INSERT INTO public.django_content_type VALUES (54, 'dlq_archive', 'restoredletter');
INSERT INTO public.django_content_type VALUES (55, 'dlq_effects', 'effect');
INSERT INTO public.django_content_type VALUES (56, 'dlq_mail', 'reportmail');
INSERT INTO public.django_content_type VALUES (57, 'dlq_reports', 'report');
INSERT INTO public.django_content_type VALUES (58, 'dlq_reports', 'reportday');
INSERT INTO public.django_content_type VALUES (59, 'dlq_reports', 'reportrow');
INSERT INTO public.django_content_type VALUES (60, 'dlq_console', 'savedview');
INSERT INTO public.django_content_type VALUES (61, 'dlq_console', 'signinallowance');
INSERT INTO public.django_content_type VALUES (62, 'admin', 'logentry');
INSERT INTO public.django_content_type VALUES (63, 'auth', 'group');
INSERT INTO public.django_content_type VALUES (64, 'auth', 'permission');
INSERT INTO public.django_content_type VALUES (65, 'auth', 'user');
INSERT INTO public.django_content_type VALUES (66, 'contenttypes', 'contenttype');
INSERT INTO public.django_content_type VALUES (67, 'sessions', 'session');
INSERT INTO public.django_migrations VALUES (1, 'contenttypes', '0001_initial', '2026-11-27 03:52:57.947324+00');
INSERT INTO public.django_migrations VALUES (2, 'auth', '0001_initial', '2026-11-27 03:52:57.983468+00');
INSERT INTO public.django_migrations VALUES (3, 'admin', '0001_initial', '2026-11-27 03:52:58.001973+00');
INSERT INTO public.django_migrations VALUES (4, 'admin', '0002_logentry_remove_auto_add', '2026-11-27 03:52:58.007486+00');
INSERT INTO public.django_migrations VALUES (5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-27 03:52:58.012639+00');
INSERT INTO public.django_migrations VALUES (6, 'contenttypes', '0002_remove_content_type_name', '2026-11-27 03:52:58.073404+00');
INSERT INTO public.django_migrations VALUES (7, 'auth', '0002_alter_permission_name_max_length', '2026-11-27 03:52:58.079786+00');
INSERT INTO public.django_migrations VALUES (8, 'auth', '0003_alter_user_email_max_length', '2026-11-27 03:52:58.084904+00');
INSERT INTO public.django_migrations VALUES (9, 'auth', '0004_alter_user_username_opts', '2026-11-27 03:52:58.093575+00');
INSERT INTO public.django_migrations VALUES (10, 'auth', '0005_alter_user_last_login_null', '2026-11-27 03:52:58.099199+00');
INSERT INTO public.django_migrations VALUES (11, 'auth', '0006_require_contenttypes_0002', '2026-11-27 03:52:58.099894+00');
INSERT INTO public.django_migrations VALUES (12, 'auth', '0007_alter_validators_add_error_messages', '2026-11-27 03:52:58.104443+00');
INSERT INTO public.django_migrations VALUES (13, 'auth', '0008_alter_user_username_max_length', '2026-11-27 03:52:58.112024+00');
INSERT INTO public.django_migrations VALUES (14, 'auth', '0009_alter_user_last_name_max_length', '2026-11-27 03:52:58.123699+00');
INSERT INTO public.django_migrations VALUES (15, 'auth', '0010_alter_group_name_max_length', '2026-11-27 03:52:58.131482+00');
INSERT INTO public.django_migrations VALUES (16, 'auth', '0011_update_proxy_permissions', '2026-11-27 03:52:58.160814+00');
INSERT INTO public.django_migrations VALUES (17, 'auth', '0012_alter_user_first_name_max_length', '2026-11-27 03:52:58.179292+00');
INSERT INTO public.django_migrations VALUES (18, 'dlq_tables', '0001_initial', '2026-11-27 03:52:58.438823+00');
INSERT INTO public.django_migrations VALUES (19, 'sessions', '0001_initial', '2026-11-27 03:52:58.455761+00');
INSERT INTO public.dlq_attempts VALUES (1, 1, 'order.created/5', 'queue', 'machine:30283:fd3f6be4', '2026-11-27 03:53:00.355474+00', '2026-11-27 03:53:00.388087+00', 'failed', 'BUSINESS', 'PlaneUnknown: tailnum N1 is not in the planes table', 'Traceback (most recent call last):
  File "/checkout/tests/sample_handlers.py", line 103, in created
    _obey(event.data)
  File "/checkout/tests/sample_handlers.py", line 37, in _obey
    raise PlaneUnknown(f"tailnum {data.get(''tailnum'', ''N1'')} is not in the planes table")
PlaneUnknown: tailnum N1 is not in the planes table
', '', 1);
INSERT INTO public.dlq_events VALUES (3, 'order.pending', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'PENDING', 0, NULL, '2026-11-27 03:53:00.478842+00', 'shop', 'PENDING-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.478842+00', '2026-11-27 03:53:00.478842+00', '2026-11-27 03:53:00.478842+00', 'UNKNOWN', 6, NULL, 342359037867226941, 2, 342359037867226941, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.478842+00', '2026-11-27 03:53:00.482235+00');
INSERT INTO public.dlq_events VALUES (4, 'order.pending', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'PENDING', 0, NULL, '2026-11-27 03:53:00.479526+00', 'shop', 'PENDING-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.479526+00', '2026-11-27 03:53:00.479526+00', '2026-11-27 03:53:00.479526+00', 'UNKNOWN', 6, NULL, 342359037867226941, 2, 342359037867226941, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.479526+00', '2026-11-27 03:53:00.482246+00');
INSERT INTO public.dlq_events VALUES (5, 'order.retrying', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'RETRYING', 0, NULL, '2026-11-27 03:53:00.483093+00', 'shop', 'RETRYING-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.483093+00', '2026-11-27 03:53:00.483093+00', '2026-11-27 03:53:00.483093+00', 'UNKNOWN', 6, NULL, 353456803926154036, 2, 353456803926154036, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, '6f1c2d3e-0000-4000-8000-000000000001', '2090-01-01 00:00:00+00', NULL, 0, 3, '2026-11-27 03:53:00.483093+00', '2026-11-27 03:53:00.487183+00');
INSERT INTO public.dlq_events VALUES (6, 'order.retrying', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'RETRYING', 0, NULL, '2026-11-27 03:53:00.483892+00', 'shop', 'RETRYING-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.483892+00', '2026-11-27 03:53:00.483892+00', '2026-11-27 03:53:00.483892+00', 'UNKNOWN', 6, NULL, 353456803926154036, 2, 353456803926154036, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, '6f1c2d3e-0000-4000-8000-000000000001', '2090-01-01 00:00:00+00', NULL, 0, 3, '2026-11-27 03:53:00.483892+00', '2026-11-27 03:53:00.48724+00');
INSERT INTO public.dlq_events VALUES (7, 'order.retrying', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'RETRYING', 0, NULL, '2026-11-27 03:53:00.484305+00', 'shop', 'RETRYING-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.484305+00', '2026-11-27 03:53:00.484305+00', '2026-11-27 03:53:00.484305+00', 'UNKNOWN', 6, NULL, 353456803926154036, 2, 353456803926154036, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, '6f1c2d3e-0000-4000-8000-000000000001', '2090-01-01 00:00:00+00', NULL, 0, 3, '2026-11-27 03:53:00.484305+00', '2026-11-27 03:53:00.48725+00');
INSERT INTO public.dlq_events VALUES (8, 'order.succeeded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'SUCCEEDED', 0, NULL, '2026-11-27 03:53:00.487539+00', 'shop', 'SUCCEEDED-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.487539+00', 'UNKNOWN', 6, NULL, 546759276559265675, 2, 546759276559265675, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.487539+00', '2026-11-27 03:53:00.494515+00');
INSERT INTO public.dlq_events VALUES (9, 'order.succeeded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'SUCCEEDED', 0, NULL, '2026-11-27 03:53:00.489342+00', 'shop', 'SUCCEEDED-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.489342+00', '2026-11-27 03:53:00.489342+00', '2026-11-27 03:53:00.489342+00', 'UNKNOWN', 6, NULL, 546759276559265675, 2, 546759276559265675, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.489342+00', '2026-11-27 03:53:00.494575+00');
INSERT INTO public.dlq_events VALUES (10, 'order.succeeded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'SUCCEEDED', 0, NULL, '2026-11-27 03:53:00.489858+00', 'shop', 'SUCCEEDED-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.489858+00', '2026-11-27 03:53:00.489858+00', '2026-11-27 03:53:00.489858+00', 'UNKNOWN', 6, NULL, 546759276559265675, 2, 546759276559265675, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.489858+00', '2026-11-27 03:53:00.494584+00');
INSERT INTO public.dlq_events VALUES (11, 'order.exhausted', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'EXHAUSTED', 0, NULL, '2026-11-27 03:53:00.49759+00', 'shop', 'EXHAUSTED-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.49759+00', '2026-11-27 03:53:00.49759+00', '2026-11-27 03:53:00.49759+00', 'UNKNOWN', 6, NULL, 90809601770434244, 2, 90809601770434244, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.49759+00', '2026-11-27 03:53:00.501082+00');
INSERT INTO public.dlq_events VALUES (12, 'order.exhausted', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'EXHAUSTED', 0, NULL, '2026-11-27 03:53:00.498458+00', 'shop', 'EXHAUSTED-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.498458+00', '2026-11-27 03:53:00.498458+00', '2026-11-27 03:53:00.498458+00', 'UNKNOWN', 6, NULL, 90809601770434244, 2, 90809601770434244, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.498458+00', '2026-11-27 03:53:00.501134+00');
INSERT INTO public.dlq_events VALUES (13, 'order.exhausted', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'EXHAUSTED', 0, NULL, '2026-11-27 03:53:00.498878+00', 'shop', 'EXHAUSTED-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.498878+00', '2026-11-27 03:53:00.498878+00', '2026-11-27 03:53:00.498878+00', 'UNKNOWN', 6, NULL, 90809601770434244, 2, 90809601770434244, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.498878+00', '2026-11-27 03:53:00.501143+00');
INSERT INTO public.dlq_events VALUES (14, 'order.revived', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'REVIVED', 0, NULL, '2026-11-27 03:53:00.501436+00', 'shop', 'REVIVED-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.501436+00', '2026-11-27 03:53:00.501436+00', '2026-11-27 03:53:00.501436+00', 'UNKNOWN', 6, NULL, 240356727128415906, 2, 240356727128415906, NULL, 0, 1, 0, '2026-11-27 03:53:00.503582+00', 'PENDING', NULL, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.501436+00', '2026-11-27 03:53:00.503703+00');
INSERT INTO public.dlq_events VALUES (15, 'order.revived', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'REVIVED', 0, NULL, '2026-11-27 03:53:00.502128+00', 'shop', 'REVIVED-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.502128+00', '2026-11-27 03:53:00.502128+00', '2026-11-27 03:53:00.502128+00', 'UNKNOWN', 6, NULL, 240356727128415906, 2, 240356727128415906, NULL, 0, 1, 0, '2026-11-27 03:53:00.504863+00', 'PENDING', NULL, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.502128+00', '2026-11-27 03:53:00.504901+00');
INSERT INTO public.dlq_events VALUES (16, 'order.revived', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'REVIVED', 0, NULL, '2026-11-27 03:53:00.502482+00', 'shop', 'REVIVED-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.502482+00', '2026-11-27 03:53:00.502482+00', '2026-11-27 03:53:00.502482+00', 'UNKNOWN', 6, NULL, 240356727128415906, 2, 240356727128415906, NULL, 0, 1, 0, '2026-11-27 03:53:00.50521+00', 'PENDING', NULL, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.502482+00', '2026-11-27 03:53:00.505239+00');
INSERT INTO public.dlq_events VALUES (1, 'order.created', '{"do": "business"}', NULL, '{}', 'PlaneUnknown: tailnum N1 is not in the planes table', 'Traceback (most recent call last):
  File "/checkout/tests/sample_handlers.py", line 103, in created
    _obey(event.data)
  File "/checkout/tests/sample_handlers.py", line 37, in _obey
    raise PlaneUnknown(f"tailnum {data.get(''tailnum'', ''N1'')} is not in the planes table")
PlaneUnknown: tailnum N1 is not in the planes table
', 'BUSINESS', 'PlaneUnknown', 'DISCARDED', 1, NULL, '2026-11-27 03:53:33.466542+00', 'queue:order.created', '5', 1, 'order.created', NULL, 5, NULL, NULL, '2026-11-27 03:53:00.355474+00', '2026-11-27 03:53:00.37454+00', '2026-11-27 03:53:00.37454+00', NULL, NULL, NULL, 923155197393904890, 2, 923155197393904890, NULL, 0, 0, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL, 0, 2, '2026-11-27 03:53:00.37454+00', '2026-11-27 03:53:00.736019+00');
INSERT INTO public.dlq_events VALUES (2, 'order.pending', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'DISCARDED', 0, NULL, '2026-11-27 03:53:00.477315+00', 'shop', 'PENDING-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.477315+00', '2026-11-27 03:53:00.477315+00', '2026-11-27 03:53:00.477315+00', 'UNKNOWN', 6, NULL, 342359037867226941, 2, 342359037867226941, NULL, 0, 0, 0, NULL, NULL, 2, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.477315+00', '2026-11-27 03:53:00.759741+00');
INSERT INTO public.dlq_events VALUES (17, 'order.discarded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'DISCARDED', 0, NULL, '2026-11-27 03:53:00.510063+00', 'shop', 'DISCARDED-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.510063+00', '2026-11-27 03:53:00.510063+00', '2026-11-27 03:53:00.510063+00', 'UNKNOWN', 6, NULL, 388601803677177835, 2, 388601803677177835, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.510063+00', '2026-11-27 03:53:00.514027+00');
INSERT INTO public.dlq_events VALUES (18, 'order.discarded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'DISCARDED', 0, NULL, '2026-11-27 03:53:00.511135+00', 'shop', 'DISCARDED-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.511135+00', '2026-11-27 03:53:00.511135+00', '2026-11-27 03:53:00.511135+00', 'UNKNOWN', 6, NULL, 388601803677177835, 2, 388601803677177835, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.511135+00', '2026-11-27 03:53:00.514081+00');
INSERT INTO public.dlq_events VALUES (19, 'order.discarded', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'DISCARDED', 0, NULL, '2026-11-27 03:53:00.511588+00', 'shop', 'DISCARDED-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.511588+00', '2026-11-27 03:53:00.511588+00', '2026-11-27 03:53:00.511588+00', 'UNKNOWN', 6, NULL, 388601803677177835, 2, 388601803677177835, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 3, '2026-11-27 03:53:00.511588+00', '2026-11-27 03:53:00.51409+00');
INSERT INTO public.dlq_events VALUES (20, 'order.quarantined', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'QUARANTINED', 0, NULL, '2026-11-27 03:53:00.514355+00', 'shop', 'QUARANTINED-0', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.514355+00', 'UNKNOWN', 6, NULL, 389861731129950125, 2, 389861731129950125, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.514355+00', '2026-11-27 03:53:00.524072+00');
INSERT INTO public.dlq_events VALUES (21, 'order.quarantined', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'QUARANTINED', 0, NULL, '2026-11-27 03:53:00.515008+00', 'shop', 'QUARANTINED-1', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.515008+00', '2026-11-27 03:53:00.515008+00', '2026-11-27 03:53:00.515008+00', 'UNKNOWN', 6, NULL, 389861731129950125, 2, 389861731129950125, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.515008+00', '2026-11-27 03:53:00.524132+00');
INSERT INTO public.dlq_events VALUES (22, 'order.quarantined', '{"id": 1}', NULL, '{}', 'TimeoutError: the shop did not answer', '', 'TRANSIENT', 'TimeoutError', 'QUARANTINED', 0, NULL, '2026-11-27 03:53:00.515354+00', 'shop', 'QUARANTINED-2', 1, NULL, NULL, NULL, NULL, NULL, '2026-11-27 03:53:00.515354+00', '2026-11-27 03:53:00.515354+00', '2026-11-27 03:53:00.515354+00', 'UNKNOWN', 6, NULL, 389861731129950125, 2, 389861731129950125, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4, '2026-11-27 03:53:00.515354+00', '2026-11-27 03:53:00.524142+00');
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 3, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 3, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 3, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 3, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 3, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 3, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 3, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 3, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.event_changes VALUES ('dead', '-infinity', 1, 0);
INSERT INTO public.event_changes VALUES ('failed', '2026-11-27 03:00:00+00', 1, 0);
INSERT INTO public.failure_groups VALUES (923155197393904890, 2, 'order.created', 'BUSINESS', 'PlaneUnknown', 'PlaneUnknown: tailnum <value> is not in the planes table', 'sample_handlers.py created
sample_handlers.py _obey', NULL, '2026-11-27 03:53:00.37454+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (342359037867226941, 2, 'order.pending', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.477315+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (353456803926154036, 2, 'order.retrying', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.483093+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (546759276559265675, 2, 'order.succeeded', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.487539+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (90809601770434244, 2, 'order.exhausted', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.49759+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (240356727128415906, 2, 'order.revived', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.501436+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (388601803677177835, 2, 'order.discarded', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.510063+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_groups VALUES (389861731129950125, 2, 'order.quarantined', 'TRANSIENT', 'TimeoutError', 'TimeoutError: the shop did not answer', '', NULL, '2026-11-27 03:53:00.514355+00', 'open', NULL, '', NULL, NULL, NULL, '', '', '', '', NULL, 1);
INSERT INTO public.failure_rules VALUES (1, 1, true, 'SQLSTATE of a deadlock, a conflict or a lock', '', '', '40*, 55*', '', '', 'TRANSIENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (2, 2, true, 'SQLSTATE of a database that is away or full', '', '', '08*, 53*, 57*', '', '', 'DEPENDENCY', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (3, 3, true, 'HTTP status that time mends', '', '', '', '408, 425, 429, 503, 504', '', 'TRANSIENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (4, 4, true, 'HTTP status of a server''s error', '', '', '', '5xx', '', 'DEPENDENCY', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (5, 5, true, 'HTTP status of a wrong request', '', '', '', '4xx', '', 'PERMANENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (6, 6, true, 'Timeout', '', '', '', '', '(?i)time(?:d[ -]?|-)?out|deadline exceeded', 'TRANSIENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (7, 7, true, 'Lock or conflict in a database', '', '', '', '', '(?i)deadlock|could not serialize|optimisticlock|cannotacquirelock|transientdataaccess', 'TRANSIENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (8, 8, true, 'Connection refused, host not found', '', '', '', '', '(?i)connection refused|connect(?:ion)?exception|(?:unknownhost|noroutetohost|communications)exception|econnrefused|econnreset|enotfound|socket hang up|connection(?:refused|reset|aborted)?error|(?:brokenpipe|operational|gai)error|name resolution', 'DEPENDENCY', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (9, 9, true, 'Data that cannot be read', '', '', '', '', '(?i)json(?:processing|parse|mapping|syntax|eof)|mismatchedinput|unrecognizedproperty|numberformatexception|datetimeparseexception|(?:de)?serializationexception', 'PERMANENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (10, 10, true, 'Invalid', '', '', '', '', '(?i)invalid', 'PERMANENT', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.failure_rules VALUES (11, 11, true, 'Any other error of JDBC', '', '', '', '', '^(?:[a-z]+[.])*(?:PSQLException|SQL[A-Za-z]*Exception):', 'DEPENDENCY', false, true, '', '2026-11-27 03:52:58.22437+00', '2026-11-27 03:52:58.22437+00', '', 1);
INSERT INTO public.handler_reports VALUES ('a consumer', 'sql', '{kept}', '{}', '{}', '{}', '2026-11-27 03:52:59.667142+00');
INSERT INTO public.handler_reports VALUES ('machine:30283:7ebacb43', 'worker', '{}', '{order.checked,order.created,order.keyed}', '{order.created}', '{}', '2026-11-27 03:53:00.724353+00');
INSERT INTO public.message_archive_until_20261227 VALUES (4, 'kept', '{"order": 7}', NULL, '{}', 0, 1, NULL, NULL, NULL, 'a consumer', '2026-11-27 03:52:59.670175+00', '2026-11-27 03:52:59.670618+00', '2026-11-27 03:52:59.673193+00', '2026-12-27 03:52:59.673193+00');
INSERT INTO public.message_queue VALUES (1, 'orders', '{"do": "wait"}', NULL, '{}', 0, 'pending', 0, NULL, '2026-11-27 03:52:59.663871+00', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, NULL, NULL, '2026-11-27 03:52:59.663871+00', NULL);
INSERT INTO public.message_queue VALUES (2, 'orders', '{"do": "wait"}', NULL, '{}', 0, 'scheduled', 0, NULL, '2058-08-05 05:39:39.665494+00', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, NULL, NULL, '2026-11-27 03:52:59.665475+00', NULL);
INSERT INTO public.message_queue VALUES (3, 'kept', '{"order": 7}', NULL, '{}', 0, 'processing', 1, NULL, '2026-11-27 03:52:59.666072+00', 'a consumer', '23e32a08-8f5b-4fcc-8ad1-d81b9dd71dbd', '2058-08-05 05:39:39.669448+00', '2026-11-27 03:52:59.669658+00', 0, 1, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, NULL, NULL, '2026-11-27 03:52:59.666072+00', NULL);
INSERT INTO public.message_queue VALUES (6, 'order.revived', '{"id": 1}', NULL, '{"ce_id": "REVIVED-0", "ce_type": "order.revived", "ce_source": "shop"}', 0, 'pending', 0, NULL, '2026-11-27 03:53:00.502844+00', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 14, 1, '2026-11-27 03:53:00.502844+00', NULL);
INSERT INTO public.message_queue VALUES (7, 'order.revived', '{"id": 1}', NULL, '{"ce_id": "REVIVED-1", "ce_type": "order.revived", "ce_source": "shop"}', 0, 'pending', 0, NULL, '2026-11-27 03:53:00.502844+00', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 15, 1, '2026-11-27 03:53:00.502844+00', NULL);
INSERT INTO public.message_queue VALUES (8, 'order.revived', '{"id": 1}', NULL, '{"ce_id": "REVIVED-2", "ce_type": "order.revived", "ce_source": "shop"}', 0, 'pending', 0, NULL, '2026-11-27 03:53:00.502844+00', NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, DEFAULT, DEFAULT, 16, 1, '2026-11-27 03:53:00.502844+00', NULL);
INSERT INTO public.operation_groups VALUES (923155197393904890, 1, 1, 1);
INSERT INTO public.operation_items VALUES (1, 'done', '', NULL, 923155197393904890, 'PENDING', 0, NULL, '{"status": "PENDING"}', 1);
INSERT INTO public.operation_items VALUES (3, 'remaining', '', NULL, 342359037867226941, 'PENDING', 0, NULL, 'null', 2);
INSERT INTO public.operation_items VALUES (2, 'done', '', NULL, 342359037867226941, 'PENDING', 0, NULL, '{"status": "PENDING"}', 2);
INSERT INTO public.operation_parts VALUES ('order.created', 'order.created', 1, 1);
INSERT INTO public.operation_parts VALUES ('order.pending', 'order.pending', 2, 2);
INSERT INTO public.operations VALUES (1, 'd209a002-be93-413e-b4aa-dd0a8159d433', 'discard', 'completed', 'user:2', true, 'a test', 'rows', '[1]', '{}', 'dead letter 1', NULL, '', '', NULL, NULL, '{}', NULL, NULL, 22, 0, true, 1, 1, 0, 0, 22, '2026-11-27 03:53:00.530728+00', '2026-11-27 03:53:00.72505+00', '2026-11-27 03:53:00.739765+00', NULL, NULL, NULL, 0, '', 'none', 1000000000, '', NULL, NULL, NULL, '[]', '{}', NULL, NULL, 0, NULL, '{}', 'kept', NULL, NULL, NULL, NULL);
INSERT INTO public.operations VALUES (2, '3ea773db-3bf3-42b5-b80b-83158cb31ed6', 'discard', 'paused', 'user:2', true, 'a test', 'rows', '[2, 3]', '{}', '2 ticked dead letters', NULL, '', '', NULL, NULL, '{}', NULL, '2026-11-27 03:53:01.765718+00', 22, 0, true, 2, 1, 0, 0, 22, '2026-11-27 03:53:00.74311+00', '2026-11-27 03:53:00.754475+00', NULL, NULL, NULL, '2026-11-27 03:53:01.367719+00', 0, '', 'none', 1000000000, '', NULL, NULL, NULL, '[]', '{}', NULL, NULL, 0, NULL, '{}', 'kept', NULL, NULL, NULL, NULL);
INSERT INTO public.operations VALUES (3, '1b6c0e39-238e-4e90-8bd1-57390b0ec9b1', 'retry', 'freezing', 'user:2', true, 'a test', 'rows', '[4]', '{}', 'dead letter 4', NULL, '', '', NULL, NULL, '{"canary": null, "rehearsal": "", "full_speed": false}', NULL, NULL, 22, 0, true, 0, 0, 0, 0, 0, '2026-11-27 03:53:01.373429+00', NULL, NULL, NULL, NULL, NULL, 0, '', 'none', 1000000000, '', NULL, NULL, NULL, '[]', '{}', NULL, NULL, 0, NULL, '{}', 'kept', NULL, NULL, NULL, NULL);
INSERT INTO public.queue_activity VALUES (1, 'kept', '2026-11-27 03:52:00+00', 1, 0, 0, 0, 'a consumer');
INSERT INTO public.queue_activity VALUES (2, 'order.created', '2026-11-27 03:53:00+00', 0, 0, 1, 0, '');
INSERT INTO public.queues VALUES ('kept', 3, 60, 5, 2, 3600, 1, 'archive', 30, 'throttled', true, 'continue', NULL, NULL, false, false, '2026-11-27 03:52:59.661059+00');
INSERT INTO public.role_grants VALUES (1, 1, 'superuser', '2026-11-27 03:52:59.647801+00', NULL);
INSERT INTO public.role_grants VALUES (2, 2, 'operator', '2026-11-27 03:52:59.65372+00', NULL);
INSERT INTO public.schema_parts VALUES ('core', 0, '0.1.0', '5745f825fddfce6e', '2026-11-27 03:52:58.389954+00');
INSERT INTO public.schema_parts VALUES ('people', 0, '0.1.0', '3cb529258260d39b', '2026-11-27 03:52:58.39962+00');
INSERT INTO public.schema_parts VALUES ('transports', 0, '0.1.0', '73cced3a0bd53138', '2026-11-27 03:52:58.401851+00');
INSERT INTO public.schema_parts VALUES ('retries', 0, '0.1.0', '11cccb1c7345d844', '2026-11-27 03:52:58.405896+00');
INSERT INTO public.schema_parts VALUES ('runs', 0, '0.1.0', '6c34854c600b7236', '2026-11-27 03:52:58.408046+00');
INSERT INTO public.schema_parts VALUES ('operations', 0, '0.1.0', '81ad2b777285bdb7', '2026-11-27 03:52:58.417476+00');
INSERT INTO public.schema_parts VALUES ('playbooks', 0, '0.1.0', '944e1fec53104df5', '2026-11-27 03:52:58.420733+00');
INSERT INTO public.schema_parts VALUES ('insight', 0, '0.1.0', 'adb129263bc970ec', '2026-11-27 03:52:58.425575+00');
INSERT INTO public.schema_parts VALUES ('rehearsals', 0, '0.1.0', '9e6155bbd26c64b4', '2026-11-27 03:52:58.426652+00');
INSERT INTO public.schema_parts VALUES ('sealing', 0, '0.1.0', '98acddde968f1722', '2026-11-27 03:52:58.427622+00');
INSERT INTO public.schema_parts VALUES ('archive', 0, '0.1.0', '7aa6eead5ea8bda1', '2026-11-27 03:52:58.431283+00');
INSERT INTO public.schema_parts VALUES ('effects', 0, '0.1.0', '0855361363f0157f', '2026-11-27 03:52:58.432673+00');
INSERT INTO public.schema_parts VALUES ('mail', 0, '0.1.0', '77cc6463d799e4e2', '2026-11-27 03:52:58.433498+00');
INSERT INTO public.schema_parts VALUES ('reports', 0, '0.1.0', 'ead5dcbd50d15376', '2026-11-27 03:52:58.436992+00');
INSERT INTO public.schema_parts VALUES ('console', 0, '0.1.0', 'b0c422a72fc3f4bf', '2026-11-27 03:52:58.438569+00');
SELECT pg_catalog.setval('public.account_names_id_seq', 2, true);
SELECT pg_catalog.setval('public.archive_counts_id_seq', 1, false);
SELECT pg_catalog.setval('public.archive_files_id_seq', 1, false);
SELECT pg_catalog.setval('public.audit_log_id_seq', 23, true);
SELECT pg_catalog.setval('public.auth_group_id_seq', 4, true);
SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 151, true);
SELECT pg_catalog.setval('public.auth_permission_id_seq', 268, true);
SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, true);
SELECT pg_catalog.setval('public.auth_user_id_seq', 2, true);
SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_content_type_id_seq', 67, true);
SELECT pg_catalog.setval('public.django_migrations_id_seq', 19, true);
SELECT pg_catalog.setval('public.dlq_attempts_id_seq', 1, true);
SELECT pg_catalog.setval('public.dlq_events_id_seq', 22, true);
SELECT pg_catalog.setval('public.enriched_events_id_seq', 1, false);
SELECT pg_catalog.setval('public.failure_rules_id_seq', 11, true);
SELECT pg_catalog.setval('public.forwarded_messages_id_seq', 1, false);
SELECT pg_catalog.setval('public.ingested_files_id_seq', 1, false);
SELECT pg_catalog.setval('public.message_queue_id_seq', 8, true);
SELECT pg_catalog.setval('public.operations_id_seq', 3, true);
SELECT pg_catalog.setval('public.owner_rules_id_seq', 1, false);
SELECT pg_catalog.setval('public.paces_id_seq', 1, false);
SELECT pg_catalog.setval('public.payload_changes_id_seq', 1, false);
SELECT pg_catalog.setval('public.payload_shapes_id_seq', 1, false);
SELECT pg_catalog.setval('public.payload_versions_id_seq', 1, false);
SELECT pg_catalog.setval('public.personal_tokens_id_seq', 1, false);
SELECT pg_catalog.setval('public.pipeline_runs_id_seq', 1, false);
SELECT pg_catalog.setval('public.playbook_entries_id_seq', 1, false);
SELECT pg_catalog.setval('public.playbooks_id_seq', 1, false);
SELECT pg_catalog.setval('public.queue_activity_id_seq', 2, true);
SELECT pg_catalog.setval('public.report_days_id_seq', 1, false);
SELECT pg_catalog.setval('public.report_rows_id_seq', 1, false);
SELECT pg_catalog.setval('public.retry_policies_id_seq', 1, false);
SELECT pg_catalog.setval('public.retry_run_requests_id_seq', 1, false);
SELECT pg_catalog.setval('public.retry_run_workers_id_seq', 1, false);
SELECT pg_catalog.setval('public.retry_runs_id_seq', 1, false);
SELECT pg_catalog.setval('public.retry_tickers_id_seq', 1, false);
SELECT pg_catalog.setval('public.revival_outcomes_id_seq', 1, false);
SELECT pg_catalog.setval('public.role_grants_id_seq', 2, true);
SELECT pg_catalog.setval('public.saved_views_id_seq', 1, false);
SELECT pg_catalog.setval('public.scopes_id_seq', 1, false);
SELECT pg_catalog.setval('public.success_samples_id_seq', 1, false);
ALTER TABLE ONLY public.account_names
    ADD CONSTRAINT account_names_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.archive_counts
    ADD CONSTRAINT archive_counts_once UNIQUE (file_id, queue, status);
ALTER TABLE ONLY public.archive_counts
    ADD CONSTRAINT archive_counts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.archive_files
    ADD CONSTRAINT archive_files_path UNIQUE (path);
ALTER TABLE ONLY public.archive_files
    ADD CONSTRAINT archive_files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.archive_identity
    ADD CONSTRAINT archive_identity_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.attached_queues
    ADD CONSTRAINT attached_queues_once UNIQUE (transport, remote_name);
ALTER TABLE ONLY public.attached_queues
    ADD CONSTRAINT attached_queues_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_seals
    ADD CONSTRAINT audit_seals_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);
ALTER TABLE ONLY public.breakers
    ADD CONSTRAINT breakers_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.common_grounds
    ADD CONSTRAINT common_grounds_pkey PRIMARY KEY (group_id);
ALTER TABLE ONLY public.dead_letter_counts
    ADD CONSTRAINT dead_letter_counts_pkey PRIMARY KEY (group_id, event_type, error_category, queue, status);
ALTER TABLE ONLY public.dead_letter_hours
    ADD CONSTRAINT dead_letter_hours_pkey PRIMARY KEY (group_id, hour, status);
ALTER TABLE ONLY public.dead_letter_looks
    ADD CONSTRAINT dead_letter_looks_pkey PRIMARY KEY (transport);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.dlq_attempts
    ADD CONSTRAINT dlq_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlq_events
    ADD CONSTRAINT dlq_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlq_events
    ADD CONSTRAINT dlq_events_source UNIQUE (source, source_key);
ALTER TABLE ONLY public.enriched_events
    ADD CONSTRAINT enriched_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.enriched_events
    ADD CONSTRAINT enriched_events_source UNIQUE (source, source_key);
ALTER TABLE ONLY public.event_effects
    ADD CONSTRAINT event_effects_pkey PRIMARY KEY (name, key);
ALTER TABLE ONLY public.event_hours
    ADD CONSTRAINT event_hours_pkey PRIMARY KEY (part, hour);
ALTER TABLE ONLY public.export_chunks
    ADD CONSTRAINT export_chunks_pkey PRIMARY KEY (operation_id, number);
ALTER TABLE ONLY public.failure_groups
    ADD CONSTRAINT failure_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.failure_reports
    ADD CONSTRAINT failure_reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.failure_rules
    ADD CONSTRAINT failure_rules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.forwarded_messages
    ADD CONSTRAINT forwarded_messages_once UNIQUE (dlq_event_id, revive_seq);
ALTER TABLE ONLY public.forwarded_messages
    ADD CONSTRAINT forwarded_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.group_merges
    ADD CONSTRAINT group_merges_pkey PRIMARY KEY (fingerprint_id);
ALTER TABLE ONLY public.handler_limits
    ADD CONSTRAINT handler_limits_pkey PRIMARY KEY (event_type);
ALTER TABLE ONLY public.handler_reports
    ADD CONSTRAINT handler_reports_pkey PRIMARY KEY (worker);
ALTER TABLE ONLY public.ingested_files
    ADD CONSTRAINT ingested_files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lock_tokens
    ADD CONSTRAINT lock_tokens_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.message_queue
    ADD CONSTRAINT message_queue_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.message_queue_unlogged
    ADD CONSTRAINT message_queue_unlogged_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operation_groups
    ADD CONSTRAINT operation_groups_pkey PRIMARY KEY (operation_id, group_id);
ALTER TABLE ONLY public.operation_items
    ADD CONSTRAINT operation_items_pkey PRIMARY KEY (operation_id, dead_letter_id);
ALTER TABLE ONLY public.operation_messages
    ADD CONSTRAINT operation_messages_pkey PRIMARY KEY (operation_id, message_id);
ALTER TABLE ONLY public.operation_parts
    ADD CONSTRAINT operation_parts_pkey PRIMARY KEY (operation_id, queue, event_type);
ALTER TABLE ONLY public.operations
    ADD CONSTRAINT operations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operations
    ADD CONSTRAINT operations_request_key_key UNIQUE (request_key);
ALTER TABLE ONLY public.owner_rules
    ADD CONSTRAINT owner_rules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.paces
    ADD CONSTRAINT paces_group UNIQUE (operation_id, event_type, group_id);
ALTER TABLE ONLY public.paces
    ADD CONSTRAINT paces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.page_visits
    ADD CONSTRAINT page_visits_pkey PRIMARY KEY (page, actor);
ALTER TABLE ONLY public.payload_changes
    ADD CONSTRAINT payload_changes_once UNIQUE (event_type, path, hour, kind);
ALTER TABLE ONLY public.payload_changes
    ADD CONSTRAINT payload_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payload_shapes
    ADD CONSTRAINT payload_shapes_once UNIQUE (event_type, hour, path);
ALTER TABLE ONLY public.payload_shapes
    ADD CONSTRAINT payload_shapes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payload_versions
    ADD CONSTRAINT payload_versions_once UNIQUE (dlq_event_id, number);
ALTER TABLE ONLY public.payload_versions
    ADD CONSTRAINT payload_versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.periodic_ticks
    ADD CONSTRAINT periodic_ticks_pkey PRIMARY KEY (event_type);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_sha256_key UNIQUE (sha256);
ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.playbook_entries
    ADD CONSTRAINT playbook_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.playbooks
    ADD CONSTRAINT playbooks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.producer_queues
    ADD CONSTRAINT producer_queues_pkey PRIMARY KEY (role_name, queue);
ALTER TABLE ONLY public.queue_activity
    ADD CONSTRAINT queue_activity_minute UNIQUE (queue, minute, consumer);
ALTER TABLE ONLY public.queue_activity
    ADD CONSTRAINT queue_activity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.queue_sleepers
    ADD CONSTRAINT queue_sleepers_pkey PRIMARY KEY (queue, consumer);
ALTER TABLE ONLY public.queue_tokens
    ADD CONSTRAINT queue_tokens_pkey PRIMARY KEY (queue);
ALTER TABLE ONLY public.queue_topics
    ADD CONSTRAINT queue_topics_pkey PRIMARY KEY (pattern, queue);
ALTER TABLE ONLY public.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.rehearsal_predictions
    ADD CONSTRAINT rehearsal_predictions_pkey PRIMARY KEY (operation_id, dead_letter_id);
ALTER TABLE ONLY public.report_days
    ADD CONSTRAINT report_days_one UNIQUE (report_id, day);
ALTER TABLE ONLY public.report_days
    ADD CONSTRAINT report_days_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.report_mails
    ADD CONSTRAINT report_mails_pkey PRIMARY KEY (recipient);
ALTER TABLE ONLY public.report_rows
    ADD CONSTRAINT report_rows_one UNIQUE (report_id, day, key);
ALTER TABLE ONLY public.report_rows
    ADD CONSTRAINT report_rows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.restored_dead_letters
    ADD CONSTRAINT restored_dead_letters_pkey PRIMARY KEY (dead_letter_id);
ALTER TABLE ONLY public.retry_policies
    ADD CONSTRAINT retry_policies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.retry_policies
    ADD CONSTRAINT retry_policies_whose UNIQUE NULLS NOT DISTINCT (event_type, group_id);
ALTER TABLE ONLY public.retry_run_requests
    ADD CONSTRAINT retry_run_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.retry_run_workers
    ADD CONSTRAINT retry_run_workers_one UNIQUE (run_id, worker);
ALTER TABLE ONLY public.retry_run_workers
    ADD CONSTRAINT retry_run_workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.retry_runs
    ADD CONSTRAINT retry_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.retry_settings
    ADD CONSTRAINT retry_settings_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.retry_tickers
    ADD CONSTRAINT retry_tickers_name UNIQUE (name);
ALTER TABLE ONLY public.retry_tickers
    ADD CONSTRAINT retry_tickers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.revival_outcomes
    ADD CONSTRAINT revival_outcomes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sample_policies
    ADD CONSTRAINT sample_policies_pkey PRIMARY KEY (event_type);
ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_name UNIQUE (user_id, name);
ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_parts
    ADD CONSTRAINT schema_parts_pkey PRIMARY KEY (part);
ALTER TABLE ONLY public.scopes
    ADD CONSTRAINT scopes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.shape_progress
    ADD CONSTRAINT shape_progress_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.shedlock
    ADD CONSTRAINT shedlock_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sign_in_allowances
    ADD CONSTRAINT sign_in_allowances_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.source_positions
    ADD CONSTRAINT source_positions_pkey PRIMARY KEY (log, part);
ALTER TABLE ONLY public.success_samples
    ADD CONSTRAINT success_samples_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.success_samples
    ADD CONSTRAINT success_samples_source UNIQUE (source, source_key);
CREATE UNIQUE INDEX account_names_now ON public.account_names USING btree (user_id) WHERE (until IS NULL);
COMMENT ON INDEX public.account_names_now IS 'the name that an account has now; one row an account';
COMMENT ON INDEX public.account_names_pkey IS 'the history of names, oldest first';
COMMENT ON INDEX public.archive_counts_once IS 'the counts of one file; no queue and status twice';
COMMENT ON INDEX public.archive_counts_pkey IS 'a count by number; nothing of ours asks for it';
CREATE INDEX archive_files_ids ON public.archive_files USING gist (ids) WHERE ((state)::text = 'kept'::text);
COMMENT ON INDEX public.archive_files_ids IS 'which files may hold a dead letter of some number';
COMMENT ON INDEX public.archive_files_path IS 'no path twice';
COMMENT ON INDEX public.archive_files_pkey IS 'a file by number';
CREATE INDEX archive_files_state_archived ON public.archive_files USING btree (state, archived_at);
COMMENT ON INDEX public.archive_files_state_archived IS 'files that are begun, leaving, or were kept long enough';
COMMENT ON INDEX public.archive_identity_pkey IS 'the one row';
COMMENT ON INDEX public.attached_queues_once IS 'no queue is attached twice';
COMMENT ON INDEX public.attached_queues_pkey IS 'an attached queue by its name here';
CREATE INDEX audit_log_operation ON public.audit_log USING btree (operation_id) WHERE (operation_id IS NOT NULL);
COMMENT ON INDEX public.audit_log_operation IS 'what one operation did';
COMMENT ON INDEX public.audit_log_pkey IS 'the audit log, newest first';
CREATE INDEX audit_log_target ON public.audit_log USING btree (target, id DESC);
COMMENT ON INDEX public.audit_log_target IS 'the history of one dead letter, group, queue or operation, newest first';
COMMENT ON INDEX public.audit_seals_pkey IS 'the newest seal; verification walks from seal to seal';
CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);
CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);
CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);
CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);
CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);
CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);
COMMENT ON INDEX public.breakers_pkey IS 'whoever reports what came of a run, or wants to try: a breaker by name';
COMMENT ON INDEX public.common_grounds_pkey IS 'what a group has in common, as it was computed last';
COMMENT ON INDEX public.dead_letter_counts_pkey IS 'the fold adds to a count; the counts of one group';
CREATE INDEX dead_letter_hours_hour ON public.dead_letter_hours USING btree (hour);
COMMENT ON INDEX public.dead_letter_hours_hour IS 'the trend of all groups since a moment';
COMMENT ON INDEX public.dead_letter_hours_pkey IS 'the fold adds to an hour; the trend of one group';
COMMENT ON INDEX public.dead_letter_looks_pkey IS 'the last look at a system';
CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);
CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);
CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);
CREATE INDEX dlq_attempts_of_event ON public.dlq_attempts USING btree (dlq_event_id, id);
COMMENT ON INDEX public.dlq_attempts_of_event IS 'a dead letter''s attempts, in order';
CREATE INDEX dlq_attempts_of_message ON public.dlq_attempts USING btree (message) WHERE (dlq_event_id IS NULL);
COMMENT ON INDEX public.dlq_attempts_of_message IS 'the attempts on a message, when it becomes a dead letter';
COMMENT ON INDEX public.dlq_attempts_pkey IS 'an attempt by number: the list in the admin';
CREATE INDEX dlq_attempts_unclaimed ON public.dlq_attempts USING btree (finished_at, id) WHERE (dlq_event_id IS NULL);
COMMENT ON INDEX public.dlq_attempts_unclaimed IS 'what is old and belongs to no dead letter: the oldest first, to be let go of';
CREATE INDEX dlq_events_ahead ON public.dlq_events USING btree (queue, group_key, original_message_id) WHERE ((group_key IS NOT NULL) AND ((status)::text = ANY ((ARRAY['PENDING'::character varying, 'RETRYING'::character varying, 'EXHAUSTED'::character varying, 'QUARANTINED'::character varying])::text[])));
COMMENT ON INDEX public.dlq_events_ahead IS 'send, call the next of a group: the dead letter that keeps it waiting; what waits for a dead letter';
CREATE INDEX dlq_events_came_back ON public.dlq_events USING btree (status, come_backs) INCLUDE (event_type, error_category, group_id, queue) WHERE (come_backs > 0);
COMMENT ON INDEX public.dlq_events_came_back IS 'what keeps coming back, for a person: its number by status, and by what else is kept counted';
CREATE INDEX dlq_events_due ON public.dlq_events USING btree (event_type, error_category, retry_after, id) INCLUDE (retry_count, max_retries, come_backs, group_id, queue) WHERE ((status)::text = 'PENDING'::text);
COMMENT ON INDEX public.dlq_events_due IS 'the schedule: what waits of a type and a category, in the order it is due; how much of it is';
CREATE INDEX dlq_events_group ON public.dlq_events USING btree (group_id, status, created_at DESC);
COMMENT ON INDEX public.dlq_events_group IS 'a failure group''s page, its newest, and its members by status';
CREATE INDEX dlq_events_ids ON public.dlq_events USING gin (public.dead_letter_ids((source_key)::text, original_message_id, headers));
COMMENT ON INDEX public.dlq_events_ids IS 'the search box: source key, message, correlation and trace ids';
CREATE INDEX dlq_events_in_flight ON public.dlq_events USING btree (id) WHERE ((status)::text = 'RETRYING'::text);
COMMENT ON INDEX public.dlq_events_in_flight IS 'the schedule: leases that may have run out';
CREATE INDEX dlq_events_last_failure ON public.dlq_events USING btree (last_failure_at, id);
COMMENT ON INDEX public.dlq_events_last_failure IS 'the list by the last failure';
CREATE INDEX dlq_events_newest ON public.dlq_events USING btree (created_at, id);
COMMENT ON INDEX public.dlq_events_newest IS 'the list, newest first; a time range';
CREATE INDEX dlq_events_next_try ON public.dlq_events USING btree (retry_after, id) WHERE ((status)::text = 'PENDING'::text);
COMMENT ON INDEX public.dlq_events_next_try IS 'the list of what is pending, by its next try';
CREATE INDEX dlq_events_occurred ON public.dlq_events USING btree (occurred_at) WHERE (occurred_at IS NOT NULL);
COMMENT ON INDEX public.dlq_events_occurred IS 'a report''s days, by when the event says that it happened';
COMMENT ON INDEX public.dlq_events_pkey IS 'a dead letter by number; pages of operations, in the order of the numbers';
CREATE INDEX dlq_events_reason ON public.dlq_events USING gin ("left"(error_reason, 8000) public.gin_trgm_ops) WITH (gin_pending_list_limit='65536');
COMMENT ON INDEX public.dlq_events_reason IS 'words and values in reasons, for who operates; a word that is nowhere is told so at once';
CREATE INDEX dlq_events_same_id ON public.dlq_events USING btree (same_id_as) WHERE (same_id_as IS NOT NULL);
COMMENT ON INDEX public.dlq_events_same_id IS 'a dead letter''s page: others under its source and id';
COMMENT ON INDEX public.dlq_events_source IS 'a failure that comes again finds its row: a redelivered failure is one row; an ingest repeated changes nothing';
CREATE INDEX dlq_events_status_newest ON public.dlq_events USING btree (status, created_at, id);
COMMENT ON INDEX public.dlq_events_status_newest IS 'the list within a status; retention: what is closed, by age';
CREATE INDEX dlq_events_tries ON public.dlq_events USING btree (retry_count, id);
COMMENT ON INDEX public.dlq_events_tries IS 'the list by the number of tries';
CREATE INDEX dlq_events_type_newest ON public.dlq_events USING btree (event_type, created_at, id);
COMMENT ON INDEX public.dlq_events_type_newest IS 'the list within an event type';
CREATE INDEX enriched_events_kept ON public.enriched_events USING brin (created_at) WITH (autosummarize='on');
COMMENT ON INDEX public.enriched_events_kept IS 'the failure report: how many events came on a day, failed or not';
CREATE INDEX enriched_events_occurred ON public.enriched_events USING btree (occurred_at) WHERE (occurred_at IS NOT NULL);
COMMENT ON INDEX public.enriched_events_occurred IS 'a report''s days, by when the event says that it happened';
COMMENT ON INDEX public.enriched_events_pkey IS 'the daily reports read by ranges of numbers; the list in the admin';
COMMENT ON INDEX public.enriched_events_source IS 'a handler that ran again changes nothing: one row an event; a report takes an event once';
CREATE INDEX enriched_events_type ON public.enriched_events USING btree (event_type, id);
COMMENT ON INDEX public.enriched_events_type IS 'for people''s own queries: the records of an event type in order; nothing of ours asks';
CREATE INDEX event_effects_begun ON public.event_effects USING btree (begun_at);
COMMENT ON INDEX public.event_effects_begun IS 'what is old enough to go; what is unknown, oldest first';
CREATE INDEX event_effects_event ON public.event_effects USING btree (source, source_key);
COMMENT ON INDEX public.event_effects_event IS 'the effects of dead letters, before they are revived; a purge takes them along';
COMMENT ON INDEX public.event_effects_pkey IS 'a program that begins an effect, or says that it is done';
COMMENT ON INDEX public.event_hours_pkey IS 'the fold adds to an hour; which days of a report are open';
COMMENT ON INDEX public.export_chunks_pkey IS 'the parts of an export''s file, in order';
CREATE INDEX export_chunks_start ON public.export_chunks USING btree (operation_id, start);
COMMENT ON INDEX public.export_chunks_start IS 'a download that goes on: the part with that byte';
CREATE INDEX failure_groups_not_open ON public.failure_groups USING btree (state) WHERE (NOT ((state)::text = 'open'::text));
COMMENT ON INDEX public.failure_groups_not_open IS 'the few that are resolved, regressed or snoozed: the tabs of the list, snoozes that are over';
COMMENT ON INDEX public.failure_groups_pkey IS 'a group by number; the trigger looks whether a group is there and resolved';
CREATE INDEX failure_reports_old ON public.failure_reports USING brin (reported_at);
COMMENT ON INDEX public.failure_reports_old IS 'the old ones, to be let go of';
COMMENT ON INDEX public.failure_reports_pkey IS 'a report that is sent again';
COMMENT ON INDEX public.failure_rules_pkey IS 'a rule by number';
COMMENT ON INDEX public.forwarded_messages_once IS 'a revival is forwarded once; a revived dead letter''s message';
COMMENT ON INDEX public.forwarded_messages_pkey IS 'what was forwarded, in order';
CREATE INDEX forwarded_messages_remote ON public.forwarded_messages USING btree (queue, remote_id);
COMMENT ON INDEX public.forwarded_messages_remote IS 'a message over there that was completed or failed: which dead letter it revives';
CREATE INDEX group_merges_group_id_d1e566e9 ON public.group_merges USING btree (group_id);
COMMENT ON INDEX public.group_merges_group_id_d1e566e9 IS 'the fingerprints that were merged into a group';
COMMENT ON INDEX public.group_merges_pkey IS 'classification: whether somebody merged this fingerprint';
COMMENT ON INDEX public.handler_limits_pkey IS 'a handler''s limits, when a dead letter of the type fails';
COMMENT ON INDEX public.handler_reports_pkey IS 'a worker or consumer finds what it said last; who runs now';
CREATE INDEX ingested_files_family ON public.ingested_files USING btree (family);
COMMENT ON INDEX public.ingested_files_family IS 'what a packed file may have been packed from';
CREATE INDEX ingested_files_inode ON public.ingested_files USING btree (inode);
COMMENT ON INDEX public.ingested_files_inode IS 'a file that has another name now';
COMMENT ON INDEX public.ingested_files_pkey IS 'the newest of a file''s rows';
CREATE INDEX ingested_files_place ON public.ingested_files USING btree (place);
COMMENT ON INDEX public.ingested_files_place IS 'what is known of a file, by its name; a mark that takes the place of others';
CREATE INDEX ingested_files_seen ON public.ingested_files USING btree (seen_at);
COMMENT ON INDEX public.ingested_files_seen IS 'the files that nobody has seen for long';
COMMENT ON INDEX public.lock_tokens_pkey IS 'the trigger of shedlock, and who shows a token: by the lock''s name';
CREATE INDEX message_archive_id ON ONLY public.message_archive USING btree (id);
COMMENT ON INDEX public.message_archive_id IS 'an archived message by number';
CREATE INDEX message_archive_letter ON ONLY public.message_archive USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
COMMENT ON INDEX public.message_archive_letter IS 'a purge: what a dead letter was revived as';
CREATE INDEX message_archive_queue ON ONLY public.message_archive USING btree (queue, archived_at DESC, id DESC);
COMMENT ON INDEX public.message_archive_queue IS 'a queue''s archive, newest first; what of it a shorter policy would cost';
CREATE INDEX message_archive_unplaced_dlq_event_id_idx ON public.message_archive_unplaced USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_unplaced_id_idx ON public.message_archive_unplaced USING btree (id);
CREATE INDEX message_archive_unplaced_queue_archived_at_id_idx ON public.message_archive_unplaced USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_unplaced_until ON public.message_archive_unplaced USING btree (keep_until);
COMMENT ON INDEX public.message_archive_unplaced_until IS 'what has outlived its time where no partition was made; which days stand there';
CREATE INDEX message_archive_until_20261227_dlq_event_id_idx ON public.message_archive_until_20261227 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20261227_id_idx ON public.message_archive_until_20261227 USING btree (id);
CREATE INDEX message_archive_until_20261227_queue_archived_at_id_idx ON public.message_archive_until_20261227 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20261228_dlq_event_id_idx ON public.message_archive_until_20261228 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20261228_id_idx ON public.message_archive_until_20261228 USING btree (id);
CREATE INDEX message_archive_until_20261228_queue_archived_at_id_idx ON public.message_archive_until_20261228 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20261229_dlq_event_id_idx ON public.message_archive_until_20261229 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20261229_id_idx ON public.message_archive_until_20261229 USING btree (id);
CREATE INDEX message_archive_until_20261229_queue_archived_at_id_idx ON public.message_archive_until_20261229 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20261230_dlq_event_id_idx ON public.message_archive_until_20261230 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20261230_id_idx ON public.message_archive_until_20261230 USING btree (id);
CREATE INDEX message_archive_until_20261230_queue_archived_at_id_idx ON public.message_archive_until_20261230 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20261231_dlq_event_id_idx ON public.message_archive_until_20261231 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20261231_id_idx ON public.message_archive_until_20261231 USING btree (id);
CREATE INDEX message_archive_until_20261231_queue_archived_at_id_idx ON public.message_archive_until_20261231 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20270101_dlq_event_id_idx ON public.message_archive_until_20270101 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20270101_id_idx ON public.message_archive_until_20270101 USING btree (id);
CREATE INDEX message_archive_until_20270101_queue_archived_at_id_idx ON public.message_archive_until_20270101 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20270102_dlq_event_id_idx ON public.message_archive_until_20270102 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20270102_id_idx ON public.message_archive_until_20270102 USING btree (id);
CREATE INDEX message_archive_until_20270102_queue_archived_at_id_idx ON public.message_archive_until_20270102 USING btree (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_until_20270103_dlq_event_id_idx ON public.message_archive_until_20270103 USING btree (dlq_event_id) WHERE (dlq_event_id IS NOT NULL);
CREATE INDEX message_archive_until_20270103_id_idx ON public.message_archive_until_20270103 USING btree (id);
CREATE INDEX message_archive_until_20270103_queue_archived_at_id_idx ON public.message_archive_until_20270103 USING btree (queue, archived_at DESC, id DESC);
CREATE UNIQUE INDEX message_queue_dedupe ON public.message_queue USING btree (queue, dedupe_key) WHERE (dedupe_key IS NOT NULL);
COMMENT ON INDEX public.message_queue_dedupe IS 'send with a dedupe_key: a second one is not sent';
CREATE INDEX message_queue_group ON public.message_queue USING btree (queue, group_key, id) WHERE (group_key IS NOT NULL);
COMMENT ON INDEX public.message_queue_group IS 'claim, send: whether an earlier message of the group is still there; call the next of a group; the list of waiting messages';
CREATE INDEX message_queue_held ON public.message_queue USING btree (queue, id) WHERE ((phase)::text = 'held'::text);
COMMENT ON INDEX public.message_queue_held IS 'what is held back on a queue: counted, listed, purged';
CREATE INDEX message_queue_later ON public.message_queue USING btree (next_retry_at) WHERE ((phase)::text = 'scheduled'::text);
COMMENT ON INDEX public.message_queue_later IS 'stager: which scheduled messages have come due, and when the next one will';
CREATE INDEX message_queue_live ON public.message_queue USING btree (queue, turn, id) WHERE ((phase)::text = 'live'::text);
COMMENT ON INDEX public.message_queue_live IS 'claim: the most urgent first, what was never tried before what has failed, in the order of sending. What is in flight stays in it, so that claiming, extending and taking over touch no index (HOT)';
CREATE UNIQUE INDEX message_queue_one_of_a_group ON public.message_queue USING btree (queue, group_in_flight) WHERE (group_in_flight IS NOT NULL);
COMMENT ON INDEX public.message_queue_one_of_a_group IS 'claim: no two messages of a group are ever in flight';
CREATE UNIQUE INDEX message_queue_one_per_revival ON public.message_queue USING btree (dlq_event_id, revive_seq) WHERE (dlq_event_id IS NOT NULL);
COMMENT ON INDEX public.message_queue_one_per_revival IS 'the second guard against a double revive: one message for each revival; a dead letter''s page finds its message';
COMMENT ON INDEX public.message_queue_pkey IS 'complete, extend, retry, release: messages by number';
CREATE INDEX message_queue_queue_later ON public.message_queue USING btree (queue, next_retry_at) WHERE ((phase)::text = 'scheduled'::text);
COMMENT ON INDEX public.message_queue_queue_later IS 'claim, when it finds too few: which messages of its queue have come due; the list of a queue''s scheduled messages';
CREATE INDEX message_queue_unhandled ON public.message_queue USING btree (queue, unhandled_type, id) WHERE (unhandled_type IS NOT NULL);
COMMENT ON INDEX public.message_queue_unhandled IS 'what was put back for want of a handler: counted by type, and called by a consumer that has one';
CREATE UNIQUE INDEX message_queue_unlogged_dedupe ON public.message_queue_unlogged USING btree (queue, dedupe_key) WHERE (dedupe_key IS NOT NULL);
COMMENT ON INDEX public.message_queue_unlogged_dedupe IS 'the same as message_queue_dedupe';
CREATE INDEX message_queue_unlogged_group ON public.message_queue_unlogged USING btree (queue, group_key, id) WHERE (group_key IS NOT NULL);
COMMENT ON INDEX public.message_queue_unlogged_group IS 'the same as message_queue_group';
CREATE INDEX message_queue_unlogged_held ON public.message_queue_unlogged USING btree (queue, id) WHERE ((phase)::text = 'held'::text);
COMMENT ON INDEX public.message_queue_unlogged_held IS 'the same as message_queue_held';
CREATE INDEX message_queue_unlogged_later ON public.message_queue_unlogged USING btree (next_retry_at) WHERE ((phase)::text = 'scheduled'::text);
COMMENT ON INDEX public.message_queue_unlogged_later IS 'the same as message_queue_later';
CREATE INDEX message_queue_unlogged_live ON public.message_queue_unlogged USING btree (queue, turn, id) WHERE ((phase)::text = 'live'::text);
COMMENT ON INDEX public.message_queue_unlogged_live IS 'the same as message_queue_live';
CREATE UNIQUE INDEX message_queue_unlogged_one_of_a_group ON public.message_queue_unlogged USING btree (queue, group_in_flight) WHERE (group_in_flight IS NOT NULL);
COMMENT ON INDEX public.message_queue_unlogged_one_of_a_group IS 'the same as message_queue_one_of_a_group';
CREATE UNIQUE INDEX message_queue_unlogged_one_per_revival ON public.message_queue_unlogged USING btree (dlq_event_id, revive_seq) WHERE (dlq_event_id IS NOT NULL);
COMMENT ON INDEX public.message_queue_unlogged_one_per_revival IS 'the same as message_queue_one_per_revival';
COMMENT ON INDEX public.message_queue_unlogged_pkey IS 'complete, extend, retry, release: messages by number';
CREATE INDEX message_queue_unlogged_queue_later ON public.message_queue_unlogged USING btree (queue, next_retry_at) WHERE ((phase)::text = 'scheduled'::text);
COMMENT ON INDEX public.message_queue_unlogged_queue_later IS 'the same as message_queue_queue_later';
CREATE INDEX message_queue_unlogged_unhandled ON public.message_queue_unlogged USING btree (queue, unhandled_type, id) WHERE (unhandled_type IS NOT NULL);
COMMENT ON INDEX public.message_queue_unlogged_unhandled IS 'the same as message_queue_unhandled';
CREATE INDEX operation_groups_group_id_8ea80af8 ON public.operation_groups USING btree (group_id);
COMMENT ON INDEX public.operation_groups_group_id_8ea80af8 IS 'a failure group''s page: the operations that had items of it';
COMMENT ON INDEX public.operation_groups_pkey IS 'counted once, however often the end is reached';
CREATE INDEX operation_items_letter ON public.operation_items USING btree (dead_letter_id);
COMMENT ON INDEX public.operation_items_letter IS 'a dead letter''s page: the operations that it was part of';
COMMENT ON INDEX public.operation_items_pkey IS 'a page: the items in the order of their numbers; an item by operation and dead letter';
CREATE INDEX operation_items_remaining ON public.operation_items USING btree (operation_id, dead_letter_id) WHERE ((status)::text = 'remaining'::text);
COMMENT ON INDEX public.operation_items_remaining IS 'the next page: items without an outcome, in order';
COMMENT ON INDEX public.operation_messages_pkey IS 'a page: the messages in the order of their numbers; a receipt''s list of them';
CREATE INDEX operation_messages_remaining ON public.operation_messages USING btree (operation_id, message_id) WHERE ((status)::text = 'remaining'::text);
COMMENT ON INDEX public.operation_messages_remaining IS 'the next page: messages without an outcome, in order';
COMMENT ON INDEX public.operation_parts_pkey IS 'whether an operation, or some of it, lies in what a person may see';
CREATE INDEX operations_group ON public.operations USING btree (group_id, id DESC) WHERE (group_id IS NOT NULL);
COMMENT ON INDEX public.operations_group IS 'the operations on a failure group, newest first';
CREATE INDEX operations_handed_over ON public.operations USING btree (id DESC) WHERE ((finished_at IS NOT NULL) AND (handled_at IS NULL));
COMMENT ON INDEX public.operations_handed_over IS 'the newest operations whose messages may still be to be handled';
CREATE INDEX operations_held ON public.operations USING btree (undo_until) WHERE ((released_at IS NULL) AND (undo_until IS NOT NULL));
COMMENT ON INDEX public.operations_held IS 'the release: whose messages are still held back';
CREATE INDEX operations_itemised ON public.operations USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND (NOT ((items_kept)::text = 'gone'::text)));
COMMENT ON INDEX public.operations_itemised IS 'retention: the oldest that are over and whose items are there';
CREATE INDEX operations_live ON public.operations USING btree (id) WHERE ((status)::text = ANY ((ARRAY['freezing'::character varying, 'running'::character varying, 'cancelling'::character varying])::text[]));
COMMENT ON INDEX public.operations_live IS 'the beat: what a worker has to do';
COMMENT ON INDEX public.operations_pkey IS 'an operation by number; the list, newest first';
CREATE INDEX operations_queue ON public.operations USING btree (queue, id DESC) WHERE (NOT ((queue)::text = ''::text));
COMMENT ON INDEX public.operations_queue IS 'a queue''s page: the operations on its messages, newest first';
COMMENT ON INDEX public.operations_request_key_key IS 'the same click twice is one operation';
CREATE INDEX operations_source_operation_id_2cc0478d ON public.operations USING btree (source_operation_id);
COMMENT ON INDEX public.operations_source_operation_id_2cc0478d IS 'the foreign key: no operation goes while another began from its items';
CREATE INDEX operations_undone_by_id_5b089cac ON public.operations USING btree (undone_by_id);
COMMENT ON INDEX public.operations_undone_by_id_5b089cac IS 'the foreign key: what an operation that goes has undone';
COMMENT ON INDEX public.owner_rules_pkey IS 'a rule by number';
COMMENT ON INDEX public.paces_group IS 'what a process has noted is added; how many may begin; those of one operation';
COMMENT ON INDEX public.paces_pkey IS 'Django''s admin and tests: one by its number';
COMMENT ON INDEX public.page_visits_pkey IS 'who has a page open; an account''s own row';
CREATE INDEX payload_changes_hour ON public.payload_changes USING btree (hour DESC);
COMMENT ON INDEX public.payload_changes_hour IS 'the newest changes; old ones, to be let go of';
COMMENT ON INDEX public.payload_changes_once IS 'what was told of a type; nothing twice in an hour';
COMMENT ON INDEX public.payload_changes_pkey IS 'a change by number: the list in the admin';
CREATE INDEX payload_shapes_hour ON public.payload_shapes USING btree (hour);
COMMENT ON INDEX public.payload_shapes_hour IS 'hours that are old, to be let go of';
COMMENT ON INDEX public.payload_shapes_once IS 'the hours of a type and their paths; no path twice in an hour';
COMMENT ON INDEX public.payload_shapes_pkey IS 'a row by number; nothing of ours asks for it';
COMMENT ON INDEX public.payload_versions_once IS 'a dead letter''s versions, in order; no number twice';
COMMENT ON INDEX public.payload_versions_pkey IS 'a version by number: the list in the admin';
COMMENT ON INDEX public.periodic_ticks_pkey IS 'each tick once';
COMMENT ON INDEX public.personal_tokens_pkey IS 'a token by number: its page, and its revocation';
COMMENT ON INDEX public.personal_tokens_sha256_key IS 'who shows a token';
CREATE INDEX personal_tokens_user ON public.personal_tokens USING btree (user_id);
COMMENT ON INDEX public.personal_tokens_user IS 'the tokens of a person';
CREATE UNIQUE INDEX pipeline_runs_one ON public.pipeline_runs USING btree (lock_name) WHERE ((status)::text = ANY ((ARRAY['asked'::character varying, 'running'::character varying, 'cancelling'::character varying])::text[]));
COMMENT ON INDEX public.pipeline_runs_one IS 'a second run of a job is not asked for while one is open';
CREATE INDEX pipeline_runs_open ON public.pipeline_runs USING btree (id) WHERE ((status)::text = ANY ((ARRAY['asked'::character varying, 'running'::character varying, 'cancelling'::character varying])::text[]));
COMMENT ON INDEX public.pipeline_runs_open IS 'what waits and what runs: the tick, a worker that is free';
COMMENT ON INDEX public.pipeline_runs_pkey IS 'a run by number; the list, newest first';
CREATE INDEX playbook_entries_newest ON public.playbook_entries USING btree (playbook_id, id DESC);
COMMENT ON INDEX public.playbook_entries_newest IS 'a playbook''s history, newest first; what it used up today';
CREATE UNIQUE INDEX playbook_entries_once ON public.playbook_entries USING btree (playbook_id, edge, part) WHERE ((outcome)::text = 'asked'::text);
COMMENT ON INDEX public.playbook_entries_once IS 'each part of what happened asks for one operation, whoever is quicker';
COMMENT ON INDEX public.playbook_entries_pkey IS 'an entry by number';
COMMENT ON INDEX public.playbooks_pkey IS 'a playbook by number; each worker''s tick goes through all that are on';
COMMENT ON INDEX public.producer_queues_pkey IS 'a producer''s INSERT: whether it may send to that queue';
COMMENT ON INDEX public.queue_activity_minute IS 'consumers add to a queue''s minute; the pace of a queue, its last hour, which queues were busy';
COMMENT ON INDEX public.queue_activity_pkey IS 'a row by number; nothing of ours asks for it';
COMMENT ON INDEX public.queue_sleepers_pkey IS 'send: whether anybody waits for the queue; a consumer''s own row';
COMMENT ON INDEX public.queue_tokens_pkey IS 'claim from a queue with a rate limit';
COMMENT ON INDEX public.queue_topics_pkey IS 'send to a topic, which reads them all; one binding, for who makes or ends it';
COMMENT ON INDEX public.queues_pkey IS 'every claim and send: the queue''s policy by name';
COMMENT ON INDEX public.rehearsal_predictions_pkey IS 'what a rehearsal says of the dead letters of a page, or of all that it looked at';
COMMENT ON INDEX public.report_days_one IS 'when a report''s day was computed; a day computed anew replaces it';
COMMENT ON INDEX public.report_days_pkey IS 'a day by number; nothing of ours asks for it';
COMMENT ON INDEX public.report_mails_pkey IS 'a recipient''s mail';
COMMENT ON INDEX public.report_rows_one IS 'a day''s lines of a report; a report made again replaces its lines';
COMMENT ON INDEX public.report_rows_pkey IS 'a line by number; nothing of ours asks for it';
COMMENT ON INDEX public.reports_pkey IS 'a report by name';
COMMENT ON INDEX public.restored_dead_letters_pkey IS 'the trigger of dlq_events: whether a closed dead letter was taken back; what is left alone for a while';
COMMENT ON INDEX public.retry_policies_pkey IS 'a policy by number: its page';
COMMENT ON INDEX public.retry_policies_whose IS 'one policy for the same dead letters; the policy of a type, which somebody pauses';
COMMENT ON INDEX public.retry_run_requests_pkey IS 'the newest, asked at every tick';
COMMENT ON INDEX public.retry_run_workers_one IS 'the workers of a run, whose counts are added up; one part a worker';
COMMENT ON INDEX public.retry_run_workers_pkey IS 'one worker''s part in a run, by number';
CREATE INDEX retry_runs_newest ON public.retry_runs USING btree (started_at DESC);
COMMENT ON INDEX public.retry_runs_newest IS 'the newest run, asked at every tick; the list of runs';
COMMENT ON INDEX public.retry_runs_pkey IS 'a run by number: its figures are kept up to date';
COMMENT ON INDEX public.retry_settings_pkey IS 'the one row';
COMMENT ON INDEX public.retry_tickers_name IS 'a beat by its name: it says every few seconds that it runs';
COMMENT ON INDEX public.retry_tickers_pkey IS 'a beat by number';
CREATE INDEX revival_outcomes_operation_id_5b02e7cd ON public.revival_outcomes USING btree (operation_id);
COMMENT ON INDEX public.revival_outcomes_operation_id_5b02e7cd IS 'what became of an operation''s revived dead letters';
COMMENT ON INDEX public.revival_outcomes_pkey IS 'a row by number; nothing of ours asks for it';
CREATE UNIQUE INDEX role_grants_now ON public.role_grants USING btree (user_id, role) WHERE (until IS NULL);
COMMENT ON INDEX public.role_grants_now IS 'what a person may do now, and since when: approvals; one row a role';
COMMENT ON INDEX public.role_grants_pkey IS 'a row by number; nothing of ours asks for it';
COMMENT ON INDEX public.sample_policies_pkey IS 'how one event type is sampled';
COMMENT ON INDEX public.saved_views_name IS 'the views of a person; one of a name';
COMMENT ON INDEX public.saved_views_pkey IS 'a view by number: its deletion';
COMMENT ON INDEX public.schema_parts_pkey IS 'migrate: the version of a part';
CREATE INDEX scopes_group_id_3188e4c9 ON public.scopes USING btree (group_id);
COMMENT ON INDEX public.scopes_group_id_3188e4c9 IS 'each request: what the person''s groups are limited to';
COMMENT ON INDEX public.scopes_pkey IS 'a row by number: the forms of Django''s admin';
CREATE INDEX scopes_user_id_8486b4f9 ON public.scopes USING btree (user_id);
COMMENT ON INDEX public.scopes_user_id_8486b4f9 IS 'each request: what a person is limited to';
COMMENT ON INDEX public.shape_progress_pkey IS 'the one row';
COMMENT ON INDEX public.shedlock_pkey IS 'take, extend and release a lock by name';
COMMENT ON INDEX public.sign_in_allowances_pkey IS 'the throttle: the tries of an account, an address or a device';
CREATE INDEX sign_in_allowances_spent ON public.sign_in_allowances USING btree (spent_until);
COMMENT ON INDEX public.sign_in_allowances_spent IS 'the throttle: what is not used any more, to forget it';
COMMENT ON INDEX public.source_positions_pkey IS 'how far the partitions of a log were read';
COMMENT ON INDEX public.success_samples_pkey IS 'a sample by number';
COMMENT ON INDEX public.success_samples_source IS 'an event is one sample, however often it succeeds; a purge takes its samples along';
CREATE INDEX success_samples_type ON public.success_samples USING btree (event_type, sampled_at);
COMMENT ON INDEX public.success_samples_type IS 'a type''s newest samples; what is too old, or too much of a day';
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_unplaced_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_unplaced_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_unplaced_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20261227_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20261227_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20261227_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20261228_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20261228_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20261228_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20261229_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20261229_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20261229_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20261230_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20261230_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20261230_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20261231_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20261231_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20261231_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20270101_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20270101_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20270101_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20270102_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20270102_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20270102_queue_archived_at_id_idx;
ALTER INDEX public.message_archive_letter ATTACH PARTITION public.message_archive_until_20270103_dlq_event_id_idx;
ALTER INDEX public.message_archive_id ATTACH PARTITION public.message_archive_until_20270103_id_idx;
ALTER INDEX public.message_archive_queue ATTACH PARTITION public.message_archive_until_20270103_queue_archived_at_id_idx;
CREATE TRIGGER account_names_kept BEFORE INSERT OR DELETE OR UPDATE ON public.account_names FOR EACH ROW EXECUTE FUNCTION public.role_grants_kept();
CREATE TRIGGER audit_came AFTER INSERT ON public.auth_group REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_group_audited();
ALTER TABLE public.auth_group ENABLE ALWAYS TRIGGER audit_came;
CREATE TRIGGER audit_came AFTER INSERT ON public.auth_group_permissions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_group_permissions ENABLE ALWAYS TRIGGER audit_came;
CREATE TRIGGER audit_came AFTER INSERT ON public.auth_user REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_audited();
ALTER TABLE public.auth_user ENABLE ALWAYS TRIGGER audit_came;
CREATE TRIGGER audit_came AFTER INSERT ON public.auth_user_groups REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_audited();
ALTER TABLE public.auth_user_groups ENABLE ALWAYS TRIGGER audit_came;
CREATE TRIGGER audit_came AFTER INSERT ON public.auth_user_user_permissions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_user_user_permissions ENABLE ALWAYS TRIGGER audit_came;
CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_group REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_group_audited();
ALTER TABLE public.auth_group ENABLE ALWAYS TRIGGER audit_changed;
CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_group_permissions REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_group_permissions ENABLE ALWAYS TRIGGER audit_changed;
CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_user REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_audited();
ALTER TABLE public.auth_user ENABLE ALWAYS TRIGGER audit_changed;
CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_user_groups REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_audited();
ALTER TABLE public.auth_user_groups ENABLE ALWAYS TRIGGER audit_changed;
CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_user_user_permissions REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_user_user_permissions ENABLE ALWAYS TRIGGER audit_changed;
CREATE TRIGGER audit_emptied AFTER TRUNCATE ON public.auth_group FOR EACH STATEMENT EXECUTE FUNCTION public.auth_group_audited();
ALTER TABLE public.auth_group ENABLE ALWAYS TRIGGER audit_emptied;
CREATE TRIGGER audit_emptied AFTER TRUNCATE ON public.auth_group_permissions FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_group_permissions ENABLE ALWAYS TRIGGER audit_emptied;
CREATE TRIGGER audit_emptied AFTER TRUNCATE ON public.auth_user FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_audited();
ALTER TABLE public.auth_user ENABLE ALWAYS TRIGGER audit_emptied;
CREATE TRIGGER audit_emptied AFTER TRUNCATE ON public.auth_user_groups FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_audited();
ALTER TABLE public.auth_user_groups ENABLE ALWAYS TRIGGER audit_emptied;
CREATE TRIGGER audit_emptied AFTER TRUNCATE ON public.auth_user_user_permissions FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_user_user_permissions ENABLE ALWAYS TRIGGER audit_emptied;
CREATE TRIGGER audit_log_refuse BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.audit_log_refuse();
ALTER TABLE public.audit_log ENABLE ALWAYS TRIGGER audit_log_refuse;
CREATE TRIGGER audit_log_refuse_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_refuse();
ALTER TABLE public.audit_log ENABLE ALWAYS TRIGGER audit_log_refuse_truncate;
CREATE TRIGGER audit_seals_refuse BEFORE DELETE OR UPDATE ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION public.audit_log_refuse();
ALTER TABLE public.audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse;
CREATE TRIGGER audit_seals_refuse_truncate BEFORE TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_refuse();
ALTER TABLE public.audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse_truncate;
CREATE TRIGGER audit_went AFTER DELETE ON public.auth_group REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_group_audited();
ALTER TABLE public.auth_group ENABLE ALWAYS TRIGGER audit_went;
CREATE TRIGGER audit_went AFTER DELETE ON public.auth_group_permissions REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_group_permissions ENABLE ALWAYS TRIGGER audit_went;
CREATE TRIGGER audit_went AFTER DELETE ON public.auth_user REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_audited();
ALTER TABLE public.auth_user ENABLE ALWAYS TRIGGER audit_went;
CREATE TRIGGER audit_went AFTER DELETE ON public.auth_user_groups REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_audited();
ALTER TABLE public.auth_user_groups ENABLE ALWAYS TRIGGER audit_went;
CREATE TRIGGER audit_went AFTER DELETE ON public.auth_user_user_permissions REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_permissions_audited();
ALTER TABLE public.auth_user_user_permissions ENABLE ALWAYS TRIGGER audit_went;
CREATE TRIGGER auth_group_changed AFTER DELETE OR UPDATE OR TRUNCATE ON public.auth_group FOR EACH STATEMENT EXECUTE FUNCTION public.auth_group_noted();
CREATE TRIGGER auth_user_came AFTER INSERT ON public.auth_user REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_noted();
CREATE TRIGGER auth_user_changed AFTER UPDATE ON public.auth_user REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_noted();
CREATE TRIGGER auth_user_emptied AFTER TRUNCATE ON public.auth_user FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_noted();
CREATE TRIGGER auth_user_groups_came AFTER INSERT ON public.auth_user_groups REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_changed AFTER UPDATE ON public.auth_user_groups REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_emptied AFTER TRUNCATE ON public.auth_user_groups FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_went AFTER DELETE ON public.auth_user_groups REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_groups_noted();
CREATE TRIGGER auth_user_went AFTER DELETE ON public.auth_user REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION public.auth_user_noted();
CREATE TRIGGER dlq_attempts_folded AFTER INSERT ON public.dlq_attempts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.dlq_attempts_folded();
CREATE TRIGGER dlq_events_allowed BEFORE UPDATE ON public.dlq_events FOR EACH ROW WHEN ((NOT has_table_privilege(('public.dlq_events'::regclass)::oid, 'UPDATE'::text))) EXECUTE FUNCTION public.dlq_events_allowed();
CREATE TRIGGER dlq_events_another_type BEFORE UPDATE OF event_type, payload, headers ON public.dlq_events FOR EACH ROW EXECUTE FUNCTION public.dlq_events_another_type();
CREATE TRIGGER dlq_events_attempted BEFORE UPDATE ON public.dlq_events FOR EACH ROW WHEN ((((old.status)::text = 'PENDING'::text) AND (((new.status)::text = 'SUCCEEDED'::text) OR ((new.retry_count > old.retry_count) AND ((new.status)::text = ANY (ARRAY['PENDING'::text, 'EXHAUSTED'::text])) AND (new.occurrences = old.occurrences) AND (new.last_failure_at = old.last_failure_at))))) EXECUTE FUNCTION public.dlq_events_attempted();
CREATE TRIGGER dlq_events_changed BEFORE UPDATE ON public.dlq_events FOR EACH ROW EXECUTE FUNCTION public.dlq_events_changed();
CREATE TRIGGER dlq_events_complete BEFORE INSERT ON public.dlq_events FOR EACH ROW EXECUTE FUNCTION public.dlq_events_complete();
CREATE TRIGGER dlq_events_counted_added AFTER INSERT ON public.dlq_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.dlq_events_counted();
CREATE TRIGGER dlq_events_counted_changed AFTER UPDATE ON public.dlq_events REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.dlq_events_counted();
CREATE TRIGGER dlq_events_counted_removed AFTER DELETE ON public.dlq_events REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.dlq_events_counted();
CREATE TRIGGER dlq_events_edited BEFORE UPDATE OF payload, payload_raw, headers ON public.dlq_events FOR EACH ROW EXECUTE FUNCTION public.dlq_events_edited();
CREATE TRIGGER dlq_events_emptied AFTER TRUNCATE ON public.dlq_events FOR EACH STATEMENT EXECUTE FUNCTION public.dlq_events_emptied();
CREATE TRIGGER dlq_events_regrouped_added AFTER INSERT ON public.dlq_events FOR EACH ROW WHEN (((new.group_key IS NOT NULL) AND (new.original_message_id IS NOT NULL))) EXECUTE FUNCTION public.dlq_events_regrouped();
CREATE TRIGGER dlq_events_regrouped_changed AFTER UPDATE ON public.dlq_events FOR EACH ROW WHEN (((new.group_key IS NOT NULL) AND ((old.status)::text <> (new.status)::text) AND (((old.status)::text = ANY ((ARRAY['SUCCEEDED'::character varying, 'DISCARDED'::character varying, 'REVIVED'::character varying])::text[])) <> ((new.status)::text = ANY ((ARRAY['SUCCEEDED'::character varying, 'DISCARDED'::character varying, 'REVIVED'::character varying])::text[]))))) EXECUTE FUNCTION public.dlq_events_regrouped();
CREATE TRIGGER dlq_events_regrouped_removed AFTER DELETE ON public.dlq_events FOR EACH ROW WHEN (((old.group_key IS NOT NULL) AND ((old.status)::text <> ALL ((ARRAY['SUCCEEDED'::character varying, 'DISCARDED'::character varying, 'REVIVED'::character varying])::text[])))) EXECUTE FUNCTION public.dlq_events_regrouped();
CREATE TRIGGER event_change_noted AFTER UPDATE ON public.dlq_events FOR EACH ROW WHEN (((((old.status)::text = 'SUCCEEDED'::text) = ((new.status)::text = 'SUCCEEDED'::text)) AND (((old.status)::text = 'DISCARDED'::text) = ((new.status)::text = 'DISCARDED'::text)) AND ((old.payload_version <> new.payload_version) OR (old.group_id <> new.group_id) OR ((old.error_class)::text <> (new.error_class)::text) OR ((old.error_category)::text <> (new.error_category)::text) OR ((old.event_type)::text <> (new.event_type)::text) OR ((old.queue)::text IS DISTINCT FROM (new.queue)::text) OR (old.occurred_at IS DISTINCT FROM new.occurred_at) OR (old.first_failure_at <> new.first_failure_at)))) EXECUTE FUNCTION public.event_change_noted();
CREATE TRIGGER event_changes_added AFTER INSERT ON public.enriched_events REFERENCING NEW TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION public.event_changes_noted();
CREATE TRIGGER event_changes_emptied AFTER TRUNCATE ON public.dlq_events FOR EACH STATEMENT EXECUTE FUNCTION public.event_changes_emptied();
CREATE TRIGGER event_changes_emptied AFTER TRUNCATE ON public.enriched_events FOR EACH STATEMENT EXECUTE FUNCTION public.event_changes_emptied();
CREATE TRIGGER event_changes_removed AFTER DELETE ON public.enriched_events REFERENCING OLD TABLE AS concerned FOR EACH STATEMENT EXECUTE FUNCTION public.event_changes_noted();
CREATE TRIGGER message_queue_added AFTER INSERT ON public.message_queue REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_added();
CREATE TRIGGER message_queue_added AFTER INSERT ON public.message_queue_unlogged REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_added();
CREATE TRIGGER message_queue_emptied AFTER TRUNCATE ON public.message_queue FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_emptied();
CREATE TRIGGER message_queue_emptied AFTER TRUNCATE ON public.message_queue_unlogged FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_emptied();
CREATE TRIGGER message_queue_removed AFTER DELETE ON public.message_queue REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_removed();
CREATE TRIGGER message_queue_removed AFTER DELETE ON public.message_queue_unlogged REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.message_queue_removed();
CREATE TRIGGER message_queue_taken_over AFTER UPDATE OF crash_count ON public.message_queue FOR EACH ROW WHEN ((((old.status)::text = 'processing'::text) AND ((new.status)::text = 'processing'::text) AND ((new.crash_count)::smallint > (old.crash_count)::smallint))) EXECUTE FUNCTION public.message_queue_taken_over();
CREATE TRIGGER message_queue_taken_over AFTER UPDATE OF crash_count ON public.message_queue_unlogged FOR EACH ROW WHEN ((((old.status)::text = 'processing'::text) AND ((new.status)::text = 'processing'::text) AND ((new.crash_count)::smallint > (old.crash_count)::smallint))) EXECUTE FUNCTION public.message_queue_taken_over();
CREATE TRIGGER pipeline_runs_guarded BEFORE UPDATE ON public.pipeline_runs FOR EACH ROW WHEN ((old.asked_at IS NOT NULL)) EXECUTE FUNCTION public.pipeline_runs_guarded();
CREATE TRIGGER role_grants_kept BEFORE INSERT OR DELETE OR UPDATE ON public.role_grants FOR EACH ROW EXECUTE FUNCTION public.role_grants_kept();
CREATE TRIGGER scopes_emptied AFTER TRUNCATE ON public.scopes FOR EACH STATEMENT EXECUTE FUNCTION public.scopes_noted();
CREATE TRIGGER scopes_noted AFTER INSERT OR DELETE OR UPDATE ON public.scopes FOR EACH ROW EXECUTE FUNCTION public.scopes_noted();
CREATE TRIGGER shedlock_taken AFTER INSERT OR UPDATE OF locked_at ON public.shedlock FOR EACH ROW EXECUTE FUNCTION public.lock_taken();
CREATE TRIGGER zz_dlq_events_sound BEFORE INSERT OR UPDATE ON public.dlq_events FOR EACH ROW EXECUTE FUNCTION public.dlq_events_sound();
ALTER TABLE ONLY public.archive_counts
    ADD CONSTRAINT archive_counts_file_id_94e5c754_fk_archive_files_id FOREIGN KEY (file_id) REFERENCES public.archive_files(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.export_chunks
    ADD CONSTRAINT export_chunks_operation_id_71e755d7_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operation_groups
    ADD CONSTRAINT operation_groups_operation_id_1337c0d5_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operation_items
    ADD CONSTRAINT operation_items_operation_id_6d2fffd8_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operation_messages
    ADD CONSTRAINT operation_messages_operation_id_35a66820_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operation_parts
    ADD CONSTRAINT operation_parts_operation_id_caa5f7b9_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operations
    ADD CONSTRAINT operations_source_operation_id_2cc0478d_fk_operations_id FOREIGN KEY (source_operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.operations
    ADD CONSTRAINT operations_undone_by_id_5b089cac_fk_operations_id FOREIGN KEY (undone_by_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.playbook_entries
    ADD CONSTRAINT playbook_entries_operation_id_34bb714d_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.playbook_entries
    ADD CONSTRAINT playbook_entries_playbook_id_cd0e88ec_fk_playbooks_id FOREIGN KEY (playbook_id) REFERENCES public.playbooks(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.playbooks
    ADD CONSTRAINT playbooks_operation_id_36a1736c_fk_operations_id FOREIGN KEY (operation_id) REFERENCES public.operations(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.rehearsal_predictions
    ADD CONSTRAINT rehearsal_predictions_item FOREIGN KEY (operation_id, dead_letter_id) REFERENCES public.operation_items(operation_id, dead_letter_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.report_days
    ADD CONSTRAINT report_days_report_id_833024f5_fk_reports_name FOREIGN KEY (report_id) REFERENCES public.reports(name) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.report_rows
    ADD CONSTRAINT report_rows_report_id_a24d8d9f_fk_reports_name FOREIGN KEY (report_id) REFERENCES public.reports(name) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.restored_dead_letters
    ADD CONSTRAINT restored_dead_letters_file_id_abd4e4ff_fk_archive_files_id FOREIGN KEY (file_id) REFERENCES public.archive_files(id) DEFERRABLE INITIALLY DEFERRED;
REVOKE ALL ON FUNCTION public.account_difference(was jsonb, becomes jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.acting_person() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.actor_words(actor text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.attempt(kind text, outcome text, dead_letter bigint, message text, worker text, started_at timestamp with time zone, finished_at timestamp with time zone, category text, reason text, stacktrace text, reopened_from text, stands_for integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.attempts_add(added public.attempt[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.audit_log_refuse() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_group_audited() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_group_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_permissions_audited() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_user_audited() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_user_groups_audited() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_user_groups_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.auth_user_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.backoff_seconds(attempts integer, base double precision, factor double precision, cap double precision, jitter double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.breaker_bounded(given double precision, low double precision, high double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.breaker_hear(of_type text, outcome text, why text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.breaker_noted(noted_key text, noted_type text, added double precision, least_score double precision, last_success_ago double precision, again_added double precision, again_least double precision, went_well integer, first_went_well integer, were_away integer, why text, opens_at double precision, closes_after integer, first_pause double precision, longest_pause double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.breaker_pause(probes integer, first_pause double precision, longest_pause double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.breaker_probe(needed text[], first_pause double precision, longest_pause double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_add(letter public.dlq_events) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_again(was public.dlq_events, again public.dlq_events) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_ahead(of_queue text, of_group text, message_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_becomes(failed_as text, retries integer, allowed integer, is_killer boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_claim(for_type text, most integer, claimant text, lease interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_classify(event_type text, said text, fixed boolean, error_reason text, error_stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_classify_new(event_type text, said text, error_reason text, error_stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_elsewhere(its_source text, its_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_error_class(error_reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_failed(dead_letter_id bigint, token uuid, error_reason text, error_class text, error_stacktrace text, error_category text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_failed_there(place text, letter bigint, revival integer, its_source text, its_key text, its_payload jsonb, its_raw bytea, reason text, category text, stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_frames(error_stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_hash(parts text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_held(letter bigint, shown uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_hours_of(occurred_at timestamp with time zone, created_at timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_http_status(error_reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_keep_failure(replaced public.dlq_events) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_keeps_coming(come_backs integer, most integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_key(its_key text, its_payload jsonb, its_raw bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_message(error_class text, error_reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_message(error_reason text) FROM PUBLIC;
GRANT SELECT ON TABLE public.dead_letter_transitions TO PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_moves() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_named(its_source text, its_key text, its_payload jsonb, its_raw bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_raced() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_recovered(source text, source_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_report(event_type text, payload jsonb, error_reason text, error_stacktrace text, source text, source_key text, error_category text, queue text, retry_in interval, headers jsonb, payload_raw bytea, report_id uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_return_lost(lost bigint[], their_messages text[], reasons text[], who text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_revive(dead_letter_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_same_bytes(was public.dlq_events, again public.dlq_events) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_sent_as(its_source text, its_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_settle_removed(letters bigint[], revivals integer[], their_messages text[], holders text[], claimed timestamp with time zone[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_sqlstate(error_reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_succeeded(dead_letter_id bigint, token uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_times_out(letter bigint, its_message text, its_reason text, most integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letter_wildcards(pattern text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letters_claim(lanes jsonb, claimant text, but bigint[], most_come_backs integer, begins boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letters_due(lanes jsonb, but bigint[], most_come_backs integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letters_fail(ids bigint[], tokens uuid[], started timestamp with time zone[], statuses text[], most integer[], delays double precision[], fatal boolean[], reasons text[], categories text[], traces text[], kind text, max_crashes integer, max_timeouts integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dead_letters_succeed(ids bigint[], tokens uuid[], started timestamp with time zone[], kind text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_attempts_folded() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_allowed() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_another_type() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_attempted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_changed() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_complete() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_counted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_edited() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_emptied() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_regrouped() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.dlq_events_sound() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.effect_begin(name text, key text, source text, source_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.effect_done(name text, key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.effect_not_done(name text, key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.error_category_check(error_category text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_change_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_changes_emptied() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_changes_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_moment(said text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_occurred_at(payload jsonb, headers jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_record(event_type text, source text, source_key text, occurred_at timestamp with time zone, record jsonb, digest uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_result(source text, source_key text, wait_seconds double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.event_type_named(payload jsonb, headers jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.failed_message_step(reason text, category text, fatal boolean, crashes integer, letter bigint, its_message text, attempts integer, max_retries integer, base double precision, factor double precision, cap double precision, jitter double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.failure_report(reporter text, report_id uuid, event_type text, payload jsonb, payload_raw bytea, headers jsonb, error_reason text, error_stacktrace text, error_category text, source text, source_key text, queue text, retry_in interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.failure_rule_pattern_is_sound(pattern text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.failure_rules_read() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.flood_gate(event_type text, failed integer, succeeded integer, error_reason text, error_category text, drain_rate double precision, waited boolean, OUT hold boolean, OUT retry_in interval, OUT probe boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.lock_taken() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.lock_token_is_current(held text, shown bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_archive_add(gone public.message_queue[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_archive_drop() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_archive_keep_until(of_queue text, since timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_archive_prepare(days_ahead integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_archive_shorten(of_queue text, days integer, archived_before timestamp with time zone, page integer, actor text, reason text, OUT deleted bigint, OUT shortened bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_bury(message public.message_queue, who public.message_identity, failed_as text, reason text, category text, stacktrace text, fatal boolean, delay_seconds double precision, max_retries integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_event_type(queue text, payload jsonb, headers jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_fail(id bigint, token uuid, reason text, category text, stacktrace text, fatal boolean, who public.message_identity, step public.failure_step, letter_delay double precision, letter_max_retries integer, ruled_category text, note boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_heal(ids bigint[], token uuid, how text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_identity(message public.message_queue) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_is_chosen(queue text, payload jsonb, headers jsonb, untried boolean, only_types text[], without_types text[], again_without_types text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_quarantine(id bigint, token uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_queue_added() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_queue_call_next(queues text[], group_keys text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_queue_emptied() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_queue_removed() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_queue_taken_over() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_remove(ids bigint[], token uuid, archive boolean, records public.event_record[], note boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_retry(message public.message_queue, delay_seconds double precision, reason text, category text, stacktrace text, fatal boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.message_take_over(ids bigint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.most_crashes() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.most_timeouts() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.page_visited(here text, nearby text, visitor text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.periodic_send(event_type text, cron text, timezone text, queue text, tick timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.pipeline_runs_guarded() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.producer_may_send(producer name, to_queue text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_archive(ids bigint[], token uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_bind(pattern text, queue text, reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_call_forgotten(queue text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_can_claim(queue text, condition jsonb, group_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_claim(queue text, number integer, lease_seconds double precision, owner text, wait_seconds double precision, condition jsonb, group_key text, blameless boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_claimed(token uuid, first_id bigint, last_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_complete(ids bigint[], token uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_create(queue text, unlogged boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_delete(ids bigint[], reason text, archive boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_drop(queue text, reason text, force boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_extend(ids bigint[], token uuid, lease_seconds double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_fail(id bigint, token uuid, error_reason text, error_category text, error_stacktrace text, fatal boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_forget(queue text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_give_up(id bigint, token uuid, error_reason text, error_category text, error_stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_list() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_metrics(queue text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_note_consumer(queue text, owner text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_note_outcomes(queue text, owner text, completed integer, retried integer, dead_lettered integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.session_actor() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_owner(owner text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_peek(queue text, number integer, after_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_policy(its_name text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_pop(queue text, number integer, owner text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_purge(queue text, reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_put_back(ids bigint[], token uuid, event_type text, delay_seconds double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_release(ids bigint[], token uuid, delay_seconds double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_retry(id bigint, token uuid, delay_seconds double precision, error_reason text, error_category text, error_stacktrace text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_send(queue text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text, max_retries integer, payload_raw bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_send_many(queue text, payloads jsonb, headers jsonb, delay_seconds double precision, priority integer, group_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_send_many_unlogged(queue text, payloads jsonb, headers jsonb, delay_seconds double precision, priority integer, group_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_send_topic(routing_key text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_send_unlogged(queue text, payload jsonb, headers jsonb, delay_seconds double precision, priority integer, dedupe_key text, group_key text, max_retries integer, payload_raw bytea) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_set_due(id bigint, due timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_stage(queue text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_take(queue text, number integer, lease_seconds double precision, owner text, condition jsonb, group_key text, from_turn integer, from_id bigint, only_types text[], without_types text[], again_without_types text[], blameless boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_take_unlogged(queue text, number integer, lease_seconds double precision, owner text, condition jsonb, group_key text, from_turn integer, from_id bigint, only_types text[], without_types text[], again_without_types text[], blameless boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_tokens_return(queue text, unused integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_tokens_take(queue text, wanted integer, rate double precision) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_topic_bindings(routing_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.queue_unbind(pattern text, queue text, reason text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.reclassify_dead_letters(ids bigint[], into_category text, by_operation bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.records_keep(came public.event_record[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.report_day_marks(its_name text, since date, until date) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.retry_lanes(for_type text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.retry_limits(for_type text, for_group bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.retry_window_is_open(policy public.retry_policies, moment timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.retry_window_opens(day date, begins time without time zone, zone text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.revive_headers(headers jsonb, event_type text, source text, source_key text, payload jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.revived_message_id(to_queue text, to_group text, its_queue text, its_message bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.role_grants_follow(ids integer[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.role_grants_held(ids integer[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.role_grants_kept() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.scopes_noted() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.topic_matches(pattern text, routing_key text) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.topic_set(pattern text, queue text, is_bound boolean, actor text, reason text) FROM PUBLIC;
