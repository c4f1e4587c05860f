-- Every claim carries a token; whoever completes, extends or gives back must show it. Zero rows means the
-- lease ran out and somebody else holds the message. now() is used to compare (the planner may use an index),
-- clock_timestamp() to write; both are the database's clock.

-- name: policy
SELECT max_retries, lease_seconds, backoff_base_seconds, backoff_cap_seconds, backoff_factor, backoff_jitter,
    rate_limit, unlogged
FROM queues WHERE name = %(name)s

-- name: send
-- The usual message: only a payload, for now, and as often as it is sent.
INSERT INTO {table} (queue, payload) VALUES (%(queue)s::text, %(payload)s::jsonb) RETURNING id

-- name: send_usual
-- Some hundred of them: one array to parse is quicker than an array of texts.
INSERT INTO {table} (queue, payload)
SELECT %(queue)s::text, payload FROM jsonb_array_elements(%(payloads)s::jsonb) payload
RETURNING id

-- name: send_specially
INSERT INTO {table} (queue, payload, payload_raw, headers, priority, group_key, status, next_retry_at, dedupe_key)
SELECT %(queue)s::text, %(payload)s::jsonb, %(payload_raw)s::bytea, %(headers)s::jsonb, %(priority)s::smallint,
    %(group_key)s::text, CASE WHEN due.at > clock_timestamp() THEN 'scheduled' ELSE 'pending' END, due.at,
    %(dedupe_key)s::text
FROM (
    SELECT coalesce(%(at)s::timestamptz, clock_timestamp() + make_interval(secs => %(delay)s::float8)) AS at
) due
ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
RETURNING id

-- name: send_many
INSERT INTO {table} (queue, payload, payload_raw, headers, priority, status, next_retry_at, dedupe_key, group_key)
SELECT %(queue)s::text, m.payload::jsonb, m.payload_raw, m.headers::jsonb, m.priority,
    CASE WHEN due.at > clock_timestamp() THEN 'scheduled' ELSE 'pending' END, due.at, m.dedupe_key, m.group_key
FROM unnest(%(payloads)s::text[], %(payloads_raw)s::bytea[], %(headers)s::text[], %(priorities)s::smallint[],
        %(delays)s::float8[], %(moments)s::timestamptz[], %(dedupe_keys)s::text[], %(group_keys)s::text[])
        WITH ORDINALITY m (payload, payload_raw, headers, priority, delay, moment, dedupe_key, group_key, position),
    LATERAL (SELECT coalesce(m.moment, clock_timestamp() + make_interval(secs => m.delay)) AS at) due
ORDER BY m.position
ON CONFLICT (queue, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
RETURNING id

-- name: claim
-- {messages} is ONLY message_queue, or, for an unlogged queue, message_queue with its unlogged child. The limit
-- is written into the text: a prepared plan that does not know it would expect a tenth of the queue.
WITH policy AS MATERIALIZED (
    SELECT coalesce(bool_or(paused), false) AS paused, coalesce(bool_and(fifo_groups), true) AS fifo,
        coalesce(bool_or(retention = 'archive'), false) AS archives,
        gen_random_uuid() AS token  -- one for all that is claimed now: making them is a quarter of a claim
    FROM queues WHERE name = %(queue)s
), due AS MATERIALIZED (
    -- MATERIALIZED: with IN (SELECT ... LIMIT ... SKIP LOCKED) a nested loop may claim far more than the limit.
    -- What a dead consumer holds still stands here, its lease run out, and is taken over.
    SELECT m.id, m.crash_count + (m.status = 'processing')::int AS crashes
    FROM {messages} m
    WHERE m.queue = %(queue)s AND m.phase = 'live'
        AND (m.turn, m.id) >= (%(from_turn)s::integer, %(from_id)s::bigint)
        AND (m.status = 'pending' OR m.lease_until < now())
        {condition}
        AND (SELECT NOT paused FROM policy)
        AND (
            m.group_key IS NULL
            OR (SELECT NOT fifo FROM policy)
            OR {first_of_its_group}
        )
    ORDER BY m.turn, m.id
    LIMIT {limit}
    FOR UPDATE OF m SKIP LOCKED
)
UPDATE {messages} m
SET status = 'processing', retry_count = m.retry_count + 1, owner = %(owner)s::text,
    lease_token = (SELECT token FROM policy),
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s::float8), dequeued_time = clock_timestamp(),
    crash_count = m.crash_count + CASE WHEN m.status = 'processing' THEN m.charge ELSE 0 END,
    -- Of several that a consumer held when it died nobody knows which it had begun: none is charged, and the first that
    -- is alone in a consumer's hands when that dies, too, is charged with both.
    charge = CASE WHEN m.status = 'processing' AND m.charge = 0 THEN 2
        WHEN (SELECT count(*) FROM due) = 1 OR (SELECT crashes FROM due LIMIT 1) > 0 THEN 1 ELSE 0 END,
    last_error = CASE WHEN m.status = 'processing'
        THEN 'the consumer ' || coalesce(m.owner, '?') || ' stopped while holding this message'
        ELSE m.last_error END,
    group_in_flight = CASE WHEN m.group_key IS NOT NULL AND (SELECT fifo FROM policy) THEN m.group_key END
