-- The order within a group of messages: who is next, and which dead letter keeps a group waiting.

-- A dead letter stands in its group where its message stood. REVIVED it is not ahead itself: its message is.
CREATE INDEX dlq_events_ahead ON dlq_events (queue, group_key, original_message_id) WHERE group_key IS NOT NULL
    AND status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED');
COMMENT ON INDEX dlq_events_ahead IS
    'send, call the next of a group: the dead letter that keeps it waiting; what waits for a dead letter';

CREATE FUNCTION dead_letter_ahead(of_queue text, of_group text, message_id bigint) RETURNS bigint LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
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
REVOKE EXECUTE ON FUNCTION dead_letter_ahead(text, text, bigint) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_ahead(text, text, bigint) IS
    'The dead letter that a message waits for, on a queue that holds: the first open one of its group whose '
    'message was sent before it. NULL where it need not wait.';

CREATE FUNCTION message_queue_call_next(queues text[], group_keys text[]) RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
    SET enable_seqscan = off
    SET jit = off
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
REVOKE EXECUTE ON FUNCTION message_queue_call_next(text[], text[]) FROM PUBLIC;
COMMENT ON FUNCTION message_queue_call_next(text[], text[]) IS
    'Calls the next of each of these groups, now that the one before it has left; how many were waiting. Where '
    'a dead letter holds the group, its next waits, also one that was called already.';

CREATE FUNCTION revived_message_id(to_queue text, to_group text, its_queue text, its_message bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION revived_message_id(text, text, text, bigint) FROM PUBLIC;
COMMENT ON FUNCTION revived_message_id(text, text, text, bigint) IS
    'The number of a dead letter''s new message. On a queue that holds it is the one that its message had, so '
    'that it comes first in its group; else the next.';

-- SECURITY DEFINER: whoever settles a dead letter calls who waited for it.
CREATE FUNCTION dlq_events_regrouped() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION dlq_events_regrouped() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_regrouped() IS
    'On a queue that holds: a group waits for its new dead letter, and goes on once that one is closed or '
    'deleted.';

CREATE TRIGGER dlq_events_regrouped_added AFTER INSERT ON dlq_events
    FOR EACH ROW WHEN (NEW.group_key IS NOT NULL AND NEW.original_message_id IS NOT NULL)
    EXECUTE FUNCTION dlq_events_regrouped();

CREATE TRIGGER dlq_events_regrouped_changed AFTER UPDATE ON dlq_events
    FOR EACH ROW WHEN (NEW.group_key IS NOT NULL AND OLD.status <> NEW.status
    AND (OLD.status IN ('SUCCEEDED', 'DISCARDED', 'REVIVED')) <> (NEW.status IN ('SUCCEEDED', 'DISCARDED', 'REVIVED')))
    EXECUTE FUNCTION dlq_events_regrouped();

CREATE TRIGGER dlq_events_regrouped_removed AFTER DELETE ON dlq_events
    FOR EACH ROW WHEN (OLD.group_key IS NOT NULL AND OLD.status NOT IN ('SUCCEEDED', 'DISCARDED', 'REVIVED'))
    EXECUTE FUNCTION dlq_events_regrouped();
