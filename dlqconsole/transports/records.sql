-- name: keep
-- Known already, and with other bytes: another event, whose record stands beside the first one's. The keys of those
-- that were not there before.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[],
        %(occurred_at)s::timestamptz[], %(records)s::text[], %(digests)s::uuid[], %(payloads)s::text[],
        %(raws)s::bytea[]) WITH ORDINALITY
        came (event_type, source, source_key, occurred_at, record, digest, payload, raw, place)
), kept AS MATERIALIZED (
    SELECT records_keep(array_agg(
        event_record(event_type, source, source_key, occurred_at, record::jsonb, digest) ORDER BY place)) AS others
    FROM came
), others AS MATERIALIZED (
    SELECT o.event_type, o.source, dead_letter_key(o.source_key, came.payload::jsonb, came.raw) AS source_key,
        o.occurred_at, o.record, o.digest
    FROM kept, unnest(kept.others) o JOIN came USING (source, source_key, digest)
), beside AS MATERIALIZED (
    SELECT records_keep(array_agg(event_record(event_type, source, source_key, occurred_at, record, digest)))
    FROM others
)
SELECT DISTINCT o.source_key FROM others o, beside
-- as it was when this statement began
WHERE NOT EXISTS (SELECT FROM enriched_events e WHERE e.source = o.source AND e.source_key = o.source_key)