WHERE m.id = ANY (ARRAY(
    -- What was in a consumer's hands when it died is claimed alone: one of them may have killed it, and the
    -- others must not be blamed with it a second time.
    SELECT id FROM due
    WHERE id = (SELECT id FROM due LIMIT 1)
        OR crashes = 0 AND (SELECT crashes FROM due LIMIT 1) = 0
))
RETURNING m.id, m.payload::text, m.payload_raw, m.headers::text, m.retry_count, m.max_retries, m.lease_token,
    m.dlq_event_id, m.crash_count, m.group_key, m.priority, (SELECT archives FROM policy), m.turn

-- name: event_type
-- Of which type a message's event is: who runs its handler reads it in the same way.
CASE WHEN jsonb_typeof(m.payload) = 'object' AND m.payload ? 'specversion' THEN m.payload ->> 'type'
    ELSE coalesce(m.headers ->> 'ce_type', m.queue) END

-- name: only_types
AND m.payload IS NOT NULL AND {event_type} = ANY (%(only_types)s::text[])

-- name: without_types
AND (m.payload IS NULL OR {event_type} <> ALL (%(without_types)s::text[])
    AND ({event_type} <> ALL (%(again_without_types)s::text[]) OR m.retry_count = 0 AND m.dlq_event_id IS NULL)
) IS NOT FALSE

-- name: first_of_its_group
-- A condition, for the one of a group that may be taken. What is in flight is taken over, its lease run out, even
-- where an earlier one was committed after it had begun: else each would wait for the other.
(m.status = 'processing' OR NOT EXISTS (
    SELECT 1 FROM {messages} e
    WHERE e.queue = m.queue AND e.group_key = m.group_key
        AND (e.group_key, e.id) < (m.group_key, m.id)  -- by the groups' own index
)) AND NOT EXISTS (
    SELECT 1 FROM {messages} e
    WHERE e.queue = m.queue AND e.group_in_flight = m.group_key AND e.id <> m.id
)

-- name: take_tokens
-- How many of the wanted claims the queue's rate allows now. The bucket holds one second's worth, at least one.
INSERT INTO queue_tokens AS t (queue, taken, tokens, filled_at)
SELECT %(queue)s::text, n, full_bucket - n, clock_timestamp()
FROM (SELECT greatest(%(rate)s::float8, 1) AS full_bucket) b, LATERAL (SELECT least(%(wanted)s::float8, floor(full_bucket)) AS n) w
ON CONFLICT (queue) DO UPDATE SET (taken, tokens, filled_at) = (
    SELECT n, filled - n, clock_timestamp()
    FROM (SELECT least(greatest(%(rate)s::float8, 1),
            t.tokens + greatest(0, extract(epoch FROM clock_timestamp() - t.filled_at)) * %(rate)s::float8) AS filled) f,
        LATERAL (SELECT least(%(wanted)s::float8, floor(filled)) AS n) w
)
RETURNING taken

-- name: give_back_tokens
UPDATE queue_tokens SET tokens = tokens + %(unused)s::float8 WHERE queue = %(queue)s RETURNING queue

