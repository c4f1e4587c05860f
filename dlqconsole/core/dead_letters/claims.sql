-- name: claim_due
SELECT * FROM dead_letters_claim(%(lanes)s::jsonb, %(owner)s::text, %(but)s::bigint[], %(most_come_backs)s::integer)

-- name: revive_due
-- The same put back on their queues, as dead_letter_revive() does it. ``retry_after`` is when the next try may be, should it
-- come back whichever way: it grows with each failure, and with each revival that nobody counted as one.
WITH due AS MATERIALIZED (
    SELECT d.*, l.first_wait, l.longest_wait, l.factor, l.reason
    FROM dead_letters_due(%(lanes)s::jsonb, %(but)s::bigint[], %(most_come_backs)s::integer) d
    -- NULL: all of them
    JOIN (SELECT %(only)s::bigint AS id) this ON coalesce(d.id = this.id, true)
    JOIN jsonb_to_recordset(%(lanes)s::jsonb) l (lane integer, first_wait float8, longest_wait float8, factor float8,
        reason text) ON l.lane = d.lane
), moved AS (
    UPDATE dlq_events d
    SET status = CASE WHEN due.is_used_up THEN 'EXHAUSTED' ELSE 'REVIVED' END,
        revive_count = d.revive_count + (NOT due.is_used_up)::integer,
        revived_at = CASE WHEN due.is_used_up THEN d.revived_at ELSE clock_timestamp() END,
        operation_id = CASE WHEN due.is_used_up THEN d.operation_id END,
        retry_after = CASE WHEN due.is_used_up THEN d.retry_after ELSE clock_timestamp() + make_interval(secs =>
            least(due.longest_wait, due.first_wait * due.factor ^ least(greatest(d.retry_count, d.revive_count), 20))) END
    FROM due
    WHERE d.id = due.id
    RETURNING due.lane, due.reason, d.*
), sent AS (
    INSERT INTO message_queue (id, queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq)
    SELECT revived_message_id(coalesce(nullif(m.queue, ''), m.event_type), m.group_key, m.queue, m.original_message_id),
        coalesce(nullif(m.queue, ''), m.event_type), m.payload,
        CASE WHEN m.payload IS NULL THEN coalesce(m.payload_raw, ''::bytea) ELSE m.payload_raw END,
        revive_headers(m.headers, m.event_type, m.source, m.source_key, m.payload), m.group_key, m.id, m.revive_count
    FROM moved m WHERE m.status = 'REVIVED'
    ORDER BY m.id
    RETURNING id, dlq_event_id
), noted AS (
    INSERT INTO audit_log (actor, action, target, reason, detail)
    SELECT 'schedule', 'revive', 'dead_letter:' || m.id, m.reason,
        jsonb_build_object('message_id', s.id, 'revive_count', m.revive_count, 'run', %(run)s::bigint)
    FROM moved m JOIN sent s ON s.dlq_event_id = m.id
    ORDER BY m.id
)
SELECT lane, status, id, event_type, group_id, revive_count FROM moved

-- name: due
SELECT id FROM dead_letters_due(%(lanes)s::jsonb, %(but)s::bigint[], %(most_come_backs)s::integer)

-- name: fail_revival
-- No message could be made of this one, which the caller has locked: an attempt that failed. It waits as the others do.
WITH failed AS (
    UPDATE dlq_events d
    SET status = dead_letter_becomes('PENDING', d.retry_count + 1, coalesce(d.max_retries, %(max_retries)s)),
        retry_count = d.retry_count + 1, retry_after = clock_timestamp() + make_interval(secs => least(%(longest_wait)s,
            %(first_wait)s * %(factor)s::float8 ^ least(greatest(d.retry_count, d.revive_count), 20)))
    WHERE d.id = %(only)s
    RETURNING d.id, d.status
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'failed', f.id, worker => 'schedule', reason => %(reason)s)))
    FROM failed f
)
SELECT f.status FROM failed f, told

-- name: any_due
-- Whether anything of these lanes is due.
SELECT EXISTS (
    SELECT 1
    FROM jsonb_to_recordset(%(lanes)s::jsonb) l (event_type text, categories text[], only_groups bigint[],
        but_groups bigint[], only_queues text[])
    CROSS JOIN LATERAL unnest(l.categories) c (category)
    CROSS JOIN LATERAL (
        SELECT 1 FROM dlq_events d
        WHERE d.status = 'PENDING' AND d.event_type = l.event_type AND d.error_category = c.category
            AND d.retry_after <= now() AND d.id <> ALL (%(but)s::bigint[])
            AND NOT dead_letter_keeps_coming(d.come_backs, %(most_come_backs)s)
            -- not as an OR: the planner would think that hardly any is left, and read all that is due
            AND coalesce(coalesce(nullif(d.queue, ''), d.event_type) = ANY (l.only_queues), true)
            AND (l.only_groups IS NULL OR d.group_id = ANY (l.only_groups))
            AND (l.but_groups IS NULL OR d.group_id <> ALL (l.but_groups))
        LIMIT 1
    ) found
)

-- name: claim_these
-- Claimed singly, and begun at once.
WITH picked AS MATERIALIZED (
    SELECT id, status, operation_id FROM dlq_events
    WHERE id = ANY (%(ids)s::bigint[]) AND status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        AND payload_version = coalesce(%(payload_version)s::integer, payload_version)
    ORDER BY id
    FOR UPDATE
)
UPDATE dlq_events d
SET status = 'RETRYING', owner = %(owner)s, lease_token = gen_random_uuid(), operation_id = %(operation_id)s,
    begun_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM picked
