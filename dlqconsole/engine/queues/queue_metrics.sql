-- What stands on the queues. Nothing here reads the whole of message_queue: names are found by walking an index
-- from queue to queue; of each queue at most %(cap)s messages are counted, by the index alone where it is freshly
-- vacuumed, and at most %(look)s are read.

-- name: names
-- The first queues from a name on, each with the place of its first live message. While an old transaction keeps
-- them, thousands of dead entries may stand before it: they are walked over once, here. ``others`` are queues that
-- only other tables know, ``without`` those that are not wanted. Each walk ends after as many as are asked for, so a
-- page costs the same wherever it begins.
WITH RECURSIVE live AS (
    (SELECT queue, turn, id, 1 AS number FROM message_queue
     WHERE phase = 'live' AND queue >= %(first)s::text ORDER BY queue, turn, id LIMIT 1)
    UNION ALL
    SELECT following.*, l.number + 1 FROM live l, LATERAL (
        SELECT m.queue, m.turn, m.id FROM message_queue m
        WHERE m.phase = 'live' AND m.queue > l.queue
        ORDER BY m.queue, m.turn, m.id LIMIT 1
    ) following
    WHERE l.number < %(walk)s
), grouped AS (
    (SELECT queue, 1 AS number FROM message_queue
     WHERE group_key IS NOT NULL AND queue >= %(first)s::text ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT m.queue FROM message_queue m
            WHERE m.group_key IS NOT NULL AND m.queue > g.queue ORDER BY m.queue LIMIT 1), g.number + 1
    FROM grouped g WHERE g.queue IS NOT NULL AND g.number < %(walk)s
), held AS (
    (SELECT queue, 1 AS number FROM message_queue
     WHERE phase = 'held' AND queue >= %(first)s::text ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT m.queue FROM message_queue m
            WHERE m.phase = 'held' AND m.queue > h.queue ORDER BY m.queue LIMIT 1), h.number + 1
    FROM held h WHERE h.queue IS NOT NULL AND h.number < %(walk)s
)
SELECT found.name, live.turn, live.id
FROM (
    (SELECT name FROM queues WHERE name >= %(first)s::text ORDER BY name LIMIT %(walk)s)
    UNION SELECT queue FROM live
    UNION SELECT queue FROM grouped
    UNION SELECT queue FROM held
    UNION SELECT other FROM unnest(%(others)s::text[]) other WHERE other >= %(first)s::text
) found
LEFT JOIN live ON live.queue = found.name
WHERE found.name IS NOT NULL AND found.name <> ALL (%(without)s::text[])
ORDER BY found.name
LIMIT %(most)s

-- name: busy
-- The queues that consumers did something with in the last hour.
WITH RECURSIVE active AS (
    (SELECT queue FROM queue_activity ORDER BY queue LIMIT 1)
    UNION ALL
    SELECT (SELECT a.queue FROM queue_activity a WHERE a.queue > b.queue ORDER BY a.queue LIMIT 1)
    FROM active b WHERE b.queue IS NOT NULL
)
SELECT a.queue FROM active a
WHERE EXISTS (
    SELECT 1 FROM queue_activity recent
    WHERE recent.queue = a.queue AND recent.minute > now() - interval '1 hour'
)

-- name: place
-- The first live message of one queue.
SELECT m.turn, m.id FROM message_queue m
WHERE m.queue = %(name)s AND m.phase = 'live'
ORDER BY m.turn, m.id
LIMIT 1

-- name: scheduled
-- Of all queues together, the messages that are due next: their index knows no queues.
SELECT queue AS name, count(*) AS scheduled,
    extract(epoch FROM min(next_retry_at) - clock_timestamp())::float8 AS first_seconds
FROM (
    SELECT queue, next_retry_at FROM message_queue WHERE phase = 'scheduled' ORDER BY next_retry_at LIMIT %(look)s
) soon
GROUP BY queue

