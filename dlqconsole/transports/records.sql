-- name: keep
-- In one order, so that two consumers of the same events never wait for each other. Of two in one batch the first counts.
INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record, digest)
SELECT event_type, source, source_key, occurred_at, record::jsonb, digest
FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
    %(occurred_at)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[]) WITH ORDINALITY
    came (event_type, source, source_key, occurred_at, record, digest, place)
ORDER BY source, source_key, place
ON CONFLICT (source, source_key) DO NOTHING
RETURNING id

-- name: keep_others
-- Known already, and with other bytes: another event, whose record stands beside the first one's. Where either digest is
-- not known they are the same.
INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record, digest)
SELECT came.event_type, came.source, n.source_key, came.occurred_at, came.record::jsonb, came.digest
FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
    %(occurred_at)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[], %(payloads)s::text[],
    %(raws)s::bytea[])
    came (event_type, source, source_key, occurred_at, record, digest, payload, raw)
JOIN enriched_events e ON e.source = came.source AND e.source_key = came.source_key AND e.digest <> came.digest
CROSS JOIN LATERAL (SELECT dead_letter_key(came.source_key, came.payload::jsonb, came.raw) AS source_key) n
ORDER BY 2, 3
ON CONFLICT (source, source_key) DO NOTHING
RETURNING source_key
