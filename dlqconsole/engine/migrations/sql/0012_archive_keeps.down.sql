-- Partitions by the day of archiving again. What each message was promised is forgotten.
DROP FUNCTION message_archive_shorten(text, integer, timestamptz, integer, text, text);
DROP FUNCTION message_archive_drop();
DROP FUNCTION message_archive_prepare(integer);
DROP FUNCTION message_archive_keep_until(text, timestamptz);
DROP INDEX message_archive_queue, message_archive_id;
ALTER TABLE message_archive RENAME TO message_archive_by_promise;
ALTER TABLE message_archive_unplaced RENAME TO message_archive_by_promise_unplaced;
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
COMMENT ON TABLE message_archive IS
    'Completed messages of queues that archive. A partition a day, so that old ones go by DROP, not DELETE.';
COMMENT ON TABLE message_archive_unplaced IS
    'Catches what no day''s partition is ready for; message_archive_prepare moves it where it belongs.';

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
COMMENT ON FUNCTION message_archive_prepare(integer) IS
    'Makes the partitions of the next days; how many were made. Only one caller at a time works; the others get 0.';

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
COMMENT ON FUNCTION message_archive_drop(integer) IS
    'Drops the partitions whose last day is older than that many days; how many went.';

COMMENT ON INDEX message_archive_queue IS 'a queue''s archive, newest first; what of it is too old';
COMMENT ON INDEX message_archive_id IS 'an archived message by number';

INSERT INTO message_archive
SELECT id, queue, payload, payload_raw, headers, priority, retry_count, group_key, dlq_event_id, revive_seq, owner,
    created_at, dequeued_time, archived_at
FROM message_archive_by_promise;
DROP TABLE message_archive_by_promise;
SELECT message_archive_prepare(7);
