-- name: store
-- One call for each failure, in this order.
SELECT failure_report(%(reporter)s, report_id, event_type, payload::jsonb, payload_raw, headers::jsonb, error_reason,
    error_stacktrace, error_category, source, source_key, queue) AS id
FROM unnest(%(report_id)s::uuid[], %(event_type)s::text[], %(payload)s::text[], %(payload_raw)s::bytea[],
    %(headers)s::text[], %(error_reason)s::text[], %(error_stacktrace)s::text[], %(error_category)s::text[],
    %(source)s::text[], %(source_key)s::text[], %(queue)s::text[]) WITH ORDINALITY AS failure (report_id, event_type,
    payload, payload_raw, headers, error_reason, error_stacktrace, error_category, source, source_key, queue, place)
ORDER BY place;

-- name: groups
SELECT id, group_id FROM dlq_events WHERE id = ANY (%(ids)s::bigint[]);

-- name: recover
SELECT set_config('application_name', %(reporter)s, true), dead_letter_recovered(%(source)s, %(key)s) AS recovered
