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

-- name: claim
-- A job's fixed rows. Spark dies of a machine, not of a row: none is charged with it.
SELECT id, token::text FROM queue_claim(%(queue)s, %(most)s, %(seconds)s, %(owner)s, blameless => true)

-- name: claimed
-- The messages of a claim whose ids are in one range, in the columns of a frame.
SELECT m.id, coalesce(m.payload_raw, convert_to(m.payload::text, 'UTF8')),
    coalesce(m.headers ->> 'ce_source', m.payload ->> 'source'), coalesce(m.headers ->> 'ce_type', m.payload ->> 'type'),
    coalesce(m.headers ->> 'ce_id', m.payload ->> 'id'), m.headers::text, m.token::text
FROM queue_claimed(%(token)s::uuid, %(first)s, %(last)s) m

-- name: renew
SELECT queue_extend(%(ids)s, %(token)s::uuid, %(seconds)s)

-- name: settle
-- Done: what of the claim is held still leaves the queue, and its dead letters have succeeded.
SELECT queue_complete(%(ids)s, %(token)s::uuid)

-- name: give_back
SELECT queue_release(%(ids)s, %(token)s::uuid)

-- name: fail_again
-- Fixed rows that fail again: what they revived is open again; what somebody put into the job's queue is a dead letter.
SELECT f.dead_letter_id
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(reasons)s::text[]) r (id, token, reason),
    LATERAL queue_give_up(r.id, r.token, r.reason, 'BUSINESS') f
