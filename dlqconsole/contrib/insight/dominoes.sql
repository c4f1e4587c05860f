-- The dead letters that share a trace or correlation id with the newest of one group, in the order of failing.

-- name: joined
-- The beginning of a query. Each id is looked up once, and an id that many share joins nothing: it is no event's.
WITH sample AS MATERIALIZED (
    SELECT newest.id, newest.status, newest.first_failure_at, newest.has_succeeded,
        array_remove(dead_letter_ids('', NULL, newest.headers), '') AS ids
    FROM (
        SELECT newest.* FROM unnest(%(statuses)s::text[]) states (name), LATERAL (
            SELECT id, status, headers, created_at, first_failure_at,
                status = 'SUCCEEDED' OR {healed} AS has_succeeded
            FROM dlq_events
            WHERE group_id = %(id)s AND status = states.name AND {letters}
            ORDER BY created_at DESC LIMIT %(sample)s
        ) newest
        ORDER BY newest.created_at DESC, newest.id DESC LIMIT %(sample)s
    ) newest
), sharing AS MATERIALIZED (
    SELECT shared.id AS shared, few.*, count(*) OVER (PARTITION BY shared.id) AS number
    FROM (SELECT DISTINCT unnest(ids) AS id FROM sample) shared, LATERAL (
        SELECT id, group_id, status, first_failure_at, {letters} AS is_seen,
            status = 'SUCCEEDED' OR {healed} AS has_succeeded
        FROM dlq_events
        WHERE dead_letter_ids(source_key, original_message_id, headers) @> ARRAY[shared.id]
            AND shared.id = ANY (dead_letter_ids('', NULL, headers))
        LIMIT %(most)s + 1
    ) few
), pairs AS (
    SELECT DISTINCT o.id, o.group_id, o.status, o.first_failure_at, s.id AS ours,
        o.first_failure_at - s.first_failure_at AS apart,
        (o.first_failure_at, o.id) < (s.first_failure_at, s.id) AS is_before,
        NOT o.has_succeeded AND o.status <> 'DISCARDED' AS is_unfinished,
        NOT o.has_succeeded AND o.status = ANY (%(open)s) AS is_open,
        s.has_succeeded AS ours_succeeded,
        NOT s.has_succeeded AND s.status <> 'DISCARDED' AS ours_unfinished,
        NOT s.has_succeeded AND s.status = ANY (%(open)s) AS ours_open
    FROM sample s CROSS JOIN unnest(s.ids) shared (id) JOIN sharing o ON o.shared = shared.id
    WHERE o.number <= %(most)s AND o.is_seen AND o.group_id <> %(id)s
), verdicts AS (
    SELECT *,
        is_open AND NOT is_before AND bool_or(ours_succeeded) OVER theirs AND NOT bool_or(ours_unfinished) OVER theirs
            AS is_rest,
        -- it comes before all else that is unfinished of its cascade
        is_before AND is_unfinished AND row_number() OVER (
            PARTITION BY ours, is_before AND is_unfinished ORDER BY first_failure_at, id
        ) = 1 AS is_first
    FROM pairs WINDOW theirs AS (PARTITION BY id, is_before)
)

-- name: groups
-- The sample's figures, with those of each group that fails with it, or NULL. ``apart``: seconds.
{joined}
SELECT about.*, neighbours.* FROM (
    SELECT count(*) AS sampled, count(*) FILTER (WHERE ids <> '{{}}') AS with_ids,
        (SELECT count(DISTINCT shared) FROM sharing WHERE number > %(most)s) AS left_out
    FROM sample
) about LEFT JOIN (
    SELECT group_id AS id, count(DISTINCT ours) FILTER (WHERE is_before) AS before,
        count(DISTINCT ours) FILTER (WHERE NOT is_before) AS after,
        count(DISTINCT id) FILTER (WHERE is_first AND ours_open AND status = ANY (%(revivable)s)) AS to_revive,
        count(DISTINCT id) FILTER (WHERE is_first AND ours_open AND status <> ALL (%(revivable)s)) AS under_way,
        count(DISTINCT id) FILTER (WHERE is_before AND is_unfinished AND ours_open) AS unfinished,
        count(DISTINCT id) FILTER (WHERE is_open AND NOT is_before) AS still_open,
        count(DISTINCT id) FILTER (WHERE is_rest) AS rest,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM apart)::float8) AS apart
    FROM verdicts GROUP BY group_id
    ORDER BY count(DISTINCT ours) DESC, group_id LIMIT %(groups)s
) neighbours ON true
ORDER BY neighbours.apart, neighbours.id

-- name: rest
-- A condition. As an array, so that the primary key finds them, whatever else is asked.
dlq_events.id = ANY (ARRAY({joined} SELECT id FROM verdicts WHERE is_rest))
