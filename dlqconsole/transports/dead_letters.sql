-- Messages of other systems' queues become dead letters, a page at a time. Rows are locked in one order.

-- name: take_back
-- A revived dead letter that failed again: the same row returns, and its journey is over.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(
        %(message_ids)s::text[], %(dlq_event_ids)s::bigint[], %(revive_seqs)s::integer[], %(reasons)s::text[],
        %(categories)s::text[], %(stacktraces)s::text[], %(statuses)s::text[], %(delays)s::float[],
        %(workers)s::text[]
    ) WITH ORDINALITY
        c (message_id, dlq_event_id, revive_seq, reason, category, stacktrace, status, delay, worker, place)
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
    SET status = CASE
            WHEN n.status = 'PENDING' AND d.retry_count >= coalesce(d.max_retries, %(schedule_max_retries)s)
            THEN 'EXHAUSTED' ELSE n.status END,
        error_reason = n.reason, error_category = n.category, error_stacktrace = n.stacktrace,
        occurrences = d.occurrences + n.times, last_failure_at = clock_timestamp(),
        retry_after = clock_timestamp() + make_interval(secs => n.delay)
    FROM newest n
    WHERE d.id = n.id AND d.status = 'REVIVED'
    RETURNING d.id, d.revive_count
), ended AS (
    DELETE FROM forwarded_messages f USING returned r
    WHERE f.dlq_event_id = r.id AND f.revive_seq = r.revive_count
    RETURNING f.dlq_event_id, f.forwarded_at
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_reason,
        error_stacktrace)
    SELECT n.id, 'revive', n.worker, coalesce(o.forwarded_at, clock_timestamp()), clock_timestamp(), 'failed',
        n.reason, n.stacktrace
    FROM newest n JOIN returned r USING (id) LEFT JOIN ended o ON o.dlq_event_id = n.id
)
SELECT c.message_id, r.id FROM came c
JOIN returned r ON r.id = c.dlq_event_id AND r.revive_count = c.revive_seq

-- name: add
-- The others. The same event twice, in one page or years apart, is one row with one occurrence more.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(
        %(message_ids)s::text[], %(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
        %(payloads)s::text[], %(raws)s::bytea[], %(headers)s::text[], %(reasons)s::text[], %(categories)s::text[],
        %(stacktraces)s::text[], %(statuses)s::text[], %(delays)s::float[], %(workers)s::text[],
        %(failed_at)s::timestamptz[]
    ) WITH ORDINALITY
        c (message_id, event_type, source, source_key, payload, raw, headers, reason, category, stacktrace, status,
            delay, worker, failed_at, place)
), newest AS (
    SELECT DISTINCT ON (source, source_key) *, count(*) OVER (PARTITION BY source, source_key) AS times
    FROM came
    ORDER BY source, source_key, place DESC
), added AS (
    INSERT INTO dlq_events (event_type, payload, payload_raw, headers, error_reason, error_category,
        error_stacktrace, status, retry_after, source, source_key, queue, original_message_id, occurrences,
        first_failure_at)
    SELECT left(event_type, 255), payload::jsonb, raw, headers::jsonb, reason, category, stacktrace, status,
        clock_timestamp() + make_interval(secs => delay), source, source_key, %(queue)s,
        CASE WHEN message_id ~ '^[0-9]{1,18}$' THEN message_id::bigint END, times,
        coalesce(failed_at, clock_timestamp())
    FROM newest
    ORDER BY source, source_key
    ON CONFLICT (source, source_key) DO UPDATE
    -- the newest error where the row still waits; what is done with stays done
    SET occurrences = dlq_events.occurrences + excluded.occurrences, last_failure_at = clock_timestamp(),
        error_reason = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_reason ELSE dlq_events.error_reason END,
        error_category = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_category ELSE dlq_events.error_category END,
        error_stacktrace = CASE WHEN dlq_events.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            THEN excluded.error_stacktrace ELSE dlq_events.error_stacktrace END
    RETURNING id, source, source_key
), attempted AS (
    INSERT INTO dlq_attempts (dlq_event_id, kind, worker, started_at, finished_at, outcome, error_reason,
        error_stacktrace)
    SELECT a.id, 'queue', n.worker, coalesce(n.failed_at, clock_timestamp()), clock_timestamp(), 'failed',
        n.reason, n.stacktrace
    FROM added a JOIN newest n USING (source, source_key)
)
SELECT c.message_id, a.id FROM came c JOIN added a USING (source, source_key)

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
