-- What must hold for message_queue whoever writes to it.

-- A claim rewrites the row in place (HOT) as long as its page has room; dead versions go soon.
ALTER TABLE message_queue SET (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.02
);

ALTER TABLE message_queue ADD CONSTRAINT message_queue_headers_object CHECK (jsonb_typeof(headers) = 'object');

-- A message for later must not stand in the claim index. The WHEN clause keeps the usual insert free of it.
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

-- Wake-ups: at most one a queue every 100 ms. NOTIFY takes a cluster-wide lock until commit, so an
-- unconditional one in every producer's transaction costs two thirds of the throughput. Losing a
-- wake-up costs latency only: consumers poll as well.
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
        -- SKIP LOCKED: a producer never waits for another producer's open transaction.
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
