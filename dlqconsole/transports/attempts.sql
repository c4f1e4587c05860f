-- name: keep_failed
SELECT attempts_add(ARRAY[attempt(CASE WHEN %(dlq_event_id)s::bigint IS NULL THEN 'queue' ELSE 'revive' END, 'failed',
    %(dlq_event_id)s::bigint, %(queue)s || '/' || %(message_id)s, 'consumers of ' || %(queue)s,
    category => %(category)s, reason => %(reason)s, stacktrace => %(stacktrace)s)])
