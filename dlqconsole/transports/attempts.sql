-- name: keep_failed
INSERT INTO dlq_attempts (dlq_event_id, message, kind, worker, outcome, error_category, error_reason,
    error_stacktrace, started_at, finished_at)
VALUES (%(dlq_event_id)s::bigint, %(queue)s || '/' || %(message_id)s,
    CASE WHEN %(dlq_event_id)s::bigint IS NULL THEN 'queue' ELSE 'revive' END, 'consumers of ' || %(queue)s, 'failed',
    %(category)s, %(reason)s, %(stacktrace)s, clock_timestamp(), clock_timestamp())
