-- name: one_at_a_time
-- Of the first tasks of a query, one begins its run; the others, in statements of their own, see it.
SELECT pg_advisory_xact_lock(hashtextextended('dlqconsole.pipeline.dataframes.' || %(subject)s, 0))

-- name: resume_query
UPDATE pipeline_runs SET status = 'running', heartbeat_at = clock_timestamp(), finished_at = NULL
WHERE id = (SELECT max(id) FROM pipeline_runs WHERE kind = %(kind)s AND subject = %(subject)s)
RETURNING id

-- name: bounds
-- The first and the last of the dead letters that a reader asks for. What it does not ask for is NULL: every value
-- is a parameter, and the planner leaves out what is always true.
SELECT min(d.id), max(d.id)
FROM dlq_events d
WHERE (%(status)s::text[] IS NULL OR d.status = ANY (%(status)s::text[]))
    AND (%(type)s::text[] IS NULL OR d.event_type = ANY (%(type)s::text[]))
    AND (%(source)s::text[] IS NULL OR d.source = ANY (%(source)s::text[]))
    AND (%(category)s::text[] IS NULL OR d.error_category = ANY (%(category)s::text[]))
    AND (%(error_class)s::text[] IS NULL OR d.error_class = ANY (%(error_class)s::text[]))
    AND (%(group_id)s::bigint[] IS NULL OR d.group_id = ANY (%(group_id)s::bigint[]))
    AND (%(since)s::timestamptz IS NULL OR d.dead_lettered_at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR d.dead_lettered_at < %(until)s::timestamptz)

-- name: read
-- Those of them whose ids are in one range, in the reader's columns.
SELECT d.id, coalesce(d.payload_raw, convert_to(d.payload::text, 'UTF8')), d.source, d.event_type, d.source_key,
    d.headers::text, d.status, d.error_category, d.error_class, d.error_reason, d.error_stacktrace, d.group_id,
    d.queue, d.occurrences, d.retry_count, d.dead_lettered_at, d.last_failure_at
FROM dlq_events d
WHERE d.id >= %(first)s AND d.id <= %(last)s
    AND (%(status)s::text[] IS NULL OR d.status = ANY (%(status)s::text[]))
    AND (%(type)s::text[] IS NULL OR d.event_type = ANY (%(type)s::text[]))
    AND (%(source)s::text[] IS NULL OR d.source = ANY (%(source)s::text[]))
    AND (%(category)s::text[] IS NULL OR d.error_category = ANY (%(category)s::text[]))
    AND (%(error_class)s::text[] IS NULL OR d.error_class = ANY (%(error_class)s::text[]))
    AND (%(group_id)s::bigint[] IS NULL OR d.group_id = ANY (%(group_id)s::bigint[]))
    AND (%(since)s::timestamptz IS NULL OR d.dead_lettered_at >= %(since)s::timestamptz)
    AND (%(until)s::timestamptz IS NULL OR d.dead_lettered_at < %(until)s::timestamptz)
ORDER BY d.id

-- name: due
-- What was sent for later has come due.
UPDATE message_queue SET status = 'pending'
WHERE id = ANY (ARRAY(
    SELECT id FROM message_queue WHERE queue = %(queue)s AND phase = 'scheduled' AND next_retry_at <= now()
    ORDER BY next_retry_at LIMIT %(most)s FOR UPDATE SKIP LOCKED))
RETURNING id

-- name: claim
-- A job's fixed rows, under one token for the whole claim.
WITH due AS MATERIALIZED (
    SELECT id FROM message_queue
    WHERE queue = %(queue)s AND phase = 'live' AND (status = 'pending' OR lease_until < now()) AND group_key IS NULL
    ORDER BY turn, id LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
UPDATE message_queue SET status = 'processing', retry_count = retry_count + 1, owner = %(owner)s,
    lease_token = %(token)s::uuid, lease_until = clock_timestamp() + make_interval(secs => %(seconds)s),
    dequeued_time = clock_timestamp()
WHERE id = ANY (ARRAY(SELECT id FROM due))
RETURNING id

-- name: claimed
-- The messages of a claim whose ids are in one range, in the columns of a frame.
SELECT m.id, coalesce(m.payload_raw, convert_to(m.payload::text, 'UTF8')),
    coalesce(m.headers ->> 'ce_source', m.payload ->> 'source'), coalesce(m.headers ->> 'ce_type', m.payload ->> 'type'),
    coalesce(m.headers ->> 'ce_id', m.payload ->> 'id'), m.headers::text, m.lease_token::text
FROM message_queue m
WHERE m.id >= %(first)s AND m.id <= %(last)s AND m.lease_token = %(token)s::uuid
ORDER BY m.id

-- name: renew
UPDATE message_queue SET lease_until = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE id = ANY (%(ids)s) AND lease_token = %(token)s::uuid AND lease_until > clock_timestamp()

-- name: settle
-- Done: what of the claim is held still leaves the queue, and its dead letters have succeeded.
DELETE FROM message_queue
WHERE id = ANY (%(ids)s) AND lease_token = %(token)s::uuid AND lease_until > clock_timestamp()
RETURNING id

-- name: give_back
UPDATE message_queue
SET status = 'scheduled', next_retry_at = now(), last_error = %(error)s, owner = NULL, lease_token = NULL,
    lease_until = NULL
WHERE id = ANY (%(ids)s) AND lease_token = %(token)s::uuid AND lease_until > clock_timestamp()

-- name: take_failed
-- Fixed rows that fail again, locked.
SELECT m.id, m.dlq_event_id AS letter, m.revive_seq AS revival, m.queue, m.queue || '/' || m.id AS message,
    m.payload::text AS payload, m.payload_raw, m.headers::text AS headers, f.reason
FROM message_queue m
JOIN unnest(%(ids)s::bigint[], %(tokens)s::text[], %(reasons)s::text[]) AS f (id, token, reason)
    ON m.id = f.id AND m.lease_token = f.token::uuid
WHERE m.lease_until > clock_timestamp()
ORDER BY m.id
FOR UPDATE OF m

-- name: fail_again
-- A revived row has come back; told before it leaves the queue, which else would say that it has succeeded.
SELECT dead_letter_failed_there('spark:' || %(message)s, d.id, %(revival)s, d.source, d.source_key, %(payload)s::jsonb,
    %(payload_raw)s, %(reason)s, 'BUSINESS', '')
FROM dlq_events d
WHERE d.id = %(letter)s

-- name: fail_first
-- What somebody has put into the job's queue was no dead letter yet.
SELECT dead_letter_report(coalesce(%(headers)s::jsonb ->> 'ce_type', %(queue)s), %(payload)s::jsonb, %(reason)s,
    queue => %(queue)s, headers => %(headers)s::jsonb, payload_raw => %(payload_raw)s,
    source => %(headers)s::jsonb ->> 'ce_source', source_key => %(headers)s::jsonb ->> 'ce_id',
    error_category => 'BUSINESS')

-- name: take_off
DELETE FROM message_queue WHERE id = ANY (%(ids)s)
