-- Failures: what one makes of a dead letter, and how it is recorded.

-- What a failure makes of a dead letter. The functions below stand for rules that several statements share; those
-- that are expressions or return rows are put into the statement that calls them, and cost it nothing.
CREATE FUNCTION dead_letter_becomes(failed_as text, retries integer, allowed integer, is_killer boolean DEFAULT false)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN is_killer THEN 'QUARANTINED'
        WHEN failed_as = 'PENDING' AND retries >= allowed THEN 'EXHAUSTED' ELSE failed_as END;
REVOKE EXECUTE ON FUNCTION dead_letter_becomes(text, integer, integer, boolean) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_becomes(text, integer, integer, boolean) IS
    'The state of a dead letter that has failed again: failed_as (PENDING, or QUARANTINED where it cannot be '
    'read), EXHAUSTED when as many retries as allowed have failed, QUARANTINED when it has killed its '
    'workers, or timed out too often.';

CREATE FUNCTION dead_letter_keeps_coming(come_backs integer, most integer) RETURNS boolean LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN most > 0 AND come_backs >= most;
REVOKE EXECUTE ON FUNCTION dead_letter_keeps_coming(integer, integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_keeps_coming(integer, integer) IS
    'Whether a dead letter has come back so often from its queue that it goes to a person, and not there '
    'again: the schedule leaves it alone, and a revive of many skips it. Never where most (DLQ_COME_BACKS) is '
    '0.';

CREATE FUNCTION dead_letter_times_out(letter bigint, its_message text, its_reason text, most integer) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN starts_with(its_reason, 'HandlerTimeout:') AND most <= 1 + (
        SELECT count(*) FROM dlq_attempts a
        WHERE (a.dlq_event_id = letter OR a.dlq_event_id IS NULL AND a.message = its_message)
            AND starts_with(a.error_reason, 'HandlerTimeout:')
    );
REVOKE EXECUTE ON FUNCTION dead_letter_times_out(bigint, text, text, integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_times_out(bigint, text, text, integer) IS
    'Whether an event, as a dead letter or still as a message (queue/id), has now timed out as often as most: '
    'then no machine tries it again. To be asked before the attempt that failed with its_reason is written.';

CREATE FUNCTION dead_letter_key(its_key text, its_payload jsonb, its_raw bytea) RETURNS text LANGUAGE sql IMMUTABLE
    PARALLEL SAFE
    RETURN left(its_key, 1000) || ':' || left(coalesce(md5(its_raw), md5(its_payload::text)), 12);
REVOKE EXECUTE ON FUNCTION dead_letter_key(text, jsonb, bytea) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_key(text, jsonb, bytea) IS
    'The key of an event whose own is another event''s, with other bytes: the same whoever brings it.';

CREATE FUNCTION dead_letter_named(its_source text, its_key text, its_payload jsonb, its_raw bytea)
    RETURNS TABLE (source_key text, same_id_as bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT CASE WHEN k.id IS NULL THEN its_key ELSE dead_letter_key(its_key, its_payload, its_raw) END, k.id
    FROM (SELECT) event LEFT JOIN dlq_events k ON k.source = its_source AND k.source_key = its_key
        AND (k.payload::text IS DISTINCT FROM its_payload::text OR k.payload_raw IS DISTINCT FROM its_raw)
        AND NOT EXISTS (
            SELECT FROM payload_versions v
            WHERE v.dlq_event_id = k.id AND v.payload::text IS NOT DISTINCT FROM its_payload::text
                AND v.payload_raw IS NOT DISTINCT FROM its_raw
        );
END;
REVOKE EXECUTE ON FUNCTION dead_letter_named(text, text, jsonb, bytea) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_named(text, text, jsonb, bytea) IS
    'Under which key a failed event is kept. Bytes that no version of a dead letter holds are another event, '
    'though they come under its source and id: it has a key of its own and names the first one in same_id_as. '
    'Compared as text: 1 and 1.0 are equal numbers, and two payloads.';

CREATE FUNCTION dead_letter_same_bytes(was dlq_events, again dlq_events) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN was.payload_version > 0
        OR was.payload::text IS NOT DISTINCT FROM again.payload::text
        AND was.payload_raw IS NOT DISTINCT FROM again.payload_raw;
REVOKE EXECUTE ON FUNCTION dead_letter_same_bytes(dlq_events, dlq_events) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_same_bytes(dlq_events, dlq_events) IS
    'Whether a dead letter is the event that comes again. Asked once dead_letter_named has looked at its '
    'versions: whoever was first in this very moment may have brought other bytes.';

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
REVOKE EXECUTE ON FUNCTION dead_letter_again(dlq_events, dlq_events) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_again(dlq_events, dlq_events) IS
    'What a redelivered failure changes in its row: one occurrence more, and the newest error, but where it '
    'is under way: what that comes to is not known yet. What was closed is open again.';

CREATE FUNCTION dead_letter_raced() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'another event took this source and key in the same moment'
        USING ERRCODE = 'serialization_failure', HINT = 'Do it again: its bytes are compared with that one''s.';
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_raced() FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_raced() IS
    'Undoes the statement that calls it, as one that came too late; who sent it sends it again.';

CREATE FUNCTION dead_letter_add(letter dlq_events) RETURNS TABLE (id bigint, reopened_from text) LANGUAGE plpgsql
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dead_letter_add(dlq_events) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_add(dlq_events) IS
    'Adds one dead letter, or one occurrence more to the row of the same event; its id, and the state in which that '
    'was closed until now.';

CREATE FUNCTION error_category_check(error_category text) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
BEGIN
    IF error_category NOT IN ('TRANSIENT', 'DEPENDENCY', 'PERMANENT', 'BUSINESS', 'UNKNOWN') THEN
        RAISE EXCEPTION 'error_category % is none of TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS and UNKNOWN',
            quote_literal(error_category) USING ERRCODE = 'check_violation';
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION error_category_check(text) FROM PUBLIC;
COMMENT ON FUNCTION error_category_check(text) IS 'Refuses what is no category, before anything is written.';

-- Apart from the attempts, of which the middle is folded: whoever sends a report again may do so a week later.
CREATE TABLE failure_reports (
    id uuid NOT NULL,
    digest uuid NOT NULL,
    dlq_event_id bigint NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT failure_reports_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE failure_reports IS 'A report of a failure that its sender gave an id, so that it counts once; kept for 30 days.';
COMMENT ON COLUMN failure_reports.digest IS 'of what it said: another failure under its id is refused';
COMMENT ON INDEX failure_reports_pkey IS 'a report that is sent again';

CREATE INDEX failure_reports_old ON failure_reports USING brin (reported_at);
COMMENT ON INDEX failure_reports_old IS 'the old ones, to be let go of';

CREATE FUNCTION failure_report(
    reporter text, report_id uuid, event_type text, payload jsonb, payload_raw bytea, headers jsonb, error_reason text,
    error_stacktrace text, error_category text, source text, source_key text, queue text,
    retry_in interval DEFAULT '0'
) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION failure_report(text, uuid, text, jsonb, bytea, jsonb, text, text, text, text, text, text, interval) FROM PUBLIC;
COMMENT ON FUNCTION failure_report(text, uuid, text, jsonb, bytea, jsonb, text, text, text, text, text, text, interval) IS
    'Keeps a failed event as its reporter tells it; its dead letter''s id. The same report_id again changes nothing.';

CREATE FUNCTION dead_letter_report(
    event_type text, payload jsonb, error_reason text, error_stacktrace text DEFAULT '', source text DEFAULT NULL,
    source_key text DEFAULT NULL, error_category text DEFAULT 'UNKNOWN', queue text DEFAULT NULL,
    retry_in interval DEFAULT '0', headers jsonb DEFAULT '{}', payload_raw bytea DEFAULT NULL,
    report_id uuid DEFAULT NULL
) RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
    SELECT failure_report('sql:' || session_user, report_id, event_type, payload, payload_raw, headers, error_reason,
        error_stacktrace, error_category, source, source_key, queue, retry_in)
$$;
REVOKE EXECUTE ON FUNCTION dead_letter_report(text, jsonb, text, text, text, text, text, text, interval, jsonb, bytea, uuid) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_report(text, jsonb, text, text, text, text, text, text, interval, jsonb, bytea, uuid) IS
    'Keeps a failed event, from any language; its dead letter''s id. The same event again, by source and '
    'source_key or as the CloudEvent that it is, is one row with one occurrence more, and each failure is an '
    'attempt; other bytes under its id are a row of their own, and a closed row is open again. A revived one comes '
    'back, where headers name its revival (x-dlq-revive-seq) and another system has its message. A report that is '
    'sent again under its report_id changes nothing.';
