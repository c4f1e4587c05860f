-- revive_dead_letter(id): put one dead letter back on its queue, from any language. One statement: dead letter, message
-- and audit row change together. SECURITY INVOKER and a pinned search_path (pg_temp last): no shadow table can stand
-- in for ours.
CREATE FUNCTION revive_headers(headers jsonb, event_type text, source text, source_key text, payload jsonb)
    RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    -- A CloudEvent names itself; anything else is told who it is by headers. Notes of the earlier
    -- failure (x-death and its like) do not travel with the new message.
    RETURN (
        SELECT coalesce(jsonb_object_agg(h.key, h.value), '{}'::jsonb)
        FROM jsonb_each(headers) h
        WHERE h.key NOT ILIKE 'x-death%' AND h.key NOT ILIKE 'dlq\_%'
    ) || CASE
        WHEN payload IS NOT NULL AND jsonb_typeof(payload) = 'object' AND payload ? 'specversion' THEN '{}'::jsonb
        ELSE jsonb_build_object('ce_type', event_type, 'ce_source', source, 'ce_id', source_key)
    END;
COMMENT ON FUNCTION revive_headers(jsonb, text, text, text, jsonb) IS
    'The headers of a revived message. A CloudEvent names itself; anything else is told who it is by headers. Notes '
    'of the earlier failure (x-death and its like) do not travel with the new message.';

CREATE FUNCTION revive_dead_letter(dead_letter_id bigint) RETURNS bigint LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    message_id bigint;
BEGIN
    WITH revived AS (
        UPDATE public.dlq_events d
        SET status = 'REVIVED', revive_count = d.revive_count + 1, revived_at = clock_timestamp(),
            operation_id = NULL
        WHERE d.id = dead_letter_id AND d.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        RETURNING d.*
    ), sent AS (
        INSERT INTO public.message_queue (queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq)
        SELECT coalesce(nullif(r.queue, ''), r.event_type), r.payload,
            CASE WHEN r.payload IS NULL THEN coalesce(r.payload_raw, ''::bytea) ELSE r.payload_raw END,
            public.revive_headers(r.headers, r.event_type, r.source, r.source_key, r.payload),
            r.group_key, r.id, r.revive_count
        FROM revived r
        RETURNING id
    ), noted AS (
        INSERT INTO public.audit_log (actor, action, target, reason, detail)
        SELECT 'sql:' || session_user, 'revive', 'dead_letter:' || r.id, 'revive_dead_letter()',
            jsonb_build_object('message_id', s.id, 'revive_count', r.revive_count)
        FROM revived r, sent s
    )
    SELECT id INTO message_id FROM sent;
    RETURN message_id;
END $$;
COMMENT ON FUNCTION revive_dead_letter(bigint) IS
    'Puts a dead letter back on its queue, in the group that the failed message was in. Returns the new message''s '
    'id, or NULL when it was not revivable: calling it twice never makes two messages.';

-- What becomes of a revived dead letter whose message goes without a word, whoever takes it away and in whatever
-- language. Our own statements say what became of it themselves; what they have settled is REVIVED no more.
CREATE FUNCTION dead_letter_return_lost(lost bigint[], their_messages text[], reasons text[], who text)
    RETURNS SETOF bigint LANGUAGE sql
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
AS $$
    WITH gone AS (
        SELECT * FROM unnest(lost, their_messages, reasons) g (id, message, reason)
    ), returned AS (
        UPDATE public.dlq_events d
        SET status = coalesce(d.revived_from, 'EXHAUSTED'),
            -- Whoever took the message may not want it run at once: a person has the time to look.
            retry_after = greatest(d.retry_after, clock_timestamp() + interval '1 hour')
        FROM gone g
        WHERE d.id = g.id AND d.status = 'REVIVED'
        RETURNING d.id, g.message, g.reason, least(d.revived_at, clock_timestamp()) AS revived_at
    )
    INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, started_at, finished_at, outcome, error_reason)
    SELECT r.id, left(r.message, 320), 'revive', who, coalesce(r.revived_at, clock_timestamp()), clock_timestamp(),
        'lost', r.reason
    FROM returned r
    ORDER BY r.id
    RETURNING dlq_event_id
$$;
COMMENT ON FUNCTION dead_letter_return_lost(bigint[], text[], text[], text) IS
    'Revived dead letters whose messages are lost return to where they were, each with its reason; those that did. '
    'The schedule leaves them alone for an hour. Whoever calls has locked them, in order.';

CREATE FUNCTION dead_letter_popped(letter bigint, revival integer, its_message text, who text, died text,
    held_since timestamptz) RETURNS boolean LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    UPDATE public.dlq_events d SET status = 'SUCCEEDED'
    WHERE d.id = letter AND d.revive_count = revival AND d.status = 'REVIVED';
    IF FOUND THEN
        IF died IS NOT NULL THEN
            INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, started_at, outcome, error_reason)
            VALUES (letter, left(its_message, 320), 'crash', died, coalesce(held_since, statement_timestamp()), 'failed',
                'the consumer ' || died || ' stopped while holding this message');
        END IF;
        INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, outcome, error_reason)
        VALUES (letter, left(its_message, 320), 'revive', who, 'succeeded',
            'Popped, without a handler of ours: taken at most once');
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION dead_letter_popped(bigint, integer, text, text, text, timestamptz) IS
    'A revived dead letter whose message was popped has succeeded; died: who held it until then. Called for such messages only: an UPDATE in the '
    'statement of every pop would run the triggers of dlq_events each time, which costs more than the pop. NULL.';