-- name: standing
-- Claims begin at the front, so what is in flight stands there. A message of a dead consumer is due again from the
-- moment at which its lease ran out. The front of the least urgent class is where messages starve.
SELECT named.name, greatest(counted.live, front.looked) - front.in_flight AS visible, front.in_flight, grouped.waiting, held.held,
    greatest(counted.live, front.looked) >= %(cap)s AS more_live, grouped.looked = %(look)s AS more_waiting, held.held >= %(cap)s AS more_held,
    extract(epoch FROM clock_timestamp() - least(front.due, starving.due))::float8 AS oldest_due_seconds,
    extract(epoch FROM clock_timestamp() - front.taken)::float8 AS oldest_in_flight_seconds,
    extract(epoch FROM clock_timestamp() - back.newest)::float8 AS newest_age_seconds,
    back.arrived, sleeping.consumers_waiting
FROM unnest(%(names)s::text[], %(turns)s::integer[], %(ids)s::bigint[]) named (name, turn, id),
LATERAL (
    -- by the queue alone, which the index answers by itself; not at all where everything counted is read as well
    SELECT count(*) AS live FROM (
        SELECT 1 FROM message_queue m
        WHERE m.queue = named.name AND m.phase = 'live' AND %(cap)s > %(look)s
        LIMIT %(cap)s
    ) counted_by_index
) counted,
LATERAL (
    SELECT count(*) AS looked, count(*) FILTER (WHERE status = 'processing') AS in_flight,
        min(CASE WHEN status = 'pending' THEN greatest(created_at, next_retry_at)
            WHEN lease_until < clock_timestamp() THEN lease_until END) AS due,
        min(dequeued_time) FILTER (WHERE status = 'processing') AS taken
    FROM (
        SELECT m.status, m.created_at, m.next_retry_at, m.lease_until, m.dequeued_time FROM message_queue m
        WHERE m.queue = named.name AND m.phase = 'live'
            AND (m.turn, m.id) >= (named.turn, named.id)
        ORDER BY m.turn, m.id
        LIMIT %(look)s
    ) first_ones
) front,
LATERAL (
    SELECT max(created_at) AS newest, max(turn) AS turn,
        count(*) FILTER (WHERE created_at > now() - interval '5 minutes') AS arrived
    FROM (
        SELECT m.created_at, m.turn FROM message_queue m
        WHERE m.queue = named.name AND m.phase = 'live'
            AND (m.turn, m.id) >= (named.turn, named.id)
        ORDER BY m.turn DESC, m.id DESC
        LIMIT 1000
    ) last_ones
) back,
LATERAL (
    SELECT min(due) AS due FROM (
        SELECT CASE WHEN m.status = 'pending' THEN greatest(m.created_at, m.next_retry_at) END AS due
        FROM message_queue m
        WHERE m.queue = named.name AND m.phase = 'live' AND m.turn = back.turn
            AND back.turn > named.turn
        ORDER BY m.turn, m.id
        LIMIT 10
    ) least_urgent
) starving,
LATERAL (
    SELECT count(*) AS looked, count(*) FILTER (WHERE status = 'waiting') AS waiting
    FROM (
        SELECT m.status FROM message_queue m
        WHERE m.queue = named.name AND m.group_key IS NOT NULL
        ORDER BY m.group_key, m.id
        LIMIT %(look)s
    ) grouped_ones
) grouped,
LATERAL (
    SELECT count(*) AS held FROM (
        SELECT 1 FROM message_queue m WHERE m.queue = named.name AND m.phase = 'held' LIMIT %(cap)s
    ) held_ones
) held,
LATERAL (
    SELECT count(*) AS consumers_waiting FROM queue_sleepers s
    WHERE s.queue = named.name AND s.until > clock_timestamp()
) sleeping

-- name: unhandled
-- What consumers have put back for want of a handler, by queue and event type; of all together the first %(cap)s.
SELECT queue AS name, unhandled_type AS event_type, count(*) AS messages, count(group_key) > 0 AS grouped
FROM (
    SELECT queue, unhandled_type, group_key FROM message_queue
    WHERE unhandled_type IS NOT NULL AND status <> 'processing' AND queue = ANY (%(names)s::text[])
    LIMIT %(cap)s
) put_back
GROUP BY queue, unhandled_type
ORDER BY queue, count(*) DESC, unhandled_type