-- name: pop
-- At most once: whoever has it has completed it, whatever becomes of it.
WITH due AS MATERIALIZED (
    SELECT m.id FROM {messages} m
    WHERE m.queue = %(queue)s AND m.phase = 'live' AND (m.status = 'pending' OR m.lease_until < now())
        AND NOT EXISTS (SELECT 1 FROM queues WHERE name = %(queue)s AND paused)
        AND (
            m.group_key IS NULL
            OR EXISTS (SELECT 1 FROM queues WHERE name = %(queue)s AND NOT fifo_groups)
            OR {first_of_its_group}
        )
    ORDER BY m.turn, m.id
    LIMIT {limit}
    FOR UPDATE OF m SKIP LOCKED
), gone AS (
    DELETE FROM {messages} m
    WHERE m.id = ANY (ARRAY(SELECT id FROM due))
    RETURNING m.id, m.queue, m.payload, m.payload_raw, m.headers, m.retry_count, m.max_retries, m.dlq_event_id,
        m.revive_seq, m.crash_count, m.group_key, m.priority, m.dequeued_time, m.turn,
        CASE WHEN m.status = 'processing' THEN coalesce(m.owner, '?') END AS died,
        coalesce(nullif(%(owner)s::text, ''), session_user::text) AS owner
)
SELECT id, payload::text, payload_raw, headers::text, retry_count + 1, max_retries,
    gen_random_uuid(), dlq_event_id, crash_count, group_key, priority,
    coalesce(CASE WHEN dlq_event_id IS NOT NULL
        THEN dead_letter_popped(dlq_event_id, revive_seq, queue || '/' || id, owner, died, dequeued_time)
        END, false), turn
FROM gone

-- name: unrevived
-- Instead of the next, where no message is a revival: an UPDATE of nothing would still run the table's triggers.
told AS (SELECT)

-- name: healed
-- The revived dead letters of what is gone have succeeded; {how} it went is said where no handler of ours did.
healed AS (
    UPDATE dlq_events d SET status = 'SUCCEEDED'
    FROM gone g
    WHERE d.id = g.dlq_event_id AND d.revive_count = g.revive_seq AND d.status = 'REVIVED'
    RETURNING d.id, g.queue || '/' || g.id AS message, g.owner AS worker, g.dequeued_time
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'succeeded', id, message, worker, dequeued_time, reason => '{how}')))
    FROM healed
)

-- name: stage
-- A message of a group that is due may still have an earlier one before it.
UPDATE message_queue m SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE phase = 'scheduled' AND next_retry_at <= now()
    ORDER BY next_retry_at
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: stage_queue
-- The same of one queue, for whoever claims where no consumer of ours runs. Said as one range of the queue's own index:
-- an equality would let the planner walk over what has come due on others.
UPDATE message_queue m SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE queue >= %(queue)s AND (queue, next_retry_at) <= (%(queue)s, now()) AND phase = 'scheduled'
    ORDER BY queue, next_retry_at
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: next_due
SELECT extract(epoch FROM min(next_retry_at) - clock_timestamp())::float8 FROM message_queue WHERE phase = 'scheduled'

-- name: call_next
SELECT message_queue_call_next(%(queues)s::text[], %(group_keys)s::text[])

-- name: group_keys
-- The keys of a queue's groups after a key, a thousand at most: from one to the next by index, however many
-- messages each has.
WITH RECURSIVE keys AS (
    (SELECT m.group_key FROM message_queue m
     WHERE m.queue = %(queue)s AND m.group_key > %(after)s ORDER BY m.group_key LIMIT 1)
    UNION ALL
    SELECT (SELECT m.group_key FROM message_queue m
            WHERE m.queue = %(queue)s AND m.group_key > k.group_key ORDER BY m.group_key LIMIT 1)
    FROM keys k WHERE k.group_key IS NOT NULL
)
SELECT group_key FROM keys WHERE group_key IS NOT NULL LIMIT 1000

-- name: extend
UPDATE message_queue m SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s::float8)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE m.id = held.id AND m.lease_token = held.token AND m.status = 'processing'
RETURNING m.id

-- name: remove
-- Completed, and nothing of it is kept. What was claimed together has one token.
WITH gone AS (
    DELETE FROM {messages}
    WHERE id = ANY (%(ids)s::bigint[]) AND lease_token = %(token)s::uuid AND status = 'processing'
    RETURNING id, queue, dlq_event_id, revive_seq, owner, dequeued_time
), {healed}
SELECT id FROM gone, told

-- name: into_archive
-- The one way into the archive: what has gone from a queue, kept as long as its queue's policy says at this moment.
-- OFFSET 0: that is asked once a queue, not once a message.
INSERT INTO message_archive (id, queue, payload, payload_raw, headers, priority, retry_count, group_key,
    dlq_event_id, revive_seq, owner, created_at, dequeued_time, archived_at, keep_until)