-- Somebody else's consumer noted a failure, on a dead-letter topic say, and whoever reads that may read it again.
CREATE FUNCTION dead_letter_failed_there(place text, letter bigint, revival integer, its_source text, its_key text,
    its_payload jsonb, its_raw bytea, reason text, category text, stacktrace text) RETURNS bigint LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
AS $$
DECLARE
    was public.dlq_events;
    came_back boolean;
    told_before bigint;
BEGIN
    SELECT a.dlq_event_id INTO told_before FROM public.dlq_attempts a
    WHERE a.message = left(place, 320) AND a.dlq_event_id IS NOT NULL LIMIT 1;
    IF FOUND THEN
        RETURN told_before;
    END IF;
    SELECT d.* INTO was FROM public.dlq_events d WHERE d.id = letter AND d.revive_count = revival FOR UPDATE;
    came_back := FOUND;
    IF NOT came_back THEN
        SELECT d.* INTO was FROM public.dead_letter_named(its_source, its_key, its_payload, its_raw) n
        JOIN public.dlq_events d ON d.source = its_source AND d.source_key = n.source_key
        WHERE d.headers ->> 'dlq_record' IS DISTINCT FROM place
        FOR UPDATE OF d;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    UPDATE public.dlq_events d
    SET status = CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') OR came_back AND was.status = 'REVIVED'
            THEN 'PENDING' ELSE was.status END,
        occurrences = was.occurrences + 1, last_failure_at = clock_timestamp(),
        retry_after = greatest(was.retry_after, clock_timestamp() + interval '1 minute'),
        error_reason = CASE WHEN was.status = 'RETRYING' THEN was.error_reason ELSE reason END,
        error_category = CASE WHEN was.status = 'RETRYING' THEN was.error_category ELSE category END,
        error_stacktrace = CASE WHEN was.status = 'RETRYING' THEN was.error_stacktrace ELSE stacktrace END
    WHERE d.id = was.id;
    INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, started_at, finished_at, outcome,
        error_category, error_reason, error_stacktrace, reopened_from)
    VALUES (was.id, left(place, 320), CASE WHEN came_back THEN 'revive' ELSE 'reported' END, 'noted at ' || left(place, 200),
        coalesce(CASE WHEN came_back THEN was.revived_at END, clock_timestamp()), clock_timestamp(), 'failed',
        category, reason, stacktrace,
        CASE WHEN was.status IN ('SUCCEEDED', 'DISCARDED') THEN was.status ELSE '' END);
    RETURN was.id;
END $$;
COMMENT ON FUNCTION dead_letter_failed_there(text, bigint, integer, text, text, jsonb, bytea, text, text, text) IS
    'One more failure of an event that is a dead letter already, noted by somebody else at a place; the dead letter, '
    'or NULL for an event that is none. A revived one returns. The same place told again changes nothing.';

CREATE FUNCTION dead_letter_settle_removed(letters bigint[], revivals integer[], their_messages text[], holders text[],
    claimed timestamptz[]) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
AS $$
DECLARE
    who CONSTANT text :=
        session_user || coalesce(' (' || nullif(current_setting('application_name', true), '') || ')', '');
    lost bigint[];
    lost_messages text[];
    reasons text[];
BEGIN
    PERFORM FROM public.dlq_events d WHERE d.id = ANY (letters) AND d.status = 'REVIVED' ORDER BY d.id FOR UPDATE;
    -- Looked at under the lock: what was moved to another table, or forwarded to another system, is on its way still.
    WITH gone AS MATERIALIZED (
        SELECT g.*, g.holder IS NOT NULL AND NOT EXISTS (
            -- who reports a failure and then takes the message off has given up on it
            SELECT FROM public.dlq_attempts a
            WHERE a.dlq_event_id = g.letter AND a.kind = 'reported' AND a.worker LIKE 'sql:%'
                AND a.outcome = 'failed' AND a.finished_at >= g.claimed_at
        ) AS done
        FROM unnest(letters, revivals, their_messages, holders, claimed)
            g (letter, revival, message, holder, claimed_at)
        WHERE NOT EXISTS (
                SELECT FROM public.message_queue m WHERE m.dlq_event_id = g.letter AND m.revive_seq = g.revival
            ) AND NOT EXISTS (
                SELECT FROM public.forwarded_messages f WHERE f.dlq_event_id = g.letter AND f.revive_seq = g.revival
            ) AND (
                SELECT d.status = 'REVIVED' AND d.revive_count = g.revival FROM public.dlq_events d WHERE d.id = g.letter
            )
    ), healed AS (
        UPDATE public.dlq_events d SET status = 'SUCCEEDED'
        FROM gone g
        WHERE d.id = g.letter AND g.done AND d.status = 'REVIVED'
        RETURNING d.id, g.message, g.holder, g.claimed_at
    ), attempted AS (
        INSERT INTO public.dlq_attempts (dlq_event_id, message, kind, worker, started_at, finished_at, outcome,
            error_reason)
        SELECT h.id, left(h.message, 320), 'revive', h.holder, coalesce(h.claimed_at, clock_timestamp()),
            clock_timestamp(), 'succeeded', format('Completed by its consumer, without a handler of ours; taken off by %s', who)
        FROM healed h
        ORDER BY h.id
    )
    SELECT array_agg(g.letter), array_agg(g.message),
        array_agg(format('MessageDeleted: %s deleted its message %s, %s', who, g.message, CASE WHEN g.holder IS NULL
            THEN 'which nobody held' ELSE 'for which a failure had been reported' END))
    INTO lost, lost_messages, reasons
    FROM gone g WHERE NOT g.done;
    IF lost IS NOT NULL THEN
        PERFORM public.dead_letter_return_lost(lost, lost_messages, reasons, who);
    END IF;
