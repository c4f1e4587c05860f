-- Portable to MySQL 8.0.13 and MariaDB 10.6. Rows are locked first, with SKIP LOCKED where others may pass, and then
-- changed by id. Indexes are named: an optimizer that scans another one would lock, or wait for, rows of others.
-- UTC_TIMESTAMP(6) is the only clock; the session's time zone does not enter.

-- name: send
INSERT INTO dlq_message_queue (queue, message, headers, available_at)
VALUES (%(queue)s, %(message)s, %(headers)s,
    IF(%(delay)s > 0, UTC_TIMESTAMP(6) + INTERVAL %(delay)s MICROSECOND, NULL))

-- name: keep_key
INSERT INTO dlq_message_keys (queue, dedupe_key, message_id) VALUES (%(queue)s, %(dedupe_key)s, %(id)s)

-- name: sent_under
SELECT message_id FROM dlq_message_keys WHERE queue = %(queue)s AND dedupe_key = %(dedupe_key)s

-- name: forget_keys
DELETE FROM dlq_message_keys WHERE created_at < UTC_TIMESTAMP(6) - INTERVAL %(age)s MICROSECOND LIMIT 10000

-- name: due
-- Delays that are over, and leases that ran out, whoever held them.
SELECT id FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
WHERE queue = %(queue)s AND available_at <= UTC_TIMESTAMP(6)
ORDER BY available_at
LIMIT 1000
FOR UPDATE SKIP LOCKED

-- name: stage
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET due_at = available_at, available_at = NULL, claim_token = NULL
WHERE id IN %(ids)s

-- name: pick
SELECT id, message, headers, attempts FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
WHERE queue = %(queue)s AND available_at IS NULL
ORDER BY id
LIMIT %(limit)s
FOR UPDATE SKIP LOCKED

-- name: exhausted
-- What comes back again and again is the oldest.
SELECT id FROM (
    SELECT id, attempts FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
    WHERE queue = %(queue)s AND available_at IS NULL
    ORDER BY id
    LIMIT 1000
) AS oldest
WHERE attempts > %(most)s
ORDER BY id
LIMIT %(limit)s

-- name: pick_these
SELECT id, message, headers, attempts FROM dlq_message_queue FORCE INDEX (PRIMARY)
WHERE id IN %(ids)s AND available_at IS NULL
ORDER BY id
FOR UPDATE SKIP LOCKED

-- name: take
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET owner = %(owner)s, claim_token = %(token)s, attempts = attempts + 1, dequeued_time = UTC_TIMESTAMP(6),
    available_at = UTC_TIMESTAMP(6) + INTERVAL %(lease)s MICROSECOND
WHERE id IN %(ids)s

-- name: held
SELECT id FROM dlq_message_queue FORCE INDEX (PRIMARY)
WHERE id IN %(ids)s AND claim_token = %(token)s
ORDER BY id
FOR UPDATE

-- name: held_by
-- For a dead letter: durations leave this database, moments do not, so its clock may differ from PostgreSQL's.
SELECT owner, CAST(created_at AS CHAR) AS sent,
    TIMESTAMPDIFF(MICROSECOND, dequeued_time, UTC_TIMESTAMP(6)) / 1000000 AS held_seconds
FROM dlq_message_queue FORCE INDEX (PRIMARY)
WHERE id = %(id)s AND claim_token = %(token)s
FOR UPDATE

-- name: extend
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET available_at = UTC_TIMESTAMP(6) + INTERVAL %(lease)s MICROSECOND
WHERE id IN %(ids)s

-- name: release
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET owner = NULL, claim_token = NULL, due_at = UTC_TIMESTAMP(6),
    available_at = IF(%(delay)s > 0, UTC_TIMESTAMP(6) + INTERVAL %(delay)s MICROSECOND, NULL)
WHERE id IN %(ids)s

-- name: put_back
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET owner = NULL, claim_token = NULL, attempts = IF(attempts > 0, attempts - 1, 0), due_at = UTC_TIMESTAMP(6),
    available_at = IF(%(delay)s > 0, UTC_TIMESTAMP(6) + INTERVAL %(delay)s MICROSECOND, NULL)
WHERE id IN %(ids)s

-- name: remove
DELETE gone FROM dlq_message_queue AS gone FORCE INDEX (PRIMARY) WHERE gone.id IN %(ids)s

-- name: still_there
SELECT id FROM dlq_message_queue FORCE INDEX (PRIMARY) WHERE id IN %(ids)s AND queue = %(queue)s

-- name: queues
SELECT DISTINCT queue FROM dlq_message_queue

