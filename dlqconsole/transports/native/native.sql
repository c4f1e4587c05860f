-- What a person does with messages of our own queues, on their page.

-- name: locked
-- A message whose lease ran out is nobody's.
SELECT id, CASE WHEN status = 'processing' AND lease_until < now() THEN 'pending' ELSE status END AS status
FROM message_queue
WHERE id = ANY (%(ids)s::bigint[]) AND queue = %(queue)s
ORDER BY id
FOR UPDATE

-- name: make_due
UPDATE message_queue SET status = 'pending', next_retry_at = clock_timestamp(), unhandled_type = NULL
WHERE id = ANY (%(ids)s::bigint[])
RETURNING id

-- name: remove
DELETE FROM message_queue WHERE id = ANY (%(ids)s::bigint[]) RETURNING id
