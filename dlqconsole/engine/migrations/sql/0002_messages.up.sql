-- What must hold for message_queue whoever writes to it: messages for later, strict order within groups, and
-- wake-ups only for who sleeps. One statement trigger does all three: a row trigger would make COPY slow.

-- A claim rewrites the row in place (HOT) as long as its page has room; dead versions go soon.
ALTER TABLE message_queue SET (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.02
);

ALTER TABLE message_queue ADD CONSTRAINT message_queue_headers_object CHECK (jsonb_typeof(headers) = 'object');

CREATE UNLOGGED TABLE message_queue_unlogged () INHERITS (message_queue);
ALTER TABLE message_queue_unlogged
    ALTER COLUMN id SET DEFAULT nextval('message_queue_id_seq'),
    ADD PRIMARY KEY (id),
    SET (
        fillfactor = 70,
        autovacuum_vacuum_scale_factor = 0.01,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0.02
    );
CREATE INDEX message_queue_unlogged_live ON message_queue_unlogged (queue, turn, id)
    WHERE phase = 'live';
CREATE INDEX message_queue_unlogged_later ON message_queue_unlogged (next_retry_at) WHERE phase = 'scheduled';
CREATE INDEX message_queue_unlogged_queue_later ON message_queue_unlogged (queue, next_retry_at)
    WHERE phase = 'scheduled';
CREATE INDEX message_queue_unlogged_group ON message_queue_unlogged (queue, group_key, id)
    WHERE group_key IS NOT NULL;
CREATE INDEX message_queue_unlogged_held ON message_queue_unlogged (queue, id) WHERE phase = 'held';
CREATE INDEX message_queue_unlogged_unhandled ON message_queue_unlogged (queue, unhandled_type, id)
    WHERE unhandled_type IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_dedupe ON message_queue_unlogged (queue, dedupe_key)
    WHERE dedupe_key IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_one_of_a_group ON message_queue_unlogged (queue, group_in_flight)
    WHERE group_in_flight IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_one_per_revival ON message_queue_unlogged (dlq_event_id, revive_seq)
    WHERE dlq_event_id IS NOT NULL;

COMMENT ON TABLE message_queue_unlogged IS
    'Messages of queues that are declared unlogged: whatever reads or moves messages in message_queue finds these '
    'too. Empty after a crash of the database.';

CREATE UNLOGGED TABLE queue_sleepers (
    queue text NOT NULL,
    consumer text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (queue, consumer)
) WITH (fillfactor = 50);

COMMENT ON TABLE queue_sleepers IS
    'Who waits for messages of which queue, and until when at most. Only its own consumer writes a row.';

CREATE UNLOGGED TABLE queue_tokens (
    queue text PRIMARY KEY,
    tokens double precision NOT NULL,
    taken integer NOT NULL,
    filled_at timestamptz NOT NULL
) WITH (fillfactor = 50);

COMMENT ON TABLE queue_tokens IS
    'A rate-limited queue''s tokens. Losing the row in a crash fills the bucket once.';
COMMENT ON COLUMN queue_tokens.taken IS 'what the last caller was given';

-- Who may insert only some columns is a producer, and sends to its queues alone. Asked once a statement, by the
-- trigger that there is: row-level security would refuse COPY to whoever does not own the table.
CREATE TABLE producer_queues (
    role_name name NOT NULL,
    queue varchar(255) NOT NULL,
    PRIMARY KEY (role_name, queue)
);
COMMENT ON TABLE producer_queues IS
    'Which producers may send to which queues: roles that may insert only some columns of message_queue. Written by '
    'manage.py grants.';
COMMENT ON INDEX producer_queues_pkey IS 'a producer''s INSERT: whether it may send to that queue';

-- SECURITY DEFINER: a producer needs no right but to insert. The search_path is pinned, pg_temp last. Such a function
-- serves its own tables alone: on anybody else's it would do with our tables what the owner of that one likes.
-- A session keeps the plans of its functions: made while the queue was empty, they must suit a million messages.
-- So each statement says its way: from what was added, by key, and from row to row in the order of the groups.
CREATE FUNCTION message_queue_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
    SET enable_seqscan = off
