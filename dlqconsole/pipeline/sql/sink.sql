-- name: known
-- Which of these events are in either table, whether as dead letters, and of the successes the digest. LATERAL with LIMIT: one
-- index probe an event, never a hash of a table that may hold a hundred million rows.
SELECT k.ordinal - 1, d.here, replace(e.digest::text, '-', '')
FROM unnest(%(sources)s::text[], %(keys)s::text[]) WITH ORDINALITY AS k (source, source_key, ordinal)
LEFT JOIN LATERAL (
    SELECT true AS here, e.digest FROM enriched_events e
    WHERE e.source = k.source AND e.source_key = k.source_key LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT true AS here FROM dlq_events d
    WHERE d.source = k.source AND d.source_key = k.source_key LIMIT 1
) d ON true
WHERE e.here OR d.here

-- name: stored_before
-- Which of these events have come into a table since this run began, and how they ended. Asked when a piece is read
-- again whose first worker died: what it had stored is counted already.
SELECT k.ordinal - 1, coalesce(d.ending, e.ending)
FROM unnest(%(sources)s::text[], %(keys)s::text[]) WITH ORDINALITY AS k (source, source_key, ordinal)
CROSS JOIN (SELECT started_at FROM pipeline_runs WHERE id = %(id)s) r
LEFT JOIN LATERAL (
    SELECT 'enriched' AS ending FROM enriched_events e
    WHERE e.source = k.source AND e.source_key = k.source_key AND e.created_at >= r.started_at LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT d.error_class AS ending FROM dlq_events d
    WHERE d.source = k.source AND d.source_key = k.source_key AND d.dead_lettered_at >= r.started_at LIMIT 1
) d ON true
WHERE e.ending IS NOT NULL OR d.ending IS NOT NULL

-- name: other_bytes
-- Of these lines, known by their position in the list: which bring bytes that no version of the dead letter under
-- their source and key holds, nor the success there, where it is not known what that brought (``differs``: it is, and
-- is something else); the key under which they are kept, and that dead letter. What the database refused before is
-- kept as the bytes of its line alone.
SELECT k.ordinal - 1, dead_letter_key(k.source_key, k.payload::jsonb, k.raw), d.id
FROM unnest(%(sources)s::text[], %(keys)s::text[], %(payloads)s::text[], %(raws)s::bytea[], %(digests)s::text[],
        %(differ)s::boolean[])
    WITH ORDINALITY AS k (source, source_key, payload, raw, digest, differs, ordinal)
LEFT JOIN LATERAL (
    SELECT d.id, d.payload_raw FROM dlq_events d
    WHERE d.source = k.source AND d.source_key = k.source_key LIMIT 1
) d ON true
CROSS JOIN LATERAL dead_letter_named(k.source, k.source_key, k.payload::jsonb, k.raw) n
WHERE CASE WHEN d.id IS NULL THEN k.differs
    ELSE n.same_id_as IS NOT NULL AND md5(d.payload_raw) IS DISTINCT FROM k.digest END

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
COPY enriched_events (event_type, source, source_key, occurred_at, record, digest) FROM STDIN

-- name: copy_dead_letters
COPY dlq_events (event_type, source, source_key, same_id_as, payload, payload_raw, headers, error_reason, error_category,
    error_stacktrace, status, retry_after, queue) FROM STDIN