SELECT id, queue, payload, payload_raw, headers, priority, retry_count, group_key,
    dlq_event_id, revive_seq, owner, created_at, dequeued_time, archived_at, keep_until
FROM gone JOIN (
    SELECT queue, moment.at AS archived_at, message_archive_keep_until(queue, moment.at) AS keep_until
    FROM (SELECT DISTINCT queue FROM gone) gone_from, (SELECT clock_timestamp() AS at) moment
    OFFSET 0
) promise USING (queue)

-- name: archive
WITH gone AS (
    DELETE FROM message_queue
    WHERE id = ANY (%(ids)s::bigint[]) AND lease_token = %(token)s::uuid AND status = 'processing'
    RETURNING *
), {healed}, archived AS (
    {into_archive}
    RETURNING id
)
SELECT id FROM archived, told

-- name: complete
-- Completed by a handler: its record is kept, a revived dead letter has succeeded, and the message is archived
-- where its queue says so.
WITH held AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(event_types)s::text[], %(sources)s::text[],
        %(source_keys)s::text[], %(occurred_at)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[])
        held (id, event_type, source, source_key, occurred_at, record, digest)
), gone AS (
    DELETE FROM {messages}
    WHERE id = ANY (%(ids)s::bigint[]) AND lease_token = %(token)s::uuid AND status = 'processing'
    RETURNING *
), {healed}, kept AS MATERIALIZED (
    SELECT records_keep(array_agg(event_record(held.event_type, held.source, held.source_key, held.occurred_at,
        held.record::jsonb,
        -- what was revived may have been edited: it is known by its dead letter
        CASE WHEN gone.dlq_event_id IS NULL THEN held.digest END))) AS others
    FROM held JOIN gone USING (id)
), beside AS MATERIALIZED (
    -- other bytes under a known source and key: another event, whose record stands beside the first one's
    SELECT records_keep(array_agg(event_record(o.event_type, o.source,
        dead_letter_key(o.source_key, gone.payload, gone.payload_raw), o.occurred_at, o.record, o.digest)))
    FROM kept, unnest(kept.others) o JOIN held USING (source, source_key, digest) JOIN gone USING (id)
), archived AS (
    {into_archive}
    WHERE id = ANY (%(archived)s::bigint[])
)
SELECT id FROM gone, told, beside

-- name: retry_later
-- It failed and is tried again: the attempt is kept, for the dead letter that the message may become or was.
WITH held AS MATERIALIZED (
    SELECT id, queue, owner, dequeued_time, dlq_event_id FROM message_queue
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'processing'
    FOR UPDATE
), later AS (
    UPDATE message_queue m
    SET status = CASE WHEN %(delay)s > 0 THEN 'scheduled' ELSE 'pending' END,
        next_retry_at = clock_timestamp() + make_interval(secs => %(delay)s), last_error = %(reason)s,
        owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL,
        crash_count = CASE WHEN %(fatal)s THEN m.crash_count + 1 ELSE 0 END, unhandled_type = NULL
    FROM held h WHERE m.id = h.id
    RETURNING m.id
), told AS (
    SELECT attempts_add(array_agg(attempt(CASE WHEN h.dlq_event_id IS NULL THEN 'queue' ELSE 'revive' END, 'failed',
        h.dlq_event_id, h.queue || '/' || h.id, h.owner, h.dequeued_time, category => %(category)s,
        reason => %(reason)s, stacktrace => %(stacktrace)s)))
    FROM held h
)
SELECT id FROM later, told

-- name: release
-- Given back, its attempt not counted, for now or for later.
UPDATE message_queue m
SET status = CASE WHEN %(delay)s > 0 THEN 'scheduled' ELSE 'pending' END,
    next_retry_at = CASE WHEN %(delay)s > 0
        THEN clock_timestamp() + make_interval(secs => %(delay)s) ELSE m.next_retry_at END,
    retry_count = greatest(m.retry_count - 1, 0),
    owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE m.id = held.id AND m.lease_token = held.token AND m.status = 'processing'
RETURNING m.id