-- name: ready
SELECT COUNT(*) AS messages, TIMESTAMPDIFF(MICROSECOND, MIN(due_at), UTC_TIMESTAMP(6)) / 1000000 AS oldest
FROM (
    SELECT due_at FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
    WHERE queue = %(queue)s AND available_at IS NULL
    ORDER BY id
    LIMIT %(cap)s
) AS counted

-- name: come_due
-- Claimable as well: the next claim stages them.
SELECT COUNT(*) AS messages, TIMESTAMPDIFF(MICROSECOND, MIN(available_at), UTC_TIMESTAMP(6)) / 1000000 AS oldest
FROM (
    SELECT available_at FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
    WHERE queue = %(queue)s AND available_at <= UTC_TIMESTAMP(6)
    ORDER BY available_at
    LIMIT %(cap)s
) AS counted

-- name: later
SELECT COUNT(*) AS messages, COALESCE(SUM(held), 0) AS held
FROM (
    SELECT claim_token IS NOT NULL AS held FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
    WHERE queue = %(queue)s AND available_at > UTC_TIMESTAMP(6)
    ORDER BY available_at
    LIMIT %(cap)s
) AS counted

-- name: row
-- For a person's eyes: what is due is nobody's, whoever held it.
id, attempts AS retry_count, created_at, owner, dequeued_time,
    CASE
        WHEN available_at IS NULL OR available_at <= UTC_TIMESTAMP(6) THEN 'pending'
        WHEN claim_token IS NULL THEN 'scheduled'
        ELSE 'processing'
    END AS status,
    COALESCE(available_at, due_at) AS next_retry_at, IF(claim_token IS NULL, NULL, available_at) AS lease_until,
    claim_token IS NOT NULL AND available_at <= UTC_TIMESTAMP(6) AS lease_over

-- name: listed
{row}, SUBSTRING(message, 1, 500) AS preview

-- name: live
SELECT {listed}, '' AS place FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
WHERE queue = %(queue)s AND available_at IS NULL AND id > %(id)s
ORDER BY id
LIMIT %(limit)s

-- name: leased
SELECT {listed}, CAST(available_at AS CHAR) AS place FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
WHERE queue = %(queue)s AND available_at >= %(place)s AND (available_at > %(place)s OR id > %(id)s)
    AND claim_token IS NOT NULL
ORDER BY available_at, id
LIMIT %(limit)s

-- name: scheduled
SELECT {listed}, CAST(available_at AS CHAR) AS place FROM dlq_message_queue FORCE INDEX (dlq_message_queue_claim)
WHERE queue = %(queue)s AND available_at >= %(place)s AND (available_at > %(place)s OR id > %(id)s)
    AND claim_token IS NULL
ORDER BY available_at, id
LIMIT %(limit)s

-- name: one
SELECT {row}, SUBSTRING(message, 1, %(limit)s) AS raw, LENGTH(message) AS raw_size,
    SUBSTRING(headers, 1, %(limit)s) AS headers
FROM dlq_message_queue FORCE INDEX (PRIMARY) WHERE id = %(id)s AND queue = %(queue)s

-- name: whole_payload
SELECT message FROM dlq_message_queue FORCE INDEX (PRIMARY) WHERE id = %(id)s AND queue = %(queue)s

-- name: locked
SELECT {row} FROM dlq_message_queue FORCE INDEX (PRIMARY)
WHERE id IN %(ids)s AND queue = %(queue)s
ORDER BY id
FOR UPDATE

-- name: make_due
UPDATE dlq_message_queue FORCE INDEX (PRIMARY)
SET available_at = NULL, claim_token = NULL, due_at = UTC_TIMESTAMP(6)
WHERE id IN %(ids)s

-- name: newest
SELECT COALESCE(MAX(id), 0) AS newest FROM dlq_message_queue WHERE queue = %(queue)s

-- name: standing
SELECT status, COUNT(*) AS number, SUM(lease_over) AS expired,
    TIMESTAMPDIFF(MICROSECOND, MIN(created_at), UTC_TIMESTAMP(6)) / 1000000 AS oldest_seconds,
    TIMESTAMPDIFF(MICROSECOND, MAX(created_at), UTC_TIMESTAMP(6)) / 1000000 AS newest_seconds
FROM (SELECT {row} FROM dlq_message_queue WHERE queue = %(queue)s AND id <= %(last)s) AS messages
GROUP BY status
ORDER BY status

-- name: numbers
SELECT id FROM dlq_message_queue
WHERE queue = %(queue)s AND id > %(after)s AND id <= %(last)s
    AND (claim_token IS NULL OR available_at IS NULL OR available_at <= UTC_TIMESTAMP(6))
ORDER BY id
