-- name: add
-- A part of a statement, the way in for messages of other systems: the rows of ``new`` become dead letters. The same event
-- twice, in one page or years apart, is one row with one occurrence more. In one order, so that two never wait for each
-- other.
INSERT INTO dlq_events (event_type, payload, payload_raw, headers, error_reason, error_category, error_stacktrace, status,
    retry_count, retry_after, source, source_key, same_id_as, queue, group_key, original_message_id, occurrences,
    first_failure_at, crash_count)
SELECT left(event_type, 255), payload, payload_raw, headers, reason, category, stacktrace, status,
    retry_count, clock_timestamp() + make_interval(secs => delay), source, source_key, same_id_as, queue, group_key,
    message_id, occurrences, first_failure_at, crash_count
FROM new
ORDER BY source, source_key
ON CONFLICT (source, source_key) DO UPDATE
SET (occurrences, retry_count, last_failure_at, status, retry_after, error_reason, error_category, error_stacktrace)
    = (SELECT * FROM dead_letter_again(dlq_events, excluded))
WHERE dead_letter_same_bytes(dlq_events, excluded)
RETURNING id, source, source_key
