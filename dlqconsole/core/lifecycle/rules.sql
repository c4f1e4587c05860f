-- name: ruled_category
-- What the rules make of a failure that is not written yet. No row where nobody has taught anything.
SELECT (dead_letter_classify(%(event_type)s::text, %(category)s::text, false, %(reason)s::text,
    %(stacktrace)s::text)).category
WHERE EXISTS (SELECT FROM failure_rules r WHERE r.enabled AND r.category <> '')

-- name: ruled
-- The same with its group.
SELECT made.category, made.group_id
FROM dead_letter_classify(%(event_type)s::text, %(category)s::text, false, %(reason)s::text, %(stacktrace)s::text) made

-- name: note_settings
-- For who claims by SQL. Nothing is written while they are the same.
INSERT INTO retry_settings AS s (max_retries, backoff_base_seconds, backoff_cap_seconds, come_backs, breaker_failures)
VALUES (%(max_retries)s, %(base)s, %(cap)s, %(come_backs)s, %(breaker_failures)s)
ON CONFLICT (one) DO UPDATE
SET max_retries = excluded.max_retries, backoff_base_seconds = excluded.backoff_base_seconds,
    backoff_cap_seconds = excluded.backoff_cap_seconds, come_backs = excluded.come_backs,
    breaker_failures = excluded.breaker_failures, noted_at = clock_timestamp()
WHERE (s.max_retries, s.backoff_base_seconds, s.backoff_cap_seconds, s.come_backs, s.breaker_failures)
    <> (excluded.max_retries, excluded.backoff_base_seconds, excluded.backoff_cap_seconds, excluded.come_backs,
        excluded.breaker_failures)

-- name: retry_policies
-- What the code of handlers says of retries and waits; then what policies say, also of reviving: of all dead letters, then
-- of event types, then of failure groups.
SELECT event_type, NULL::bigint AS group_id, NULL AS action, max_retries,
    CASE WHEN backoff_base_seconds IS NOT NULL AND backoff_cap_seconds IS NULL THEN 'fixed'
        WHEN backoff_base_seconds IS NOT NULL THEN 'exponential' END AS backoff,
    backoff_base_seconds, backoff_cap_seconds, -1 AS place
FROM handler_limits
UNION ALL
SELECT event_type, group_id, action, max_retries, backoff, backoff_base_seconds, backoff_cap_seconds,
    (group_id IS NOT NULL)::integer * 2 + (event_type IS NOT NULL)::integer
FROM retry_policies WHERE max_retries IS NOT NULL OR backoff IS NOT NULL OR action IS NOT NULL
ORDER BY place

-- name: handler_limits
SELECT event_type, max_retries, backoff_base_seconds, backoff_cap_seconds FROM handler_limits ORDER BY event_type

-- name: note_handler_limits
-- Nothing is written while they are the same. Of types that another worker alone has handlers for its word stays.
WITH said AS (
    SELECT * FROM unnest(%(types)s::text[], %(retries)s::integer[], %(bases)s::float8[], %(caps)s::float8[])
        s (event_type, max_retries, backoff_base_seconds, backoff_cap_seconds)
), gone AS (
    DELETE FROM handler_limits h
    WHERE h.event_type = ANY (%(known)s::text[]) AND NOT EXISTS (SELECT FROM said s WHERE s.event_type = h.event_type)
)
INSERT INTO handler_limits AS h (event_type, max_retries, backoff_base_seconds, backoff_cap_seconds)
SELECT s.event_type, s.max_retries, s.backoff_base_seconds, s.backoff_cap_seconds FROM said s ORDER BY s.event_type
ON CONFLICT (event_type) DO UPDATE
SET max_retries = excluded.max_retries, backoff_base_seconds = excluded.backoff_base_seconds,
    backoff_cap_seconds = excluded.backoff_cap_seconds
WHERE (h.max_retries, h.backoff_base_seconds, h.backoff_cap_seconds)
    IS DISTINCT FROM (excluded.max_retries, excluded.backoff_base_seconds, excluded.backoff_cap_seconds)
