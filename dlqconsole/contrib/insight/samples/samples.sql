-- name: keep
-- In one order, so that two writers of the same events never wait for each other.
INSERT INTO success_samples (event_type, source, source_key, payload, payload_raw, masked, was_dead_letter,
    by_rate, stands_for)
SELECT event_type, source, source_key, payload::jsonb, payload_raw, masked, healed, by_rate, stands_for
FROM unnest(%(event_types)s::text[], %(sources)s::text[], %(source_keys)s::text[], %(payloads)s::text[],
    %(payload_raws)s::bytea[], %(masked)s::boolean[], %(healed)s::boolean[], %(by_rate)s::boolean[],
    %(stands_for)s::integer[])
    came (event_type, source, source_key, payload, payload_raw, masked, healed, by_rate, stands_for)
ORDER BY source, source_key
ON CONFLICT DO NOTHING

-- name: policies
SELECT event_type, one_in, masked FROM sample_policies

-- name: thin
-- Of each type and day (UTC) no more than so many stay: those whose hash is smallest, so that each has had the same
-- chance, whenever in the day it came.
DELETE FROM success_samples WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER (
            PARTITION BY event_type, date_trunc('day', sampled_at, 'UTC')
            ORDER BY md5(source || E'\n' || source_key)
        ) AS place
        FROM success_samples
        WHERE sampled_at >= date_trunc('day', clock_timestamp(), 'UTC') - interval '1 day'
    ) placed WHERE place > %(most)s
)

-- name: forget
DELETE FROM success_samples WHERE sampled_at < clock_timestamp() - make_interval(days => %(days)s)

-- name: counted
-- What there is of each type.
SELECT event_type, count(*)::int AS samples, count(*) FILTER (WHERE masked)::int AS masked,
    min(sampled_at) AS oldest, max(sampled_at) AS newest
FROM success_samples GROUP BY event_type ORDER BY event_type
