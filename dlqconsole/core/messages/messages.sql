-- Sending, by plain INSERTs: the rules stand in the table's trigger. What is done with a claim stands in the schema's
-- functions (core/schema/queue_take.sql, queue_settling.sql, queue_failing.sql), which any language calls.

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

-- name: stage
-- A message of a group that is due may still have an earlier one before it.
UPDATE message_queue m SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue
    WHERE phase = 'scheduled' AND next_retry_at <= now()
    ORDER BY next_retry_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: next_due
SELECT extract(epoch FROM min(next_retry_at) - clock_timestamp())::float8 FROM message_queue WHERE phase = 'scheduled'

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

-- name: claim
SELECT id, payload::text, payload_raw, headers::text, retry_count, max_retries, token, dlq_event_id, crash_count,
    group_key, priority, archives, turn
FROM queue_claim(%(queue)s, %(limit)s::integer, %(lease)s::float8, %(owner)s::text, condition => %(condition)s::jsonb)

-- name: take
SELECT id, payload::text, payload_raw, headers::text, retry_count, max_retries, token, dlq_event_id, crash_count,
    group_key, priority, archives, turn
FROM queue_take(%(queue)s, %(limit)s::integer, %(lease)s::float8, %(owner)s::text, from_turn => %(from_turn)s::integer,
    from_id => %(from_id)s::bigint)

-- name: take_chosen
SELECT id, payload::text, payload_raw, headers::text, retry_count, max_retries, token, dlq_event_id, crash_count,
    group_key, priority, archives, turn
FROM queue_take(%(queue)s, %(limit)s::integer, %(lease)s::float8, %(owner)s::text, from_turn => %(from_turn)s::integer,
    from_id => %(from_id)s::bigint, only_types => %(only_types)s::text[], without_types => %(without_types)s::text[],
    again_without_types => %(again_without_types)s::text[])

-- name: pop
SELECT id, payload::text, payload_raw, headers::text, retry_count, max_retries, token, dlq_event_id, crash_count,
    group_key, priority, archives, turn
FROM queue_pop(%(queue)s, %(limit)s::integer, %(owner)s::text)

-- name: extend
-- One call for each claim: what was claimed together has one token.
SELECT queue_extend(array_agg(id ORDER BY id), token, %(lease)s::float8)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) c (id, token) GROUP BY token

-- name: release
SELECT queue_release(array_agg(id ORDER BY id), token, %(delay)s::float8)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) c (id, token) GROUP BY token

-- name: put_back
SELECT queue_put_back(array_agg(id ORDER BY id), token, %(event_type)s::text, %(delay)s::float8)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[]) c (id, token) GROUP BY token

-- name: remove
SELECT message_remove(%(ids)s::bigint[], %(token)s, %(archive)s)

-- name: finish
-- Handled, with a record each, in the order of ids.
SELECT message_remove(%(ids)s::bigint[], %(token)s, %(archive)s, ARRAY(
    SELECT event_record(event_type, source, source_key, occurred_at, record::jsonb, digest)
    FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[], %(occurred_at)s::timestamptz[],
        %(records)s::text[], %(digests)s::uuid[]) r (event_type, source, source_key, occurred_at, record, digest)
), %(note)s)

-- name: exchange
-- As remove, or with records as finish, and take: one statement is sent and answered at once. The first row has the ids
-- that were still ours.
WITH gone AS MATERIALIZED (
    SELECT array_agg(id) AS ids
    FROM message_remove(%(ids)s::bigint[], %(token)s, %(archive)s, CASE WHEN %(records)s::text[] IS NOT NULL THEN ARRAY(
        SELECT event_record(event_type, source, source_key, occurred_at, record::jsonb, digest)
        FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
            %(occurred_at)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[])
            r (event_type, source, source_key, occurred_at, record, digest)
    ) END) id
)
SELECT NULL::bigint AS id, NULL::text, NULL::bytea, NULL::text, NULL::integer, NULL::integer, NULL::uuid, NULL::bigint,
    NULL::smallint, NULL::text, NULL::smallint, NULL::boolean, NULL::integer, ids AS gone_ids
FROM gone
UNION ALL
SELECT id, payload::text, payload_raw, headers::text, retry_count, max_retries, token, dlq_event_id, crash_count,
    group_key, priority, archives, turn, NULL
FROM queue_take(%(queue)s, (SELECT %(limit)s::integer FROM gone), %(lease)s::float8, %(owner)s::text,
    from_turn => %(from_turn)s::integer, from_id => %(from_id)s::bigint)

-- name: fail
SELECT outcome, dead_letter_id
FROM message_fail(%(id)s::bigint, %(token)s::uuid, %(reason)s::text, %(category)s::text, %(stacktrace)s::text,
    %(fatal)s::boolean,
    CASE WHEN %(source)s::text IS NOT NULL
        THEN ROW(%(event_type)s::text, %(source)s::text, %(source_key)s::text)::message_identity END,
    CASE WHEN %(is_decided)s::boolean THEN ROW(%(status)s::text, %(delay)s::float8)::failure_step END,
    %(letter_delay)s::float8, %(letter_max_retries)s::integer, %(ruled_category)s::text, %(note)s::boolean)

-- name: result
SELECT state, record::text, dead_letter_id, dead_letter_status, error_category
FROM event_result(%(source)s::text, %(key)s::text, %(wait)s::float8)