WHERE d.id = picked.id
RETURNING d.id, d.event_type, d.payload::text, d.payload_raw, d.headers, d.source, d.source_key, d.retry_count,
    d.max_retries, d.crash_count, d.retry_after, d.lease_token, picked.status AS status_before,
    picked.operation_id AS operation_before, d.group_id

-- name: interrupt
-- Our worker has to stop, and stops these handlers with it: attempts, but nobody's crash, and due again at once.
WITH cut AS (
    UPDATE dlq_events d
    SET status = dead_letter_becomes('PENDING', d.retry_count + 1, coalesce(d.max_retries, held.most)),
        retry_count = d.retry_count + 1, retry_after = clock_timestamp(), lease_token = NULL, lease_until = NULL
    FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(started)s::timestamptz[], %(most)s::integer[])
        held (id, token, started_at, most)
    WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
    RETURNING d.id, d.owner, d.status, d.group_id, held.started_at
), told AS (
    SELECT attempts_add(array_agg(attempt(%(kind)s, 'failed', id, worker => owner, started_at => started_at,
        reason => %(reason)s)))
    FROM cut
)
SELECT id, status, group_id FROM cut, told

-- name: stale
-- A worker died while it held these. They stay locked until they are reclaimed.
SELECT id, event_type, error_category AS category, group_id, retry_count FROM dlq_events
WHERE status = 'RETRYING' AND lease_until < now()
ORDER BY id
LIMIT 1000
FOR UPDATE SKIP LOCKED

-- name: oldest_attempt
-- How long the attempt that began first has been running. By the index of what is in flight, which is short.
SELECT extract(epoch FROM clock_timestamp() - min(begun_at))::float8
FROM dlq_events WHERE status = 'RETRYING' AND begun_at IS NOT NULL

-- name: reclaim
-- Where the handler had begun, the crash counts as a failed attempt; the rest is as it was before.
WITH stale AS MATERIALIZED (
    SELECT e.id, e.begun_at, s.most, s.delay
    FROM unnest(%(ids)s::bigint[], %(most)s::integer[], %(delays)s::float8[]) s (id, most, delay)
    JOIN dlq_events e ON e.id = s.id AND e.status = 'RETRYING' AND e.lease_until < now()
), freed AS (
    UPDATE dlq_events d
    SET status = CASE WHEN stale.begun_at IS NULL THEN 'PENDING' ELSE dead_letter_becomes('PENDING', d.retry_count + 1,
            coalesce(d.max_retries, stale.most), d.crash_count + 1 >= %(max_crashes)s) END,
        crash_count = d.crash_count + (stale.begun_at IS NOT NULL)::integer,
        retry_count = d.retry_count + (stale.begun_at IS NOT NULL)::integer,
        retry_after = CASE WHEN stale.begun_at IS NULL THEN d.retry_after
            ELSE clock_timestamp() + make_interval(secs => stale.delay) END,
        lease_token = NULL, lease_until = NULL
    FROM stale WHERE d.id = stale.id
    RETURNING d.id, d.owner, d.status, stale.begun_at
), told AS (
    SELECT attempts_add(array_agg(attempt('crash', 'failed', id, worker => owner, started_at => begun_at,
        reason => /*stored*/ 'the worker stopped while it held this dead letter')))
    FROM freed WHERE begun_at IS NOT NULL
)
SELECT id, status, begun_at IS NOT NULL AS was_begun FROM freed, told

-- name: begin
-- The handlers of these are about to run: from here on it is an attempt, and counts.
UPDATE dlq_events d SET begun_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => held.lease)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(leases)s::float8[]) held (id, token, lease)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING' AND d.begun_at IS NULL
RETURNING d.id, d.begun_at

-- name: extend
UPDATE dlq_events d SET lease_until = clock_timestamp() + make_interval(secs => held.lease)
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(leases)s::float8[]) held (id, token, lease)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id

-- name: succeed
WITH done AS MATERIALIZED (
    SELECT * FROM dead_letters_succeed(%(ids)s::bigint[], %(tokens)s::uuid[], %(started)s::timestamptz[], %(kind)s::text)
), kept AS (
    SELECT records_keep(array_agg(event_record(d.event_type, d.source, d.source_key, h.occurred_at, h.record::jsonb,
        -- not of what a person has made of it: it is to be known when it comes again as it came
        CASE WHEN d.payload_version = 0 THEN h.digest END)))
    FROM done d
    JOIN unnest(%(ids)s::bigint[], %(occurred)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[])
        h (id, occurred_at, record, digest) USING (id)
)
SELECT id, status, group_id FROM done, kept

-- name: fail_again
SELECT * FROM dead_letters_fail(%(ids)s::bigint[], %(tokens)s::uuid[], %(started)s::timestamptz[],
    %(statuses)s::text[], %(most)s::integer[], %(delays)s::float8[], %(fatal)s::boolean[], %(reasons)s::text[],
    %(categories)s::text[], %(traces)s::text[], %(kind)s::text, %(max_crashes)s::integer, %(max_timeouts)s::integer)

-- name: give_back
-- What was claimed and not begun, or has no handler here, is as it was before: nothing happened to it.
UPDATE dlq_events d
SET status = held.status, operation_id = held.operation_id, owner = NULL, lease_token = NULL, lease_until = NULL
FROM unnest(%(ids)s::bigint[], %(tokens)s::uuid[], %(statuses)s::text[], %(operations)s::bigint[])
    held (id, token, status, operation_id)
WHERE d.id = held.id AND d.lease_token = held.token AND d.status = 'RETRYING'
RETURNING d.id
