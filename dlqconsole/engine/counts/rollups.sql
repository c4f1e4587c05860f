-- Figures of dead letters, from what the triggers of dlq_events counted. The views dead_letter_totals and
-- dead_letter_trend add what was not folded yet, so each statement here is exact in its snapshot.

-- name: try_lock
-- One folder at a time. Taken in a statement of its own: the next one then sees what the last folder left.
SELECT pg_try_advisory_xact_lock(1145852243)

-- name: lock
SELECT pg_advisory_xact_lock(1145852243)

-- name: many
-- Whether so many rows wait to be folded.
SELECT count(*) >= %(many)s FROM (SELECT FROM dead_letter_deltas LIMIT %(many)s) few

-- name: fold
WITH moved AS (
    DELETE FROM dead_letter_deltas
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM dead_letter_deltas LIMIT %(limit)s))
    RETURNING *
), counted AS (
    INSERT INTO dead_letter_counts AS c (group_id, event_type, error_category, queue, status, letters, occurrences,
        first_at, last_at)
    SELECT group_id, event_type, error_category, queue, status, sum(letters), sum(occurrences), min(first_at),
        max(last_at)
    FROM moved GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (group_id, event_type, error_category, queue, status) DO UPDATE
    SET letters = c.letters + excluded.letters, occurrences = c.occurrences + excluded.occurrences,
        first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)
), placed AS (
    INSERT INTO dead_letter_hours AS h (group_id, hour, status, letters)
    SELECT group_id, hour, status, sum(letters) FROM moved GROUP BY 1, 2, 3 HAVING sum(letters) <> 0
    ON CONFLICT (group_id, hour, status) DO UPDATE SET letters = h.letters + excluded.letters
)
SELECT count(*) AS moved, coalesce(array_agg(DISTINCT group_id), '{}') AS groups FROM moved

-- name: fold_outcomes
WITH many AS MATERIALIZED (
    SELECT operation_id, group_id FROM revival_outcomes GROUP BY 1, 2 HAVING count(*) > 1
), moved AS (
    DELETE FROM revival_outcomes o USING many WHERE o.operation_id = many.operation_id AND o.group_id = many.group_id
    RETURNING o.operation_id, o.group_id, o.succeeded, o.failed
)
INSERT INTO revival_outcomes (operation_id, group_id, succeeded, failed)
SELECT operation_id, group_id, sum(succeeded), sum(failed) FROM moved GROUP BY 1, 2

-- name: tidy
DELETE FROM dead_letter_hours WHERE letters = 0

-- name: revival_outcome
SELECT coalesce(sum(succeeded), 0)::bigint AS succeeded, coalesce(sum(failed), 0)::bigint AS failed
FROM revival_outcomes WHERE operation_id = %(operation_id)s

-- name: by_status
SELECT status, sum(letters)::bigint AS letters FROM dead_letter_totals
WHERE {condition}
GROUP BY status HAVING sum(letters) <> 0

-- name: by_group
SELECT group_id AS id, sum(letters)::bigint AS matching FROM dead_letter_totals
WHERE {condition}
GROUP BY 1 HAVING sum(letters) > 0
ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: named
-- What groups or event types say of what is searched.
({row}group_id = ANY (%(meant_groups)s::bigint[]) OR {row}event_type = ANY (%(meant_types)s::text[]))

-- name: by_handling
-- With each how many are of types that nobody handles, and of types that nobody rehearses; and how many keep coming
-- back, by an index that holds nothing else.
WITH coming AS MATERIALIZED (
    SELECT d.status, count(*) AS letters FROM dlq_events d
    WHERE d.come_backs > 0 AND dead_letter_keeps_coming(d.come_backs, %(most_come_backs)s) AND {coming}
    GROUP BY 1
)
SELECT status, sum(letters)::bigint AS letters,
    coalesce(sum(letters) FILTER (WHERE event_type <> ALL (%(handled)s::text[])), 0)::bigint AS unhandled,
    coalesce(sum(letters) FILTER (WHERE event_type <> ALL (%(rehearsable)s::text[])), 0)::bigint AS unrehearsable,
    coalesce((SELECT c.letters FROM coming c WHERE c.status = t.status), 0)::bigint AS coming
FROM dead_letter_totals t
WHERE {condition}
GROUP BY status HAVING sum(letters) <> 0

-- name: unhandled_types
SELECT event_type, sum(letters)::bigint AS letters FROM dead_letter_totals
WHERE {condition} AND event_type <> ALL (%(event_types)s::text[]) AND status = ANY (%(statuses)s::text[])
GROUP BY event_type HAVING sum(letters) > 0
ORDER BY letters DESC, event_type
LIMIT %(limit)s

