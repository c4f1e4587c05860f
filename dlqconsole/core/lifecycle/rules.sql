-- name: ruled_category
-- What the rules make of a failure that is not written yet. No row where nobody has taught anything.
SELECT (dead_letter_classify(%(event_type)s::text, %(category)s::text, false, %(reason)s::text,
    %(stacktrace)s::text)).category
WHERE EXISTS (SELECT FROM failure_rules r WHERE r.enabled AND r.category <> '')

-- name: ruled
-- The same with its group.
SELECT made.category, made.group_id
FROM dead_letter_classify(%(event_type)s::text, %(category)s::text, false, %(reason)s::text, %(stacktrace)s::text) made

-- name: retry_policies
-- What policies say of retries, waits and reviving: of all dead letters, then of event types, then of failure groups.
SELECT event_type, group_id, action, max_retries, backoff, backoff_base_seconds, backoff_cap_seconds
FROM retry_policies WHERE max_retries IS NOT NULL OR backoff IS NOT NULL OR action IS NOT NULL
ORDER BY group_id IS NOT NULL, event_type IS NOT NULL
