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
-- What policies say of retries, waits and reviving: of all dead letters, then of event types, then of failure groups.
SELECT event_type, group_id, action, max_retries, backoff, backoff_base_seconds, backoff_cap_seconds
FROM retry_policies WHERE max_retries IS NOT NULL OR backoff IS NOT NULL OR action IS NOT NULL
ORDER BY group_id IS NOT NULL, event_type IS NOT NULL