END $$;
COMMENT ON FUNCTION dead_letter_settle_removed(bigint[], integer[], text[], text[], timestamptz[]) IS
    'Messages of revived dead letters were deleted. Those that a consumer held are completed: SUCCEEDED. The others '
    'are lost, or were given up by who reported a failure meanwhile, and their dead letters return to where they were. '
    'What has its message somewhere else stays REVIVED.';

CREATE FUNCTION message_queue_call_next(queues text[], group_keys text[]) RETURNS bigint LANGUAGE sql
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
AS $$
    WITH called AS (
        UPDATE public.message_queue m
        SET status = CASE WHEN m.next_retry_at > clock_timestamp() THEN 'scheduled' ELSE 'pending' END
        WHERE m.status = 'waiting' AND m.id = ANY (ARRAY(
            SELECT head.id FROM unnest(queues, group_keys) g (queue, group_key),
                LATERAL (
                    SELECT e.id FROM public.message_queue e
                    WHERE e.queue = g.queue AND e.group_key = g.group_key
                    ORDER BY e.queue, e.group_key, e.id LIMIT 1
                ) head
            ORDER BY head.id
        ))
        RETURNING m.id
    )
    SELECT count(*) FROM called
$$;
COMMENT ON FUNCTION message_queue_call_next(text[], text[]) IS
    'Calls the next of each of these groups, now that the one before it has left; how many were waiting.';

-- SECURITY DEFINER: who may only delete messages settles their dead letters, too, and calls who waits behind them.
CREATE FUNCTION message_queue_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID NOT IN ('public.message_queue'::regclass, 'public.message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_removed serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- almost every message is nobody's revival
    IF EXISTS (SELECT FROM removed r WHERE r.dlq_event_id IS NOT NULL) THEN
        PERFORM public.dead_letter_settle_removed(
            array_agg(r.dlq_event_id), array_agg(r.revive_seq), array_agg(r.queue || '/' || r.id),
            array_agg(CASE
                WHEN r.status = 'processing' AND (r.lease_until IS NULL OR r.lease_until >= clock_timestamp())
                THEN coalesce(r.owner, session_user::text) END),
            array_agg(r.dequeued_time))
        FROM removed r WHERE r.dlq_event_id IS NOT NULL;
    END IF;
    IF EXISTS (SELECT FROM removed r WHERE r.group_key IS NOT NULL) THEN
        PERFORM public.message_queue_call_next(array_agg(r.queue), array_agg(r.group_key))
        FROM (SELECT DISTINCT queue::text, group_key::text FROM removed WHERE group_key IS NOT NULL) r;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION message_queue_removed() IS
    'After a DELETE by anybody: settles the revived dead letters whose messages went and who are REVIVED still, and '
    'calls the next of each group.';

CREATE TRIGGER message_queue_removed AFTER DELETE ON message_queue
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_queue_removed();
CREATE TRIGGER message_queue_removed AFTER DELETE ON message_queue_unlogged
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_queue_removed();

-- A TRUNCATE does not say what it empties; whoever finds the dead letters afterwards can say who it was.
CREATE FUNCTION message_queue_emptied() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID NOT IN ('public.message_queue'::regclass, 'public.message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_emptied serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO public.audit_log (actor, action, target, reason)
    VALUES ('sql:' || session_user, 'truncate', 'table:message_queue', 'TRUNCATE ' || TG_TABLE_NAME);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION message_queue_emptied() IS 'Writes into the audit log who emptied the table of messages.';

CREATE TRIGGER message_queue_emptied AFTER TRUNCATE ON message_queue
    FOR EACH STATEMENT EXECUTE FUNCTION message_queue_emptied();
CREATE TRIGGER message_queue_emptied AFTER TRUNCATE ON message_queue_unlogged
    FOR EACH STATEMENT EXECUTE FUNCTION message_queue_emptied();
