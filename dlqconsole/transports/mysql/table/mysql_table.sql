-- The queue table of another program, claimed as its own consumers claim it: who claims writes an owner and the moment.
-- What was claimed longer than {timeout} seconds ago is anybody's. We write a moment other than now where we mean to
-- hold a message longer, or to have it come later; so consumers that know only their own rule keep to it, too.
--
-- NOW(6) is the clock of its consumers: a session that sets another time zone than theirs would see other moments.

-- name: table
SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = %(table)s

-- name: columns
SELECT column_name AS name, character_maximum_length AS length FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = %(table)s

-- name: free
({owner} IS NULL OR COALESCE({dequeued_time} < NOW(6) - INTERVAL {timeout} SECOND, FALSE))

-- name: send
INSERT INTO {table} ({message}, {owner}, {dequeued_time}{and_headers})
VALUES (%(message)s, IF(%(delay)s > 0, 'dlq-later', NULL),
    IF(%(delay)s > 0, NOW(6) + INTERVAL %(delay)s MICROSECOND - INTERVAL {timeout} SECOND, NULL){its_headers})

-- name: pick
SELECT {id} AS id, {message} AS message, {headers} AS headers, {attempts} AS attempts FROM {table}
WHERE {free}
ORDER BY {id}
LIMIT %(limit)s
FOR UPDATE SKIP LOCKED

-- name: pick_exhausted
SELECT {id} AS id, {message} AS message, {headers} AS headers, {attempts} AS attempts FROM {table}
WHERE {free} AND {attempts} > %(most)s
ORDER BY {id}
LIMIT %(limit)s
FOR UPDATE SKIP LOCKED

-- name: take
UPDATE {table} SET {owner} = %(token)s,
    {dequeued_time} = NOW(6) + INTERVAL %(lease)s MICROSECOND - INTERVAL {timeout} SECOND{count}
WHERE {id} IN %(ids)s

-- name: revivals
SELECT message_id, dedupe_key FROM dlq_message_keys WHERE message_id IN %(ids)s AND queue = %(queue)s

-- name: held
SELECT {id} AS id FROM {table} WHERE {id} IN %(ids)s AND {owner} = %(token)s ORDER BY {id} FOR UPDATE

-- name: held_by
SELECT {message} AS message FROM {table} WHERE {id} = %(id)s AND {owner} = %(token)s FOR UPDATE

-- name: extend
UPDATE {table} SET {dequeued_time} = NOW(6) + INTERVAL %(lease)s MICROSECOND - INTERVAL {timeout} SECOND
WHERE {id} IN %(ids)s

-- name: release
UPDATE {table} SET {owner} = IF(%(delay)s > 0, 'dlq-later', NULL),
    {dequeued_time} = IF(%(delay)s > 0, NOW(6) + INTERVAL %(delay)s MICROSECOND - INTERVAL {timeout} SECOND, NULL)
WHERE {id} IN %(ids)s

-- name: put_back
UPDATE {table} SET {owner} = IF(%(delay)s > 0, 'dlq-later', NULL),
    {dequeued_time} = IF(%(delay)s > 0, NOW(6) + INTERVAL %(delay)s MICROSECOND - INTERVAL {timeout} SECOND, NULL){uncount}
WHERE {id} IN %(ids)s

-- name: remove
DELETE FROM {table} WHERE {id} IN %(ids)s

-- name: still_there
SELECT {id} AS id FROM {table} WHERE {id} IN %(ids)s

-- name: metrics
SELECT COUNT(*) AS messages, COALESCE(SUM(free), 0) AS visible, COALESCE(SUM(later), 0) AS scheduled,
    TIMESTAMPDIFF(MICROSECOND, MIN(IF(free, sent, NULL)), NOW(6)) / 1000000 AS oldest
FROM (
    SELECT {free} AS free, NOT {free} AND {owner} = 'dlq-later' AS later, {created_at} AS sent FROM {table}
    ORDER BY {id}
    LIMIT %(cap)s
) AS counted

-- name: row
-- Moments in UTC, whatever the zone of the server.
{id} AS id, {attempts} AS retry_count, CONVERT_TZ({created_at}, @@session.time_zone, '+00:00') AS created_at,
    {owner} AS owner, CONVERT_TZ({dequeued_time}, @@session.time_zone, '+00:00') AS dequeued_time,
    CASE WHEN {free} THEN 'pending' WHEN {owner} = 'dlq-later' THEN 'scheduled' ELSE 'processing' END AS status,
    CONVERT_TZ({dequeued_time} + INTERVAL {timeout} SECOND, @@session.time_zone, '+00:00') AS next_retry_at,
    CONVERT_TZ({dequeued_time} + INTERVAL {timeout} SECOND, @@session.time_zone, '+00:00') AS lease_until,
    {owner} IS NOT NULL AND {free} AS lease_over

-- name: listed
{row}, SUBSTRING({message}, 1, 500) AS preview, '' AS place

-- name: live
SELECT {listed} FROM {table} WHERE {id} > %(id)s AND {free} ORDER BY {id} LIMIT %(limit)s

-- name: leased
SELECT {listed} FROM {table} WHERE {id} > %(id)s AND NOT {free} AND {owner} <> 'dlq-later' ORDER BY {id} LIMIT %(limit)s

-- name: scheduled
SELECT {listed} FROM {table} WHERE {id} > %(id)s AND NOT {free} AND {owner} = 'dlq-later' ORDER BY {id} LIMIT %(limit)s

-- name: one
SELECT {row}, SUBSTRING({message}, 1, %(limit)s) AS raw, LENGTH({message}) AS raw_size,
    SUBSTRING({headers}, 1, %(limit)s) AS headers
FROM {table} WHERE {id} = %(id)s

-- name: whole_payload
SELECT {message} AS message FROM {table} WHERE {id} = %(id)s

-- name: locked
SELECT {row} FROM {table} WHERE {id} IN %(ids)s ORDER BY {id} FOR UPDATE

-- name: make_due
UPDATE {table} SET {owner} = NULL, {dequeued_time} = NULL WHERE {id} IN %(ids)s

-- name: newest
SELECT COALESCE(MAX({id}), 0) AS newest FROM {table}

-- name: standing
SELECT status, COUNT(*) AS number, SUM(lease_over) AS expired,
    TIMESTAMPDIFF(MICROSECOND, MIN(created_at), UTC_TIMESTAMP(6)) / 1000000 AS oldest_seconds,
    TIMESTAMPDIFF(MICROSECOND, MAX(created_at), UTC_TIMESTAMP(6)) / 1000000 AS newest_seconds
FROM (SELECT {row} FROM {table} WHERE {id} <= %(last)s) AS messages
GROUP BY status
ORDER BY status

-- name: numbers
SELECT {id} AS id FROM {table}
WHERE {id} > %(after)s AND {id} <= %(last)s AND ({free} OR {owner} = 'dlq-later')
ORDER BY {id}

-- name: move_take
-- For a day, in which a move that died begins again: until then nobody else takes them.
UPDATE {table} SET {owner} = %(token)s, {dequeued_time} = NOW(6) + INTERVAL 1 DAY WHERE {id} IN %(ids)s

-- name: moving
SELECT {id} AS id, {message} AS message, {headers} AS headers, 0 AS attempts FROM {table}
WHERE {owner} = %(token)s
ORDER BY {id}

-- name: moved
SELECT {id} AS id, {owner} AS owner FROM {table} WHERE {owner} LIKE 'dlq-move:%%'
