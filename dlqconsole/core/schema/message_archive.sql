-- Completed messages of queues with retention 'archive', in partitions by the day they are kept until.

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
    archived_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    keep_until timestamptz NOT NULL,
    CONSTRAINT message_archive_moments CHECK (keep_until > '1900-01-01 00:00:00+00'::timestamptz
        AND keep_until < '9999-01-01 00:00:00+00'::timestamptz)
) PARTITION BY RANGE (keep_until);
COMMENT ON TABLE message_archive IS
    'Completed messages of queues that archive. A partition holds what is kept until one day, and goes after '
    'it.';
COMMENT ON COLUMN message_archive.keep_until IS
    'fixed when it was archived, by message_archive_keep_until: later changes of the queue leave it alone';

CREATE INDEX message_archive_id ON message_archive (id);
COMMENT ON INDEX message_archive_id IS 'an archived message by number';

CREATE INDEX message_archive_letter ON message_archive (dlq_event_id) WHERE dlq_event_id IS NOT NULL;
COMMENT ON INDEX message_archive_letter IS 'a purge: what a dead letter was revived as';

CREATE INDEX message_archive_queue ON message_archive (queue, archived_at DESC, id DESC);
COMMENT ON INDEX message_archive_queue IS
    'a queue''s archive, newest first; what of it a shorter policy would cost';

CREATE TABLE message_archive_unplaced PARTITION OF message_archive DEFAULT;
COMMENT ON TABLE message_archive_unplaced IS
    'Catches what no day''s partition is ready for. message_archive_prepare moves it where it belongs; what '
    'reaches its time here is deleted page by page.';

CREATE INDEX message_archive_unplaced_until ON message_archive_unplaced (keep_until);
COMMENT ON INDEX message_archive_unplaced_until IS
    'what has outlived its time where no partition was made; which days stand there';

CREATE FUNCTION message_archive_keep_until(of_queue text, since timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE
    SET search_path FROM CURRENT
AS $$
BEGIN
    -- A hundred years at most: more would end beyond what a timestamp is read as. Hours: a day is as long in every
    -- time zone.
    RETURN since + make_interval(hours => 24 * least(36500,
        coalesce((SELECT q.archive_days FROM queues q WHERE q.name = of_queue), 30)));
END $$;
REVOKE EXECUTE ON FUNCTION message_archive_keep_until(text, timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION message_archive_keep_until(text, timestamptz) IS
    'How long a message of that queue is kept which is archived at that moment, by its policy of now. Whoever '
    'archives asks it.';

-- The one way into the archive: what has gone from a queue, kept as long as its queue's policy says at this moment.
CREATE FUNCTION message_archive_add(gone message_queue[]) RETURNS bigint[] LANGUAGE sql
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION message_archive_add(message_queue[]) FROM PUBLIC;
COMMENT ON FUNCTION message_archive_add(message_queue[]) IS
    'Archives messages that have gone from their queue; their ids.';

-- SECURITY DEFINER, the next three: who archives may neither make nor drop a table, nor reach into a partition.
CREATE FUNCTION message_archive_prepare(days_ahead integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
    SET lock_timeout = '500ms'
AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION message_archive_prepare(integer) FROM PUBLIC;
COMMENT ON FUNCTION message_archive_prepare(integer) IS
    'Makes the next partition that is wanted within so many days, for what each queue''s policy says and for '
    'what stands unplaced; its name. NULL: there is none to make, or somebody is in the way.';

CREATE FUNCTION message_archive_drop() RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
    SET lock_timeout = '500ms'
AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION message_archive_drop() FROM PUBLIC;
COMMENT ON FUNCTION message_archive_drop() IS
    'Drops the oldest partition whose day is over, with an audit row that counts what was in it; its name. '
    'NULL: there is none, or somebody is in the way.';

CREATE FUNCTION message_archive_shorten(of_queue text, days integer, archived_before timestamptz, page integer,
    actor text, reason text, OUT deleted bigint, OUT shortened bigint) LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION message_archive_shorten(text, integer, timestamptz, integer, text, text) FROM PUBLIC;
COMMENT ON FUNCTION message_archive_shorten(text, integer, timestamptz, integer, text, text) IS
    'Keeps no longer than so many days what a queue archived before a moment: one page of it, with its audit '
    'row. How many went at once, and how many will go earlier; none: there are no more.';

-- Partitions for a week ahead; later ones are made by whoever archives.
DO $$
BEGIN
    LOOP
        EXIT WHEN message_archive_prepare(7) IS NULL;
    END LOOP;
END $$;
