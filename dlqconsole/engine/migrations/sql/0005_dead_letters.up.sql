-- What must hold for dlq_events whoever writes to it.

ALTER TABLE dlq_events SET (
    fillfactor = 85,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.02
);

ALTER TABLE dlq_events ADD CONSTRAINT dlq_events_headers_object CHECK (jsonb_typeof(headers) = 'object');

-- It raises for no text: what is no moment is kept all the same, and is of no day.
CREATE FUNCTION event_moment(said text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
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
COMMENT ON FUNCTION event_moment(text) IS
    'The moment that an RFC 3339 text says; NULL where it is none, or none that the calendar has.';

CREATE FUNCTION event_occurred_at(payload jsonb, headers jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN event_moment(CASE WHEN payload ? 'specversion' THEN payload ->> 'time' ELSE headers ->> 'ce_time' END);
COMMENT ON FUNCTION event_occurred_at(jsonb, jsonb) IS
    'When an event says that it happened: the time of a CloudEvent, the header ce_time of anything else.';

CREATE FUNCTION event_type_named(payload jsonb, headers jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN jsonb_typeof(payload) = 'object' AND payload ? 'specversion' THEN CASE
            WHEN payload -> 'specversion' = '"1.0"' AND jsonb_typeof(payload -> 'type') = 'string'
                AND length(payload ->> 'type') BETWEEN 1 AND 255
                AND jsonb_typeof(payload -> 'id') = 'string' AND payload ->> 'id' <> ''
                AND jsonb_typeof(payload -> 'source') = 'string' AND payload ->> 'source' <> ''
            THEN payload ->> 'type' END
        WHEN payload IS NOT NULL AND jsonb_typeof(headers -> 'ce_type') = 'string'
            AND length(headers ->> 'ce_type') BETWEEN 1 AND 255 THEN headers ->> 'ce_type' END;
COMMENT ON FUNCTION event_type_named(jsonb, jsonb) IS
    'The type that an event names itself, and so whose handler runs: that of a CloudEvent, the header ce_type of anything else. NULL: it names none.';

-- SECURITY DEFINER: a producer needs no right but to insert.
CREATE FUNCTION dlq_events_complete() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made dead_letter_class;
    named CONSTANT text := public.event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_complete serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- What comes back from the archive is as it was, its classification too.
    IF NEW.status IN ('SUCCEEDED', 'DISCARDED') AND EXISTS (
        SELECT FROM public.restored_dead_letters r
        WHERE r.dead_letter_id = NEW.id AND r.restored_at >= transaction_timestamp()
    ) THEN
        RETURN NEW;
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
    -- A failure that cannot say why is still a failure.
    IF NEW.error_reason IS NULL OR NEW.error_stacktrace IS NULL OR NEW.error_category IS NULL THEN
        NEW.error_reason := coalesce(NEW.error_reason, '');
        NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
        NEW.error_category := coalesce(NEW.error_category, 'UNKNOWN');
    END IF;
    -- Its type is the one whose handler runs, and bytes that cannot be decoded have none. It goes back to the queue that
    -- it would have gone to.
    IF named <> NEW.event_type AND NOT (NEW.status = 'QUARANTINED' AND NEW.payload_raw IS NOT NULL) THEN
        NEW.queue := coalesce(NEW.queue, NEW.event_type);
        NEW.event_type := named;
    END IF;
    made := public.dead_letter_classify(
        NEW.event_type, NEW.error_category, false, NEW.error_reason, NEW.error_stacktrace);
    NEW.error_class := made.error_class;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    NEW.occurred_at := public.event_occurred_at(NEW.payload, NEW.headers);
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
COMMENT ON FUNCTION dlq_events_complete() IS
    'Completes what an INSERT leaves out, and classifies the failure.';

CREATE TRIGGER dlq_events_complete BEFORE INSERT ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_complete();

CREATE FUNCTION dead_letter_keep_failure(replaced dlq_events) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
    INSERT INTO public.dlq_attempts (dlq_event_id, kind, started_at, finished_at, outcome, error_category,
        error_reason, error_stacktrace)
    SELECT replaced.id, 'reported', replaced.last_failure_at, replaced.last_failure_at, 'failed',
        coalesce(replaced.said_category, replaced.error_category), replaced.error_reason, replaced.error_stacktrace
    -- Where it failed while it was under way, the row still shows what was said before, and that is an attempt.
    WHERE NOT EXISTS (
        SELECT FROM public.dlq_attempts a
        WHERE a.dlq_event_id = replaced.id AND a.outcome = 'failed' AND a.finished_at >= replaced.last_failure_at
    ) OR NOT EXISTS (
        SELECT FROM public.dlq_attempts a
        WHERE a.dlq_event_id = replaced.id AND a.outcome = 'failed'
            AND a.error_reason = replaced.error_reason AND a.error_stacktrace = replaced.error_stacktrace
    )
$$;
COMMENT ON FUNCTION dead_letter_keep_failure(dlq_events) IS
    'Makes an attempt of the failure that a dead letter shows, unless whoever reported it has written one.';

CREATE FUNCTION dead_letter_raced() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'another event took this source and key in the same moment'
        USING ERRCODE = 'serialization_failure', HINT = 'Do it again: its bytes are compared with that one''s.';
END $$;
COMMENT ON FUNCTION dead_letter_raced() IS
    'Undoes the statement that calls it, as one that came too late; who sent it sends it again.';

-- What a failure makes of a dead letter. The functions below stand for rules that several statements share; those
-- that are expressions or return rows are put into the statement that calls them, and cost it nothing.
CREATE FUNCTION dead_letter_becomes(failed_as text, retries integer, allowed integer, is_killer boolean DEFAULT false)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN is_killer THEN 'QUARANTINED'
        WHEN failed_as = 'PENDING' AND retries >= allowed THEN 'EXHAUSTED' ELSE failed_as END;
COMMENT ON FUNCTION dead_letter_becomes(text, integer, integer, boolean) IS
    'The state of a dead letter that has failed again: failed_as (PENDING, or QUARANTINED where it cannot be read), '
    'EXHAUSTED when as many retries as allowed have failed, QUARANTINED when it has killed its workers, or timed out too often.';

CREATE FUNCTION dead_letter_times_out(letter bigint, its_message text, its_reason text, most integer) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN starts_with(its_reason, 'HandlerTimeout:') AND most <= 1 + (
        SELECT count(*) FROM dlq_attempts a
        WHERE (a.dlq_event_id = letter OR a.dlq_event_id IS NULL AND a.message = its_message)
            AND starts_with(a.error_reason, 'HandlerTimeout:')
    );
COMMENT ON FUNCTION dead_letter_times_out(bigint, text, text, integer) IS
    'Whether an event, as a dead letter or still as a message (queue/id), has now timed out as often as most: then no '
    'machine tries it again. To be asked before the attempt that failed with its_reason is written.';

CREATE FUNCTION dead_letter_keeps_coming(come_backs integer, most integer) RETURNS boolean LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN most > 0 AND come_backs >= most;
COMMENT ON FUNCTION dead_letter_keeps_coming(integer, integer) IS
    'Whether a dead letter has come back so often from its queue that it goes to a person, and not there again: the '
    'schedule leaves it alone, and a revive of many skips it. Never where most (DLQ_COME_BACKS) is 0.';

CREATE FUNCTION dead_letter_key(its_key text, its_payload jsonb, its_raw bytea) RETURNS text LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN left(its_key, 1000) || ':' || left(coalesce(md5(its_raw), md5(its_payload::text)), 12);
COMMENT ON FUNCTION dead_letter_key(text, jsonb, bytea) IS
    'The key of an event whose own is another event''s, with other bytes: the same whoever brings it.';

CREATE FUNCTION dead_letter_named(its_source text, its_key text, its_payload jsonb, its_raw bytea)
    RETURNS TABLE (source_key text, same_id_as bigint) LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN k.id IS NULL THEN its_key ELSE public.dead_letter_key(its_key, its_payload, its_raw) END, k.id
    FROM (SELECT) event LEFT JOIN public.dlq_events k ON k.source = its_source AND k.source_key = its_key
        AND (k.payload::text IS DISTINCT FROM its_payload::text OR k.payload_raw IS DISTINCT FROM its_raw)
        AND NOT EXISTS (
            SELECT FROM public.payload_versions v
            WHERE v.dlq_event_id = k.id AND v.payload::text IS NOT DISTINCT FROM its_payload::text
                AND v.payload_raw IS NOT DISTINCT FROM its_raw
        )
$$;
COMMENT ON FUNCTION dead_letter_named(text, text, jsonb, bytea) IS
    'Under which key a failed event is kept. Bytes that no version of a dead letter holds are another event, though '
    'they come under its source and id: it has a key of its own and names the first one in same_id_as. Compared as '
    'text: 1 and 1.0 are equal numbers, and two payloads.';

CREATE FUNCTION dead_letter_same_bytes(was dlq_events, again dlq_events) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN was.payload_version > 0
        OR was.payload::text IS NOT DISTINCT FROM again.payload::text
        AND was.payload_raw IS NOT DISTINCT FROM again.payload_raw;
COMMENT ON FUNCTION dead_letter_same_bytes(dlq_events, dlq_events) IS
    'Whether a dead letter is the event that comes again. Asked once dead_letter_named has looked at its versions: '
    'whoever was first in this very moment may have brought other bytes.';

CREATE FUNCTION dead_letter_again(was dlq_events, again dlq_events) RETURNS TABLE (
    occurrences integer, retry_count integer, last_failure_at timestamptz, status text, retry_after timestamptz,
    error_reason text, error_category text, error_stacktrace text
) LANGUAGE sql STABLE
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
COMMENT ON FUNCTION dead_letter_again(dlq_events, dlq_events) IS
    'What a redelivered failure changes in its row: one occurrence more, and the newest error, but where it is under '
    'way: what that comes to is not known yet. What was closed is open again.';

-- Among the first twenty is the very first, among the newest what went on lately; between them a number will do.
CREATE FUNCTION dlq_attempts_folded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    many bigint[];
BEGIN
    IF TG_RELID <> 'public.dlq_attempts'::regclass THEN
        RAISE EXCEPTION 'dlq_attempts_folded serves no other table than dlq_attempts' USING ERRCODE = 'insufficient_privilege';
    END IF;
    many := ARRAY(
        SELECT a.dlq_event_id FROM public.dlq_attempts a
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
        FROM public.dlq_attempts a WHERE a.dlq_event_id = ANY (many)
    ), middle AS (
        DELETE FROM public.dlq_attempts a USING placed p
        WHERE a.id = p.id AND p.place > 20 AND p.place <= p.number - 59 AND a.id <> p.told_first
        RETURNING a.dlq_event_id, a.started_at, a.finished_at, a.outcome, a.reopened_from, a.stands_for
    )
    INSERT INTO public.dlq_attempts (dlq_event_id, kind, started_at, finished_at, outcome, reopened_from, stands_for)
    SELECT dlq_event_id, 'folded', min(started_at), max(finished_at), outcome, reopened_from, sum(stands_for)
    FROM middle GROUP BY dlq_event_id, outcome, reopened_from;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dlq_attempts_folded() IS
    'Keeps about a hundred attempts of a dead letter: the first twenty, the newest, and of those between a row for each '
    'outcome, and for each state in which it was closed until one of them.';

CREATE TRIGGER dlq_attempts_folded AFTER INSERT ON dlq_attempts REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION dlq_attempts_folded();

-- A row trigger, whose condition costs a claim next to nothing; an INSERT in the claim itself would begin and end with
-- each. In the transaction of whoever takes the message over: there is one for each take-over, whatever dies then.
CREATE FUNCTION message_queue_taken_over() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID NOT IN ('public.message_queue'::regclass, 'public.message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_taken_over serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, started_at, finished_at, outcome, error_reason)
    VALUES (
        OLD.dlq_event_id, OLD.queue || '/' || OLD.id, 'crash', coalesce(OLD.owner, ''),
        coalesce(OLD.dequeued_time, clock_timestamp()), clock_timestamp(), 'failed', coalesce(NEW.last_error, '')
    );
    RETURN NULL;
END $$;
COMMENT ON FUNCTION message_queue_taken_over() IS
    'A consumer died while it held a message, and another counts the crash: it is an attempt of the message''s story.';

CREATE TRIGGER message_queue_taken_over AFTER UPDATE ON message_queue FOR EACH ROW
    WHEN (OLD.status = 'processing' AND NEW.status = 'processing' AND NEW.crash_count > OLD.crash_count)
    EXECUTE FUNCTION message_queue_taken_over();
CREATE TRIGGER message_queue_taken_over AFTER UPDATE ON message_queue_unlogged FOR EACH ROW
    WHEN (OLD.status = 'processing' AND NEW.status = 'processing' AND NEW.crash_count > OLD.crash_count)
    EXECUTE FUNCTION message_queue_taken_over();

-- A view of constants: nobody can write to it by mistake, and a trigger that asks it costs nothing.
CREATE VIEW dead_letter_transitions AS SELECT moves.from_status, moves.to_status, moves.meaning FROM (VALUES
    ('PENDING', 'RETRYING', 'claimed by the schedule or an operation'),
    ('PENDING', 'EXHAUSTED', 'no retries left'),
    ('PENDING', 'REVIVED', 'revived'),
    ('PENDING', 'DISCARDED', 'discarded, or its restoring undone'),
    ('RETRYING', 'SUCCEEDED', 'its handler succeeded'),
    ('RETRYING', 'PENDING', 'failed again, its worker died, or it was given back as it had been'),
    ('RETRYING', 'EXHAUSTED', 'failed again at the maximum, or was given back as it had been'),
    ('RETRYING', 'QUARANTINED', 'cannot be read, stopped its worker 3 times, timed out 5 times, or was given back as it had been'),
    ('EXHAUSTED', 'RETRYING', 'retried by a person'),
    ('EXHAUSTED', 'REVIVED', 'revived'),
    ('EXHAUSTED', 'DISCARDED', 'discarded'),
    ('QUARANTINED', 'RETRYING', 'retried by a person'),
    ('QUARANTINED', 'REVIVED', 'revived'),
    ('QUARANTINED', 'DISCARDED', 'discarded'),
    ('REVIVED', 'SUCCEEDED', 'its message was completed'),
    ('REVIVED', 'PENDING', 'its message failed again or is gone, or the revival was undone'),
    ('REVIVED', 'EXHAUSTED', 'its message failed again or is gone at the maximum, or the revival was undone'),
    ('REVIVED', 'QUARANTINED', 'its message cannot be read, its consumer stopped 3 times while it held it, it timed out 5 times, or the revival was undone'),
    ('DISCARDED', 'PENDING', 'restored, failed again, or the discarding undone'),
    ('DISCARDED', 'EXHAUSTED', 'failed again at the maximum, or the discarding undone'),
    ('DISCARDED', 'QUARANTINED', 'came again and cannot be read, or the discarding undone'),
    ('SUCCEEDED', 'PENDING', 'the same event failed again'),
    ('SUCCEEDED', 'EXHAUSTED', 'the same event failed again at the maximum'),
    ('SUCCEEDED', 'QUARANTINED', 'the same event came again and cannot be read')
) moves (from_status, to_status, meaning);
COMMENT ON VIEW dead_letter_transitions IS
    'The moves that a dead letter may make, whoever moves it: a trigger of dlq_events refuses every other.';
GRANT SELECT ON dead_letter_transitions TO PUBLIC;

-- IMMUTABLE, as the view is: a session's plan holds the answer, and a row is not a query more.
CREATE FUNCTION dead_letter_moves() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT t.from_status || ' ' || t.to_status FROM dead_letter_transitions t);
COMMENT ON FUNCTION dead_letter_moves() IS
    'dead_letter_transitions as the trigger of dlq_events reads it. A session reads it once: after a change of the '
    'view programs are started anew.';

CREATE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    made dead_letter_class;
    said text;
    fixed boolean := false;
    -- somebody says that it failed once more, whatever he counts it in
    again CONSTANT boolean := NEW.occurrences > OLD.occurrences OR NEW.last_failure_at > OLD.last_failure_at;
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
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
        IF OLD.status || ' ' || NEW.status <> ALL (public.dead_letter_moves()) THEN
            RAISE EXCEPTION 'dead letter %: % cannot become %; see dead_letter_transitions',
                OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.status = 'REVIVED' AND NEW.revive_count <= OLD.revive_count THEN
            RAISE EXCEPTION 'dead letter %: REVIVED is one whose message is on its queue', OLD.id
                USING ERRCODE = 'check_violation', HINT = format('SELECT revive_dead_letter(%s) makes both.', OLD.id);
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
        PERFORM public.dead_letter_keep_failure(OLD);
        -- Each failure has a time of its own, also of a writer who sends none, or the beginning of his transaction.
        IF NEW.last_failure_at <= OLD.last_failure_at THEN
            NEW.last_failure_at := greatest(clock_timestamp(), OLD.last_failure_at + interval '1 microsecond');
        END IF;
    END IF;
    IF again AND NEW.status = OLD.status AND OLD.status IN ('SUCCEEDED', 'DISCARDED') THEN
        NEW.status := 'PENDING';
        INSERT INTO public.dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_category,
            error_reason, error_stacktrace, reopened_from)
        VALUES (NEW.id, 'reported', 'sql:' || session_user, NEW.last_failure_at, NEW.last_failure_at, 'failed',
            coalesce(NEW.error_category, 'UNKNOWN'), coalesce(NEW.error_reason, ''),
            coalesce(NEW.error_stacktrace, ''), OLD.status);
    END IF;
    IF NEW.status = 'REVIVED' AND OLD.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED') THEN
        NEW.revived_from := OLD.status;
    ELSIF NEW.status <> 'REVIVED' THEN
        NEW.revived_from := NULL;
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
    made := public.dead_letter_classify(NEW.event_type, said, fixed, NEW.error_reason, NEW.error_stacktrace);
    IF OLD.fingerprint_version < 2 THEN
        made.group_id := public.dead_letter_carry_merge(OLD.group_id, made.fingerprint_id, made.group_id);
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
COMMENT ON FUNCTION dlq_events_changed() IS
    'Refuses a move that dead_letter_transitions does not have. Keeps version and updated_at. An UPDATE of what an '
    'error says is the error saying it anew: it is classified, the failure before it is an attempt, and what was '
    'closed is open where occurrences or last_failure_at say that it failed. An UPDATE that writes reclassified_at '
    'brings its own classification: reclassify_dead_letters, and the undo of it.';

CREATE TRIGGER dlq_events_changed BEFORE UPDATE ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_changed();

-- Fires before dlq_events_changed, which classifies what is of another type anew.
CREATE FUNCTION dlq_events_another_type() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    named CONSTANT text := public.event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_another_type serves dlq_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF named <> NEW.event_type THEN
        NEW.queue := coalesce(NEW.queue, OLD.event_type);
        NEW.event_type := named;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION dlq_events_another_type() IS
    'What somebody writes over with an event of another type is of that type, and stays with its queue.';

CREATE TRIGGER dlq_events_another_type BEFORE UPDATE OF event_type, payload, headers ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_another_type();

CREATE FUNCTION dlq_events_edited() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_edited serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    NEW.occurred_at := public.event_occurred_at(NEW.payload, NEW.headers);
    -- an edit of ours counts its version, and writes it down with who and why
    IF NEW.payload_version <> OLD.payload_version OR (OLD.payload::text, OLD.payload_raw, OLD.headers)
        IS NOT DISTINCT FROM (NEW.payload::text, NEW.payload_raw, NEW.headers)
    THEN
        RETURN NEW;
    END IF;
    NEW.payload_version := OLD.payload_version + 1;
    NEW.come_backs := 0;
    INSERT INTO public.payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)
    VALUES (OLD.id, OLD.payload_version, OLD.payload, OLD.payload_raw, OLD.headers, '', ''),
        (NEW.id, NEW.payload_version, NEW.payload, NEW.payload_raw, NEW.headers, 'sql:' || session_user,
            'written over by plain SQL')
    ON CONFLICT (dlq_event_id, number) DO NOTHING;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION dlq_events_edited() IS
    'What somebody writes over a payload or its headers is a version of it, and what was there is kept.';

CREATE TRIGGER dlq_events_edited BEFORE UPDATE OF payload, payload_raw, headers ON dlq_events FOR EACH ROW
    EXECUTE FUNCTION dlq_events_edited();

CREATE FUNCTION reclassify_dead_letters(
    ids bigint[], into_category text DEFAULT NULL, by_operation bigint DEFAULT NULL
) RETURNS TABLE (id bigint, error_category text, group_id bigint) LANGUAGE sql
    SET search_path = pg_catalog, public, pg_temp
AS $$
    WITH locked AS MATERIALIZED (
        SELECT * FROM public.dlq_events WHERE id = ANY (ids) ORDER BY id FOR UPDATE
    ), judged AS MATERIALIZED (
        SELECT l.id, coalesce(l.said_category, l.error_category) AS said, made.error_class, made.category,
            made.category_rule_id, made.fingerprint_id, made.fingerprint_rule_id, made.group_id
        FROM locked l CROSS JOIN LATERAL public.dead_letter_classify(
            l.event_type, coalesce(into_category, l.said_category, l.error_category), into_category IS NOT NULL,
            l.error_reason, l.error_stacktrace) made
        WHERE l.fingerprint_version <> 2 OR made.category <> l.error_category
            OR made.fingerprint_id <> l.fingerprint_id OR made.group_id <> l.group_id
            OR made.category_rule_id IS DISTINCT FROM l.category_rule_id
            OR made.fingerprint_rule_id IS DISTINCT FROM l.fingerprint_rule_id
    )
    UPDATE public.dlq_events d
    SET reclassified_at = clock_timestamp(), error_class = j.error_class, error_category = j.category,
        said_category = nullif(j.said, j.category), category_rule_id = j.category_rule_id,
        fingerprint_id = j.fingerprint_id, fingerprint_rule_id = j.fingerprint_rule_id, fingerprint_version = 2,
        group_id = CASE WHEN d.fingerprint_version < 2
            THEN public.dead_letter_carry_merge(d.group_id, j.fingerprint_id, j.group_id) ELSE j.group_id END,
        -- what became of a revival is counted for the operation that revived
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE coalesce(by_operation, d.operation_id) END
    FROM judged j
    WHERE d.id = j.id AND d.id = ANY (ARRAY(SELECT id FROM judged))
    RETURNING d.id, d.error_category::text, d.group_id
$$;
COMMENT ON FUNCTION reclassify_dead_letters(bigint[], text, bigint) IS
    'Asks the rules again, from what the error itself said; or, with a category, puts the dead letters into that '
    'one. Returns those whose category, rules or group changed. What the error itself said is kept.';

CREATE FUNCTION dead_letter_report(
    event_type text, payload jsonb, error_reason text, error_stacktrace text DEFAULT '', source text DEFAULT NULL,
    source_key text DEFAULT NULL, error_category text DEFAULT 'UNKNOWN', queue text DEFAULT NULL,
    retry_in interval DEFAULT '0', headers jsonb DEFAULT '{}', payload_raw bytea DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    kept bigint;
BEGIN
    IF dead_letter_report.error_category NOT IN ('TRANSIENT', 'DEPENDENCY', 'PERMANENT', 'BUSINESS', 'UNKNOWN') THEN
        RAISE EXCEPTION 'error_category % is none of TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS and UNKNOWN',
            quote_literal(dead_letter_report.error_category) USING ERRCODE = 'check_violation';
    END IF;
    -- Whoever comes too late looks once more: now it sees the one that was quicker, unless its snapshot is older.
    FOR attempt IN 1 .. 10 LOOP
        BEGIN
            WITH event AS MATERIALIZED (
                -- a CloudEvent names itself
                SELECT coalesce(dead_letter_report.source, own.event ->> 'source', 'sql') AS source,
                    coalesce(dead_letter_report.source_key, own.event ->> 'id') AS source_key
                FROM (
                    SELECT CASE WHEN dead_letter_report.payload ? 'specversion' THEN dead_letter_report.payload END
                ) own (event)
            ), named AS MATERIALIZED (
                SELECT e.source, n.source_key, n.same_id_as
                FROM event e CROSS JOIN LATERAL public.dead_letter_named(
                    e.source, e.source_key, dead_letter_report.payload, dead_letter_report.payload_raw) n
            ), added AS (
                INSERT INTO public.dlq_events (event_type, payload, payload_raw, headers, error_reason, error_category,
                    error_stacktrace, retry_after, source, source_key, same_id_as, queue)
                SELECT dead_letter_report.event_type, dead_letter_report.payload, dead_letter_report.payload_raw,
                    coalesce(dead_letter_report.headers, '{}'), dead_letter_report.error_reason,
                    dead_letter_report.error_category, dead_letter_report.error_stacktrace,
                    clock_timestamp() + coalesce(retry_in, '0'), n.source, n.source_key, n.same_id_as,
                    dead_letter_report.queue
                FROM named n
                ON CONFLICT (source, source_key) DO UPDATE
                SET (occurrences, retry_count, last_failure_at, status, retry_after, error_reason, error_category,
                    error_stacktrace) = (SELECT * FROM public.dead_letter_again(dlq_events, excluded))
                WHERE public.dead_letter_same_bytes(dlq_events, excluded)
                RETURNING id
            ), attempted AS (
                INSERT INTO public.dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome,
                    error_category, error_reason, error_stacktrace, reopened_from)
                SELECT a.id, 'reported', 'sql:' || session_user, clock_timestamp(), clock_timestamp(), 'failed',
                    coalesce(dead_letter_report.error_category, 'UNKNOWN'), coalesce(dead_letter_report.error_reason, ''),
                    coalesce(dead_letter_report.error_stacktrace, ''),
                    coalesce((SELECT b.status FROM public.dlq_events b
                        WHERE b.id = a.id AND b.status IN ('SUCCEEDED', 'DISCARDED')), '')
                FROM added a
            )
            SELECT coalesce((SELECT a.id FROM added a), public.dead_letter_raced()) INTO kept;
            RETURN kept;
        EXCEPTION WHEN serialization_failure THEN
            IF attempt = 10 OR current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION dead_letter_report(
    text, jsonb, text, text, text, text, text, text, interval, jsonb, bytea) IS
    'Keeps a failed event, from any language; its dead letter''s id. The same event again, by source and source_key '
    'or as the CloudEvent that it is, is one row with one occurrence more, and each failure is an attempt; other '
    'bytes under its id are a row of their own, and a closed row is open again.';
