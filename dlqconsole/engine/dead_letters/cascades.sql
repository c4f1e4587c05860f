-- Dead letters that failed together: their headers share a trace, correlation or request id.

-- name: ids
-- Without the source key and the number of its message: others are called 7, too.
SELECT array_remove(dead_letter_ids('', NULL, headers), '') AS ids FROM dlq_events WHERE id = %(id)s

-- name: shares
-- A condition. The first half is the index's; the second leaves out those whose key, not header, is such an id.
dead_letter_ids(dlq_events.source_key, dlq_events.original_message_id, dlq_events.headers) && %s::text[]
    AND dead_letter_ids('', NULL, dlq_events.headers) && %s::text[]

-- name: healed
-- An expression: its event succeeded by another way since it failed.
EXISTS (SELECT FROM enriched_events r WHERE r.source = dlq_events.source
    AND r.source_key = dlq_events.source_key AND r.created_at > dlq_events.last_failure_at)