-- name: by_queue
SELECT queue AS name, sum(letters)::bigint AS letters FROM dead_letter_totals
WHERE status = ANY (%(statuses)s)
GROUP BY queue HAVING sum(letters) > 0

-- name: truth
-- What there is, counted one by one, beside what was counted; only what differs, and all in one snapshot.
WITH letters AS MATERIALIZED (
    SELECT group_id, event_type, error_category, coalesce(queue, event_type) AS queue, status,
        date_trunc('hour', created_at, 'UTC') AS hour, count(*) AS letters, sum(occurrences) AS occurrences,
        min(created_at) AS first_at,
        max(CASE WHEN occurrences > 1 THEN greatest(created_at, last_failure_at) ELSE created_at END) AS last_at
    FROM dlq_events GROUP BY 1, 2, 3, 4, 5, 6
), totals AS (
    SELECT group_id, event_type::text, error_category::text, queue::text, status::text, NULL::timestamptz AS hour,
        sum(letters) AS letters, sum(occurrences) AS occurrences, min(first_at) AS first_at, max(last_at) AS last_at
    FROM letters GROUP BY 1, 2, 3, 4, 5
), counted_totals AS (
    SELECT group_id, event_type, error_category, queue, status, sum(letters) AS letters,
        sum(occurrences) AS occurrences, min(first_at) AS first_at, max(last_at) AS last_at
    FROM dead_letter_totals GROUP BY 1, 2, 3, 4, 5
), trend AS (
    SELECT group_id, hour, status::text, sum(letters) AS letters FROM letters GROUP BY 1, 2, 3
), counted_trend AS (
    SELECT group_id, hour, status, sum(letters) AS letters FROM dead_letter_trend GROUP BY 1, 2, 3
)
SELECT coalesce(t.group_id, c.group_id) AS group_id, coalesce(t.event_type, c.event_type) AS event_type,
    coalesce(t.error_category, c.error_category) AS error_category, coalesce(t.queue, c.queue) AS queue,
    coalesce(t.status, c.status) AS status, NULL::timestamptz AS hour,
    coalesce(t.letters, 0)::bigint AS letters, coalesce(c.letters, 0)::bigint AS counted,
    coalesce(t.occurrences, 0)::bigint AS occurrences, coalesce(c.occurrences, 0)::bigint AS counted_occurrences,
    t.first_at, t.last_at
FROM totals t FULL JOIN counted_totals c
    ON (t.group_id, t.event_type, t.error_category, t.queue, t.status)
        = (c.group_id, c.event_type, c.error_category, c.queue, c.status)
WHERE coalesce(t.letters, 0) <> coalesce(c.letters, 0) OR coalesce(t.occurrences, 0) <> coalesce(c.occurrences, 0)
    -- the first and the last of all that ever were: what is there now lies between them
    OR t.first_at < coalesce(c.first_at, 'infinity') OR t.last_at > coalesce(c.last_at, '-infinity')
UNION ALL
SELECT coalesce(t.group_id, c.group_id), NULL, NULL, NULL, coalesce(t.status, c.status), coalesce(t.hour, c.hour),
    coalesce(t.letters, 0)::bigint, coalesce(c.letters, 0)::bigint, 0, 0, NULL, NULL
FROM trend t FULL JOIN counted_trend c
    ON (t.group_id, t.hour, t.status) = (c.group_id, c.hour, c.status)
WHERE coalesce(t.letters, 0) <> coalesce(c.letters, 0)

-- name: mend
-- Only a folder changes these tables, and it is kept out: what the snapshot lacks is added to what stands there.
WITH wrong AS MATERIALIZED (
    {truth}
), counted AS (
    INSERT INTO dead_letter_counts AS c (group_id, event_type, error_category, queue, status, letters, occurrences,
        first_at, last_at)
    SELECT group_id, event_type, error_category, queue, status, letters - counted,
        occurrences - counted_occurrences, first_at, last_at
    FROM wrong WHERE hour IS NULL
    ON CONFLICT (group_id, event_type, error_category, queue, status) DO UPDATE
    SET letters = c.letters + excluded.letters, occurrences = c.occurrences + excluded.occurrences,
        first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)
), placed AS (
    INSERT INTO dead_letter_hours AS h (group_id, hour, status, letters)
    SELECT group_id, hour, status, letters - counted FROM wrong WHERE hour IS NOT NULL
    ON CONFLICT (group_id, hour, status) DO UPDATE SET letters = h.letters + excluded.letters
)
SELECT * FROM wrong ORDER BY group_id, hour NULLS FIRST, status
