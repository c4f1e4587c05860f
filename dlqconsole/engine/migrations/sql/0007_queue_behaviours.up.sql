-- What must hold for message_queue whoever writes to it, second version: messages for later, strict order
-- within groups, and wake-ups only for who sleeps. One statement trigger does all three. A row trigger
-- before the insert, as there was, would make COPY insert row by row.

DROP TRIGGER message_queue_schedule ON message_queue;
DROP FUNCTION message_queue_schedule();
DROP TRIGGER message_queue_wake ON message_queue;
DROP FUNCTION message_queue_wake();
DROP TABLE queue_wakeups;

-- Messages of queues that are declared unlogged. A child of message_queue: whatever reads or moves messages
-- there finds these too. After a crash of the database this table is empty.
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
CREATE INDEX message_queue_unlogged_live ON message_queue_unlogged (queue, ((priority::integer * -1)), id)
    WHERE phase = 'live';
CREATE INDEX message_queue_unlogged_later ON message_queue_unlogged (next_retry_at) WHERE phase = 'scheduled';
CREATE INDEX message_queue_unlogged_group ON message_queue_unlogged (queue, group_key, id)
    WHERE group_key IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_dedupe ON message_queue_unlogged (queue, dedupe_key)
    WHERE dedupe_key IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_one_of_a_group ON message_queue_unlogged (queue, group_in_flight)
    WHERE group_in_flight IS NOT NULL;
CREATE UNIQUE INDEX message_queue_unlogged_one_per_revival ON message_queue_unlogged (dlq_event_id, revive_seq)
    WHERE dlq_event_id IS NOT NULL;

-- Who waits for messages of which queue, and until when at most. Only its own consumer writes a row.
CREATE UNLOGGED TABLE queue_sleepers (
    queue text NOT NULL,
    consumer text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (queue, consumer)
) WITH (fillfactor = 50);

-- A rate-limited queue's tokens. Losing the row in a crash fills the bucket once.
CREATE UNLOGGED TABLE queue_tokens (
    queue text PRIMARY KEY,
    tokens double precision NOT NULL,
    -- what the last caller was given
    taken integer NOT NULL,
    filled_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- SECURITY DEFINER: a producer needs no right but to insert. The search_path is pinned, pg_temp last.
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
BEGIN
    SELECT bool_or(a.next_retry_at > clock_timestamp() AND a.status = 'pending'), bool_or(a.group_key IS NOT NULL),
        array_agg(DISTINCT a.queue)
    INTO later, grouped, queue_names
    FROM added a;

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

CREATE TRIGGER message_queue_added AFTER INSERT ON message_queue
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION message_queue_added();
CREATE TRIGGER message_queue_added AFTER INSERT ON message_queue_unlogged
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION message_queue_added();

-- Completed messages of queues that archive. A partition a day, so that old ones go by DROP, not DELETE.
-- The default partition catches what no day is ready for; message_archive_prepare moves it where it belongs.
CREATE TABLE message_archive (
    id bigint NOT NULL,
    queue varchar(255) NOT NULL,
    payload jsonb,
    payload_raw bytea,
    headers jsonb NOT NULL,
    priority smallint NOT NULL,
    retry_count integer NOT NULL,
    group_key varchar(255),
    dlq_event_id bigint,
    revive_seq integer,
    owner text,
    created_at timestamptz NOT NULL,
    dequeued_time timestamptz,
    archived_at timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (archived_at);
CREATE INDEX message_archive_queue ON message_archive (queue, archived_at DESC, id DESC);
CREATE INDEX message_archive_id ON message_archive (id);
CREATE TABLE message_archive_unplaced PARTITION OF message_archive DEFAULT;

-- Make the partitions of the next days; how many were made. Only one caller at a time works; the others get 0.
CREATE FUNCTION message_archive_prepare(days_ahead integer) RETURNS integer LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    day date;
    made integer := 0;
    partition_name text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1145852242, 0) THEN
        RETURN 0;
    END IF;
    FOR day IN
        SELECT d::date FROM generate_series((now() AT TIME ZONE 'UTC')::date,
            (now() AT TIME ZONE 'UTC')::date + days_ahead, interval '1 day') d
        UNION
        SELECT DISTINCT (archived_at AT TIME ZONE 'UTC')::date FROM public.message_archive_unplaced
        ORDER BY 1
    LOOP
        partition_name := 'message_archive_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('public.' || partition_name) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I (LIKE public.message_archive INCLUDING DEFAULTS)', partition_name);
        -- What fell into the default partition would refuse the new one for ever after.
        EXECUTE format(
            'WITH moved AS (DELETE FROM public.message_archive_unplaced
                 WHERE archived_at >= %1$L AND archived_at < %2$L RETURNING *)
             INSERT INTO public.%3$I SELECT * FROM moved',
            day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC', partition_name);
        EXECUTE format('ALTER TABLE public.message_archive ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
            partition_name, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
        made := made + 1;
    END LOOP;
    RETURN made;
END $$;

-- Drop the partitions whose last day is older than that many days; how many went.
CREATE FUNCTION message_archive_drop(older_than_days integer) RETURNS integer LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    partition_name text;
    dropped integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(1145852242, 0) THEN
        RETURN 0;
    END IF;
    FOR partition_name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'public.message_archive'::regclass AND c.relname ~ '^message_archive_[0-9]{8}$'
            AND to_date(right(c.relname, 8), 'YYYYMMDD')
                < (now() AT TIME ZONE 'UTC')::date - older_than_days
        ORDER BY 1
    LOOP
        EXECUTE format('DROP TABLE public.%I', partition_name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;

SELECT message_archive_prepare(7);
