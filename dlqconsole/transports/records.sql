-- name: keep
-- In one order, so that two consumers of the same events never wait for each other.
INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)
SELECT event_type, source, source_key, occurred_at, record::jsonb
FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
    %(occurred_at)s::timestamptz[], %(records)s::text[])
    came (event_type, source, source_key, occurred_at, record)
ORDER BY source, source_key
ON CONFLICT (source, source_key) DO NOTHING
RETURNING id
