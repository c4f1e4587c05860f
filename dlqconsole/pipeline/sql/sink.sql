-- name: known
-- Which of these events are in either table. LATERAL with LIMIT: one index probe an event, never a
-- hash of a table that may hold a hundred million rows.
SELECT k.ordinal - 1
FROM unnest(%(sources)s::text[], %(keys)s::text[]) WITH ORDINALITY AS k (source, source_key, ordinal)
LEFT JOIN LATERAL (
    SELECT true AS here FROM enriched_events e
    WHERE e.source = k.source AND e.source_key = k.source_key LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT true AS here FROM dlq_events d
    WHERE d.source = k.source AND d.source_key = k.source_key LIMIT 1
) d ON true
WHERE e.here OR d.here

-- name: other_bytes
-- Of these lines, known by their position: which of the rows hold other bytes than these.
SELECT k.ordinal - 1
FROM unnest(%(sources)s::text[], %(keys)s::text[], %(digests)s::text[])
    WITH ORDINALITY AS k (source, source_key, digest, ordinal)
JOIN dlq_events d ON d.source = k.source AND d.source_key = k.source_key
WHERE d.payload_raw IS NOT NULL AND md5(d.payload_raw) <> k.digest

-- name: commit_gate
-- Held from here to the commit: of two transactions with one event, the later sees the earlier's row.
SELECT pg_advisory_xact_lock(hashtextextended('dlqconsole.pipeline.ingest.commit', 0))

-- name: crossed
-- Has anybody put one of my successes among the dead letters, or one of my dead letters among the
-- successes, since I looked?
SELECT EXISTS (
    SELECT FROM unnest(%(enriched_sources)s::text[], %(enriched_keys)s::text[]) AS k (source, source_key)
    CROSS JOIN LATERAL (
        SELECT FROM dlq_events d WHERE d.source = k.source AND d.source_key = k.source_key LIMIT 1
    ) d
) OR EXISTS (
    SELECT FROM unnest(%(dead_sources)s::text[], %(dead_keys)s::text[]) AS k (source, source_key)
    CROSS JOIN LATERAL (
        SELECT FROM enriched_events e WHERE e.source = k.source AND e.source_key = k.source_key LIMIT 1
    ) e
)

-- name: copy_enriched
COPY enriched_events (event_type, source, source_key, occurred_at, record) FROM STDIN

-- name: copy_dead_letters
COPY dlq_events (event_type, source, source_key, payload, payload_raw, headers, error_reason, error_category,
    error_stacktrace, status, retry_after) FROM STDIN