-- name: put_back
-- As it was, but for the time: its claim is not counted, and it stands where no claim looks until it is due, or until
-- a consumer that has the handler calls it.
UPDATE message_queue m
SET status = 'scheduled', next_retry_at = clock_timestamp() + make_interval(secs => %(delay)s::float8),
    unhandled_type = %(event_type)s::text, retry_count = greatest(m.retry_count - 1, 0),
    owner = NULL, lease_token = NULL, lease_until = NULL, group_in_flight = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) held (id, token)
WHERE m.id = held.id AND m.lease_token = held.token AND m.status = 'processing'
RETURNING m.id

-- name: call_handled
UPDATE message_queue m
SET status = 'pending', next_retry_at = clock_timestamp(), unhandled_type = NULL
WHERE m.id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE queue = ANY (%(queues)s::text[]) AND unhandled_type = ANY (%(event_types)s::text[])
        AND unhandled_type IS NOT NULL AND phase = 'scheduled'
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)) AND m.status = 'scheduled'
RETURNING m.id

-- name: bury
WITH gone AS (
    -- the message and its dead letter change places in one statement
    DELETE FROM message_queue
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'processing'
    RETURNING id, queue, payload, payload_raw, headers, group_key, owner, dequeued_time, created_at, dlq_event_id,
        revive_seq, retry_count, CASE WHEN %(fatal)s::boolean THEN crash_count + 1 ELSE 0 END AS crash_count
), returned AS (
    -- a revived message that fails again: the same row returns
    UPDATE dlq_events d
    SET status = dead_letter_becomes(
            %(status)s::text, d.retry_count, coalesce(d.max_retries, %(schedule_max_retries)s::integer)),
        error_reason = %(reason)s::text, error_category = %(category)s::text,
        error_stacktrace = %(stacktrace)s::text,
        occurrences = d.occurrences + 1, retry_count = d.retry_count + g.retry_count,
        crash_count = d.crash_count + g.crash_count, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => %(delay)s::float8)
    FROM gone g
    WHERE d.id = g.dlq_event_id AND d.revive_count = g.revive_seq AND d.status = 'REVIVED'
    RETURNING d.id, g.owner, g.dequeued_time
), earlier AS (
    SELECT min(a.finished_at) AS first_failure_at FROM dlq_attempts a, gone g
    WHERE a.message = g.queue || '/' || g.id AND a.dlq_event_id IS NULL
), named AS MATERIALIZED (
    SELECT n.source_key, n.same_id_as FROM gone g
    CROSS JOIN LATERAL dead_letter_named(%(source)s::text, %(source_key)s::text, g.payload, g.payload_raw) n
), new AS (
    SELECT %(event_type)s::text AS event_type, g.payload, g.payload_raw, g.headers, %(reason)s::text AS reason,
        %(category)s::text AS category, %(stacktrace)s::text AS stacktrace, %(status)s::text AS status, g.retry_count,
        %(delay)s::float8 AS delay, %(source)s::text AS source, n.source_key, n.same_id_as, g.queue, g.group_key,
        g.id AS message_id, 1 AS occurrences,
        coalesce(e.first_failure_at, g.dequeued_time, clock_timestamp()) AS first_failure_at, g.crash_count
    FROM gone g, earlier e, named n
    WHERE NOT EXISTS (SELECT 1 FROM returned)
), added AS (
    {added}
), now_dead AS (
    SELECT id, NULL AS closed FROM returned
    UNION ALL
    SELECT a.id, (SELECT b.status FROM dlq_events b WHERE b.id = a.id AND b.status IN ('SUCCEEDED', 'DISCARDED'))
    FROM added a
), followed AS (
    -- its attempts on the queue are the dead letter's
    UPDATE dlq_attempts a SET dlq_event_id = d.id
    FROM now_dead d, gone g
    WHERE a.message = g.queue || '/' || g.id AND a.dlq_event_id IS NULL
    RETURNING a.id
), told AS (
    SELECT attempts_add(array_agg(attempt(CASE WHEN g.dlq_event_id IS NULL THEN 'queue' ELSE 'revive' END, 'failed', d.id,
        g.queue || '/' || g.id, g.owner, g.dequeued_time, category => %(category)s::text, reason => %(reason)s::text,
        stacktrace => %(stacktrace)s::text, reopened_from => d.closed)))
    FROM now_dead d, gone g, (SELECT count(*) FROM followed) before
)
-- a message that is gone without a dead letter: somebody wrote other bytes under its id in this very moment
SELECT coalesce(d.id, dead_letter_raced()) FROM told, gone LEFT JOIN now_dead d ON true
