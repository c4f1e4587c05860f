DROP FUNCTION message_archive_drop(integer);
DROP FUNCTION message_archive_prepare(integer);
DROP TABLE message_archive;
DROP TRIGGER message_queue_added ON message_queue;
DROP TABLE message_queue_unlogged;
DROP FUNCTION message_queue_added();
DROP TABLE queue_tokens;
DROP TABLE queue_sleepers;

CREATE FUNCTION message_queue_schedule() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    NEW.status := 'scheduled';
    RETURN NEW;
END $$;

CREATE TRIGGER message_queue_schedule BEFORE INSERT ON message_queue FOR EACH ROW
    WHEN (NEW.status = 'pending' AND NEW.next_retry_at > clock_timestamp())
    EXECUTE FUNCTION message_queue_schedule();

CREATE UNLOGGED TABLE queue_wakeups (
    queue text PRIMARY KEY,
    notified_at timestamptz NOT NULL
);

CREATE FUNCTION message_queue_wake() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    queue_name text;
BEGIN
    FOR queue_name IN SELECT DISTINCT queue FROM added WHERE status = 'pending' LOOP
        UPDATE queue_wakeups w SET notified_at = clock_timestamp()
        WHERE w.queue IN (
            SELECT q.queue FROM queue_wakeups q
            WHERE q.queue = queue_name AND q.notified_at < clock_timestamp() - interval '100 milliseconds'
            FOR UPDATE SKIP LOCKED
        );
        IF FOUND THEN
            PERFORM pg_notify('message_queue', left(queue_name, 200));
        ELSIF NOT EXISTS (SELECT 1 FROM queue_wakeups q WHERE q.queue = queue_name) THEN
            INSERT INTO queue_wakeups VALUES (queue_name, clock_timestamp()) ON CONFLICT DO NOTHING;
            PERFORM pg_notify('message_queue', left(queue_name, 200));
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER message_queue_wake AFTER INSERT ON message_queue
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT
    EXECUTE FUNCTION message_queue_wake();
