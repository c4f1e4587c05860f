-- name: by_status
-- How many dead letters lie in the archive, of those that somebody sees.
SELECT c.status, sum(c.rows)::bigint AS rows
FROM archive_counts c JOIN archive_files f ON f.id = c.file_id
WHERE f.state = 'kept' AND f.kind = 'dead_letters' AND {scope}
    AND (%(event_type)s = '' OR f.event_type = %(event_type)s)
    AND (%(queue)s = '' OR c.queue = %(queue)s)
GROUP BY c.status

-- name: figures
SELECT kind, count(*) AS files, coalesce(sum(rows), 0)::bigint AS rows, coalesce(sum(bytes), 0)::bigint AS bytes,
    min(day) AS first_day, max(day) AS last_day
FROM archive_files WHERE state = 'kept' GROUP BY kind ORDER BY kind

-- name: holder
-- The dead letter in the list that is the same event, where there is one.
SELECT id FROM dlq_events
WHERE id = %(id)s OR (source = %(source)s AND source_key = %(source_key)s)
LIMIT 1

-- name: forget
-- All that holds words of archived dead letters, as a purge has it (forgetting.sql).
WITH purged AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(sources)s::text[], %(source_keys)s::text[], %(groups)s::bigint[])
        purged (id, source, source_key, group_id)
), {forgotten}
SELECT count(*) FROM purged

-- name: to_search
-- Files that may hold what is wanted: those first that are likely to, by numbers and keys, then the newest. may_hold is
-- asked of the filter's source, and of a text that may be a source or a source key.
SELECT f.id, f.path, f.bytes, f.ids @> %(number)s::bigint OR {text} AS is_likely
FROM archive_files f
WHERE f.state = 'kept' AND f.kind = 'dead_letters'
    AND (%(type)s = '' OR f.event_type = %(type)s)
    AND (%(since)s::date IS NULL OR f.day >= %(since)s::date) AND (%(until)s::date IS NULL OR f.day <= %(until)s::date)
    AND EXISTS (
        SELECT FROM archive_counts c
        WHERE c.file_id = f.id AND {scope} AND (%(status)s = '' OR c.status = %(status)s)
            AND (%(queue)s = '' OR c.queue = %(queue)s)
    )
    AND {source}
ORDER BY is_likely DESC NULLS LAST, f.day DESC, f.id DESC

-- name: may_hold
-- Whether a Bloom filter (job/keys.py) has all bits of a text set; none are asked for without a text.
NOT EXISTS (
    SELECT FROM unnest(%({probes})s::bigint[]) AS p (place)
    WHERE octet_length(f.keys) > 0 AND get_bit(f.keys, p.place %% (8 * octet_length(f.keys)::bigint)) = 0
)
