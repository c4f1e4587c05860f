-- psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -v queue=orders -v handler=handle_order -f worker.sql
-- handler: your function of one queued_message. What it writes and sends commits with the completion, or not at all.
SELECT set_config('worker.queue', :'queue', false), set_config('worker.handler', :'handler', false);
DO $$
DECLARE message queued_message;
BEGIN
  SELECT * INTO message FROM queue_claim(current_setting('worker.queue'), wait_seconds => 20);
  COMMIT;
  IF message.id IS NULL THEN RETURN; END IF;
  BEGIN
    EXECUTE format('SELECT %s($1)', current_setting('worker.handler')::regproc) USING message;
    IF NOT EXISTS (SELECT queue_complete(ARRAY[message.id], message.token)) THEN RAISE 'the lease is lost'; END IF;
  EXCEPTION WHEN OTHERS THEN
    PERFORM queue_fail(message.id, message.token, format('SqlError: %s (SQLSTATE %s)', SQLERRM, SQLSTATE));
  END;
END $$ \watch 0.01
