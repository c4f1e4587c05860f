-- What the database completes of every dead letter: facts of its event, its classification, versions of its payload.

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
REVOKE EXECUTE ON FUNCTION event_moment(text) FROM PUBLIC;
COMMENT ON FUNCTION event_moment(text) IS
    'The moment that an RFC 3339 text says; NULL where it is none, or none that the calendar has.';

CREATE FUNCTION event_occurred_at(payload jsonb, headers jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN event_moment(CASE WHEN payload ? 'specversion' THEN payload ->> 'time' ELSE headers ->> 'ce_time' END);
REVOKE EXECUTE ON FUNCTION event_occurred_at(jsonb, jsonb) FROM PUBLIC;
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
REVOKE EXECUTE ON FUNCTION event_type_named(jsonb, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION event_type_named(jsonb, jsonb) IS
    'The type that an event names itself, and so whose handler runs: that of a CloudEvent, the header ce_type '
    'of anything else. NULL: it names none.';

-- SECURITY DEFINER: a producer needs no right but to insert.
CREATE FUNCTION dlq_events_complete() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dlq_events_complete() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_complete() IS
    'Completes what an INSERT leaves out, and classifies the failure.';

CREATE TRIGGER dlq_events_complete BEFORE INSERT ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_complete();

-- Fires before dlq_events_changed, which classifies what is of another type anew.
CREATE FUNCTION dlq_events_another_type() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dlq_events_another_type() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_another_type() IS
    'What somebody writes over with an event of another type is of that type, and stays with its queue.';

CREATE TRIGGER dlq_events_another_type BEFORE UPDATE OF event_type, payload, headers ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_another_type();

CREATE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dlq_events_changed() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_changed() IS
    'Refuses a move that dead_letter_transitions does not have. Keeps version and updated_at. An UPDATE of '
    'what an error says is the error saying it anew: it is classified, the failure before it is an attempt, '
    'and what was closed is open where occurrences or last_failure_at say that it failed. An UPDATE that '
    'writes reclassified_at brings its own classification: reclassify_dead_letters, and the undo of it.';

CREATE TRIGGER dlq_events_changed BEFORE UPDATE ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_changed();

CREATE FUNCTION dlq_events_edited() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dlq_events_edited() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_edited() IS
    'What somebody writes over a payload or its headers is a version of it, and what was there is kept.';

CREATE TRIGGER dlq_events_edited BEFORE UPDATE OF payload, payload_raw, headers ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_edited();
