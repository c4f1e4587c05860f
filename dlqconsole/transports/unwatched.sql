-- Looks for dead-letter queues that nobody watches.

-- name: begin
-- Each system once in so many seconds, whoever asks: its row is taken by whoever is first.
INSERT INTO dead_letter_looks AS l (transport, tried_at)
SELECT transport, clock_timestamp() FROM unnest(%(transports)s::text[]) transport
ON CONFLICT (transport) DO UPDATE SET tried_at = excluded.tried_at
    WHERE l.tried_at < clock_timestamp() - make_interval(secs => %(seconds)s)
RETURNING transport

-- name: begin_look
-- In a transaction of its own: a look changes nothing, and a table without an index for it is not read for ever.
SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '5000', true)
