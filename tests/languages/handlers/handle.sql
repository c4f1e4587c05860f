CREATE TABLE handled (
    id bigserial PRIMARY KEY, n integer UNIQUE, message bigint, raw bytea,
    worker text DEFAULT current_setting('application_name'), at timestamptz DEFAULT clock_timestamp()
);
CREATE FUNCTION handle(message queued_message) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handled (n, message, raw)
    VALUES ((message.payload ->> 'n')::integer, message.id, message.payload_raw) ON CONFLICT DO NOTHING;
    PERFORM pg_sleep(coalesce((message.payload ->> 'seconds')::float8, 0));
    CASE message.payload ->> 'do'
    WHEN 'die' THEN PERFORM pg_terminate_backend(pg_backend_pid());
    WHEN 'fail' THEN RAISE 'it is no order';
    WHEN 'forward' THEN PERFORM queue_send('mails', message.payload);
    WHEN 'forward and fail' THEN PERFORM queue_send('mails', message.payload); RAISE 'it is no order';
    ELSE NULL;
    END CASE;
END $$;