-- name: behind_dead_letters
-- On queues that hold, what waits for an open dead letter of its group; no row where nothing does. Of each queue the
-- first %(look)s dead letters are looked at, and so many messages are counted.
SELECT named.name, behind.messages, behind.groups, behind.messages = %(look)s OR letters.number = %(look)s AS at_least
FROM unnest(%(names)s::text[]) named (name)
JOIN queues q ON q.name = named.name AND q.on_dead_letter = 'hold' AND q.fifo_groups,
LATERAL (
    SELECT array_agg(d.group_key) AS groups, array_agg(d.original_message_id) AS places, count(*) AS number
    FROM (
        SELECT d.group_key, d.original_message_id FROM dlq_events d
        WHERE d.queue = named.name AND d.group_key IS NOT NULL AND d.original_message_id IS NOT NULL
            AND d.status IN ('PENDING', 'RETRYING', 'EXHAUSTED', 'QUARANTINED')
        ORDER BY d.group_key, d.original_message_id LIMIT %(look)s
    ) d
) letters,
LATERAL (
    SELECT count(*) AS messages, count(DISTINCT group_key) AS groups
    FROM (
        SELECT w.group_key
        FROM (
            SELECT l.group_key, min(l.place) AS place
            FROM unnest(letters.groups, letters.places) l (group_key, place) GROUP BY l.group_key
        ) first_ones,
        LATERAL (
            SELECT m.group_key FROM message_queue m
            WHERE m.queue = named.name AND m.group_key = first_ones.group_key AND m.id > first_ones.place
                AND m.status = 'waiting'
            LIMIT %(look)s
        ) w
        LIMIT %(look)s
    ) waiting_ones
) behind
WHERE behind.messages > 0

-- name: activity
-- Per minute, over the last five full minutes. Consumers write every few seconds, so a minute that has ended
-- may still grow a little.
SELECT named.name, done.*
FROM unnest(%(names)s::text[]) named (name),
LATERAL (
    SELECT coalesce(sum(completed), 0)::float8 / 5 AS completed_per_minute,
        coalesce(sum(retried), 0)::float8 / 5 AS retried_per_minute,
        coalesce(sum(dead_lettered), 0)::float8 / 5 AS dead_lettered_per_minute
    FROM queue_activity a
    WHERE a.queue = named.name AND a.minute < date_trunc('minute', now())
        AND a.minute >= date_trunc('minute', now()) - interval '5 minutes'
) done

-- name: best_minute
-- The most that the consumers of these queues completed in one of the last minutes: at least that much they can.
SELECT coalesce(max(done.completed), 0)::float8 AS completed FROM (
    SELECT sum(completed) AS completed FROM queue_activity
    WHERE queue = ANY (%(names)s::text[]) AND minute >= now() - make_interval(mins => %(minutes)s) GROUP BY minute
) done

-- name: minutes
-- The last hour of one queue, minute by minute, oldest first.
SELECT hour.minute, coalesce(sum(a.completed), 0)::bigint AS completed,
    coalesce(sum(a.retried), 0)::bigint AS retried, coalesce(sum(a.dead_lettered), 0)::bigint AS dead_lettered
FROM generate_series(date_trunc('minute', now()) - interval '59 minutes', date_trunc('minute', now()),
    interval '1 minute') hour (minute)
LEFT JOIN queue_activity a ON a.queue = %(name)s AND a.minute = hour.minute
GROUP BY hour.minute
ORDER BY hour.minute

-- name: of_types
-- Of each queue's first messages, of which of these types most are; no row where none is.
SELECT named.name, found.event_type
FROM unnest(%(names)s::text[]) named (name),
LATERAL (
    SELECT event_type FROM (
        SELECT message_event_type(m.queue, m.payload, m.headers) AS event_type FROM message_queue m
        WHERE m.queue = named.name AND m.phase = 'live'
        ORDER BY m.turn, m.id
        LIMIT %(look)s
    ) first_ones
    WHERE event_type = ANY (%(event_types)s::text[])
    GROUP BY event_type
    ORDER BY count(*) DESC, event_type
    LIMIT 1
) found