AS $$
DECLARE
    later boolean;
    grouped boolean;
    queue_names text[];
    queue_name text;
    mode text;
    unseen boolean;
    somebody boolean;
    -- not current_user, which is whom this function belongs to
    sender CONSTANT name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    IF TG_RELID NOT IN ('public.message_queue'::regclass, 'public.message_queue_unlogged'::regclass) THEN
        RAISE EXCEPTION 'message_queue_added serves no other table than message_queue and message_queue_unlogged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT bool_or(a.next_retry_at > clock_timestamp() AND a.status = 'pending'), bool_or(a.group_key IS NOT NULL),
        array_agg(DISTINCT a.queue)
    INTO later, grouped, queue_names
    FROM added a;

    IF NOT has_table_privilege(sender, TG_RELID, 'INSERT') THEN
        SELECT q INTO queue_name FROM unnest(queue_names) q
        WHERE NOT EXISTS (SELECT FROM public.producer_queues p WHERE p.role_name = sender AND p.queue = q) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION '% may not send to the queue %', quote_ident(sender), quote_literal(queue_name)
                USING ERRCODE = 'insufficient_privilege', HINT = 'See producer_queues, and manage.py grants --producer.';
        END IF;
    END IF;
    IF later THEN
        -- A message for later must not stand in the claim index.
        UPDATE public.message_queue m SET status = 'scheduled'
        WHERE m.id = ANY (ARRAY(
            SELECT a.id FROM added a WHERE a.status = 'pending' AND a.next_retry_at > clock_timestamp()
        ));
    END IF;
    IF grouped THEN
        -- Behind an earlier message of its group a message waits; it is called when that one has left.
        UPDATE public.message_queue m SET status = 'waiting'
        WHERE m.id = ANY (ARRAY(
            SELECT a.id FROM added a
            WHERE a.group_key IS NOT NULL AND a.status IN ('pending', 'scheduled')
                AND (SELECT q.fifo_groups FROM public.queues q WHERE q.name = a.queue LIMIT 1) IS NOT FALSE
                AND (
                    SELECT true FROM public.message_queue e
                    WHERE e.queue = a.queue AND e.group_key = a.group_key
                        AND (e.group_key, e.id) < (a.group_key, a.id)
                    LIMIT 1
                )
        ));
    END IF;

    -- NOTIFY takes a lock of the whole cluster until commit, so it is only sent where somebody sleeps.
    -- Sleepers first leave a row, then see that they get the queue's lock exclusively, then look once more.
    -- Holding it shared until commit, we are either waited for, or see the row.
    FOREACH queue_name IN ARRAY coalesce(queue_names, '{}') LOOP
        -- refused while a sleeper makes sure, and then it wants to hear of us
        unseen := NOT pg_try_advisory_xact_lock_shared(1145852241, hashtext(queue_name))
            -- an older snapshot cannot see who went to sleep since
            OR current_setting('transaction_isolation') <> 'read committed';
        SELECT (SELECT q.notify FROM public.queues q WHERE q.name = queue_name),
            unseen OR EXISTS (
                SELECT 1 FROM public.queue_sleepers s
                WHERE s.queue = queue_name AND s.until > clock_timestamp()
            )
        INTO mode, somebody;
        IF mode = 'statement' OR somebody AND mode IS DISTINCT FROM 'off' THEN
            PERFORM pg_notify('message_queue', left(queue_name, 200));
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION message_queue_added() IS
    'Refuses a producer another''s queue. Sets messages for later apart, makes a message wait behind an earlier one of '
    'its group, and wakes who sleeps. '
    'A session keeps the plan of each statement: made while the queue was empty, it must suit a million messages.';

CREATE TRIGGER message_queue_added AFTER INSERT ON message_queue
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION message_queue_added();
CREATE TRIGGER message_queue_added AFTER INSERT ON message_queue_unlogged
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION message_queue_added();
