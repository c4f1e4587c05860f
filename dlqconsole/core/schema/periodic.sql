-- Periodic handlers: a message at each tick, once for the fleet.

CREATE TABLE periodic_ticks (
    event_type text NOT NULL,
    cron text NOT NULL,
    timezone text NOT NULL,
    queue text NOT NULL,
    tick timestamptz NOT NULL,
    message_id bigint,
    CONSTRAINT periodic_ticks_pkey PRIMARY KEY (event_type)
);
COMMENT ON TABLE periodic_ticks IS 'The last tick of each periodic handler; nobody sends a message for it again.';
COMMENT ON COLUMN periodic_ticks.cron IS 'as the handler''s code said it with this tick';
COMMENT ON COLUMN periodic_ticks.timezone IS 'in which the cron expression''s hours are';
COMMENT ON COLUMN periodic_ticks.message_id IS 'of the tick; NULL where the handler was new, and none was sent';
COMMENT ON INDEX periodic_ticks_pkey IS 'each tick once';

CREATE FUNCTION periodic_send(event_type text, cron text, timezone text, queue text, tick timestamptz)
    RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    moment CONSTANT text := to_char(periodic_send.tick AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
    sent bigint;
BEGIN
    INSERT INTO periodic_ticks (event_type, cron, timezone, queue, tick)
    VALUES (periodic_send.event_type, periodic_send.cron, periodic_send.timezone, periodic_send.queue,
        periodic_send.tick)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN NULL;
    END IF;
    -- who comes second waits here, and finds the tick taken
    UPDATE periodic_ticks p
    SET cron = periodic_send.cron, timezone = periodic_send.timezone, queue = periodic_send.queue,
        tick = periodic_send.tick
    WHERE p.event_type = periodic_send.event_type AND p.tick < periodic_send.tick
        AND periodic_send.tick <= clock_timestamp();
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    sent := queue_send(periodic_send.queue, jsonb_build_object(
        'specversion', '1.0', 'type', periodic_send.event_type, 'source', 'periodic',
        'id', periodic_send.event_type || ' ' || moment, 'time', moment, 'data', jsonb_build_object()
    ));
    UPDATE periodic_ticks p SET message_id = sent WHERE p.event_type = periodic_send.event_type;
    RETURN sent;
END $$;
REVOKE EXECUTE ON FUNCTION periodic_send(text, text, text, text, timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION periodic_send(text, text, text, text, timestamptz) IS
    'Sends the message of a tick, and returns its id; NULL where that was done, or where the handler is new.';
