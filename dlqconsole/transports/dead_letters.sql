-- Messages of other systems' queues become dead letters, a page at a time. Rows are locked in one order.

-- name: take_back
-- A revived dead letter that failed again: the same row returns, and its journey is over.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(
        %(message_ids)s::text[], %(dlq_event_ids)s::bigint[], %(revive_seqs)s::integer[], %(reasons)s::text[],
        %(categories)s::text[], %(stacktraces)s::text[], %(statuses)s::text[], %(delays)s::float[],
        %(workers)s::text[], %(attempts)s::integer[], %(most_retries)s::integer[]
    ) WITH ORDINALITY
        c (message_id, dlq_event_id, revive_seq, reason, category, stacktrace, status, delay, worker, attempts,
            most_retries, place)
    WHERE dlq_event_id IS NOT NULL
), held AS MATERIALIZED (
    SELECT d.id, d.revive_count FROM dlq_events d
    WHERE d.id = ANY (ARRAY(SELECT dlq_event_id FROM came)) AND d.status = 'REVIVED'
        AND coalesce(nullif(d.queue, ''), d.event_type) = %(queue)s
    ORDER BY d.id
    FOR UPDATE
), newest AS (
    -- a consumer may have sent a copy with the same headers: one row, two occurrences
    SELECT DISTINCT ON (h.id) h.id, c.*, count(*) OVER (PARTITION BY h.id) AS times
    FROM came c JOIN held h ON h.id = c.dlq_event_id AND h.revive_count = c.revive_seq
    ORDER BY h.id, c.place DESC
), returned AS (
    UPDATE dlq_events d
    SET status = dead_letter_becomes(
            n.status, d.retry_count, coalesce(d.max_retries, n.most_retries)),
        error_reason = n.reason, error_category = n.category, error_stacktrace = n.stacktrace,
        occurrences = d.occurrences + n.times, retry_count = d.retry_count + n.attempts,
        last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => n.delay)
    FROM newest n
    WHERE d.id = n.id AND d.status = 'REVIVED'
    RETURNING d.id, d.revive_count
), ended AS (
    DELETE FROM forwarded_messages f USING returned r
    WHERE f.dlq_event_id = r.id AND f.revive_seq = r.revive_count
    RETURNING f.dlq_event_id, f.forwarded_at
), told AS (
    SELECT attempts_add(array_agg(attempt('revive', 'failed', r.id, %(queue)s || '/' || n.message_id, n.worker,
        o.forwarded_at, category => n.category, reason => n.reason, stacktrace => n.stacktrace) ORDER BY n.place))
    FROM came n JOIN returned r ON r.id = n.dlq_event_id AND r.revive_count = n.revive_seq
    LEFT JOIN ended o ON o.dlq_event_id = r.id
)
SELECT c.message_id, r.id FROM told, came c
JOIN returned r ON r.id = c.dlq_event_id AND r.revive_count = c.revive_seq

-- name: add
-- The others. The same event twice, in one page or years apart, is one row with one occurrence more.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(
        %(message_ids)s::text[], %(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
        %(payloads)s::text[], %(raws)s::bytea[], %(headers)s::text[], %(reasons)s::text[], %(categories)s::text[],
        %(stacktraces)s::text[], %(statuses)s::text[], %(delays)s::float[], %(workers)s::text[],
        %(attempts)s::integer[], %(failed_at)s::timestamptz[]
    ) WITH ORDINALITY
        c (message_id, event_type, source, source_key, payload, raw, headers, reason, category, stacktrace, status,
            delay, worker, attempts, failed_at, place)
), earlier AS MATERIALIZED (
    SELECT a.message, min(a.finished_at) AS first_failure_at FROM dlq_attempts a
    WHERE a.message = ANY (ARRAY(SELECT %(queue)s || '/' || message_id FROM came)) AND a.dlq_event_id IS NULL
    GROUP BY a.message
), named AS MATERIALIZED (
    SELECT c.message_id, c.place, c.source, n.source_key AS named_key, n.same_id_as
    FROM came c CROSS JOIN LATERAL dead_letter_named(c.source, c.source_key, c.payload::jsonb, c.raw) n
), newest AS (
    SELECT DISTINCT ON (n.source, n.named_key) c.*, n.named_key, n.same_id_as,
        count(*) OVER (PARTITION BY n.source, n.named_key) AS times,
        sum(c.attempts) OVER (PARTITION BY n.source, n.named_key) AS all_attempts
    FROM came c JOIN named n USING (place)
    ORDER BY n.source, n.named_key, c.place DESC
), new AS (
    SELECT event_type, payload::jsonb, raw AS payload_raw, headers::jsonb, reason, category, stacktrace, status,
        all_attempts AS retry_count, delay, source, named_key AS source_key, same_id_as, %(queue)s AS queue,
        NULL AS group_key, CASE WHEN message_id ~ '^[0-9]{1,18}$' THEN message_id::bigint END AS message_id,
        times AS occurrences, coalesce(e.first_failure_at, failed_at, clock_timestamp()) AS first_failure_at,
        0 AS crash_count
    FROM newest n LEFT JOIN earlier e ON e.message = %(queue)s || '/' || n.message_id
), added AS (
    {added}
), now_dead AS (
    SELECT n.place, n.message_id, a.id, CASE WHEN b.status IN ('SUCCEEDED', 'DISCARDED') THEN b.status ELSE '' END
        AS closed
    FROM named n LEFT JOIN added a ON a.source = n.source AND a.source_key = n.named_key
    LEFT JOIN dlq_events b ON b.id = a.id
), followed AS (
    -- the attempts on the queue are the dead letter's
    UPDATE dlq_attempts a SET dlq_event_id = d.id
    FROM now_dead d
    WHERE a.message = %(queue)s || '/' || d.message_id AND a.dlq_event_id IS NULL
    RETURNING a.id
), told AS (
    -- of two of one event in a page, too, each failed in its own words
    SELECT attempts_add(array_agg(attempt('queue', 'failed', d.id, %(queue)s || '/' || c.message_id, c.worker, c.failed_at,
        category => c.category, reason => c.reason, stacktrace => c.stacktrace, reopened_from => d.closed)
        ORDER BY c.place))
    FROM now_dead d JOIN came c USING (place), (SELECT count(*) FROM followed) before
)
SELECT message_id, coalesce(id, dead_letter_raced()) AS id FROM now_dead, told

-- name: alone
-- Whoever handles the same message at the same time waits here until the other has committed.
SELECT pg_advisory_xact_lock(hashtextextended(%(message)s, 0))

-- name: recall
-- For a message that leaves its queue after its dead letter is committed, so that it may come here again.
-- known: the dead letter that this very message left before. taken: a dead letter has this source and key.
SELECT (
        SELECT min(d.id) FROM dlq_events d
        WHERE (d.id = %(dlq_event_id)s
                OR (d.source = %(source)s AND d.source_key IN (%(source_key)s, %(source_key_again)s)))
            AND EXISTS (
                SELECT 1 FROM dlq_attempts a
                WHERE a.dlq_event_id = d.id AND starts_with(a.worker, %(message)s || ',')
            )
    ) AS known,
    EXISTS (SELECT 1 FROM dlq_events WHERE source = %(source)s AND source_key = %(source_key)s) AS taken,
    clock_timestamp() - make_interval(secs => %(held_seconds)s) AS failed_at
