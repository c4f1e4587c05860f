-- Dead letters of RabbitMQ: committed here first, then acknowledged there.

-- name: hold
-- One relay takes over at a time, and nobody detaches the queue meanwhile. No row: another has it, or it is paused.
SELECT in_doubt::text, clock_timestamp() AS now FROM attached_queues WHERE name = %(name)s AND NOT paused
FOR NO KEY UPDATE SKIP LOCKED

-- name: doubt
-- In the transaction that writes the dead letters: which of these messages are acknowledged, nobody knows yet.
UPDATE attached_queues SET in_doubt = %(in_doubt)s::jsonb WHERE name = %(name)s

-- name: settle
UPDATE attached_queues SET in_doubt = in_doubt - %(page)s::text WHERE name = %(name)s AND in_doubt ? %(page)s::text
