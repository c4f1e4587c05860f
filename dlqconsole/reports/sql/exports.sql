-- Exports are made by PostgreSQL itself, a row at a time: no payload ever becomes a Python object.
-- {matching} is the filter's own SELECT of dlq_events.id.

-- name: csv
COPY (
    SELECT d.id,
        {event_type} AS event_type,
        d.status,
        d.error_category,
        {error_class} AS error_class,
        {error_reason} AS error_reason,
        {queue} AS queue,
        {source} AS source,
        {source_key} AS source_key,
        d.retry_count, d.max_retries, d.occurrences, d.revive_count,
        {created_at} AS created_at,
        {first_failure_at} AS first_failure_at,
        {last_failure_at} AS last_failure_at,
        {dead_lettered_at} AS dead_lettered_at,
        {retry_after} AS retry_after,
        d.group_id, d.original_message_id,
        {payload} AS payload,
        replace(encode(d.payload_raw, 'base64'), E'\n', '') AS payload_raw_base64,
        {headers} AS headers,
        {error_stacktrace} AS error_stacktrace
    FROM dlq_events d WHERE d.id IN ({matching}) ORDER BY d.id
) TO STDOUT WITH (FORMAT csv, HEADER true)

-- name: jsonl
-- CSV whose quote and delimiter cannot occur in JSON text gives the bare lines. What some readers take
-- for a line end (U+0085, U+2028, U+2029) is escaped; it can only stand inside a string.
COPY (
    SELECT replace(replace(replace(json_build_object(
        'id', d.id, 'event_type', d.event_type, 'status', d.status, 'error_category', d.error_category,
        'error_class', d.error_class, 'error_reason', d.error_reason, 'queue', d.queue, 'source', d.source,
        'source_key', d.source_key, 'retry_count', d.retry_count, 'max_retries', d.max_retries,
        'occurrences', d.occurrences, 'revive_count', d.revive_count,
        'created_at', {created_at}, 'first_failure_at', {first_failure_at},
        'last_failure_at', {last_failure_at}, 'dead_lettered_at', {dead_lettered_at},
        'retry_after', {retry_after}, 'group_id', d.group_id, 'original_message_id', d.original_message_id,
        'payload', d.payload, 'payload_raw_base64', replace(encode(d.payload_raw, 'base64'), E'\n', ''),
        'headers', d.headers, 'error_stacktrace', d.error_stacktrace
    )::text, U&'\0085', '\u0085'), U&'\2028', '\u2028'), U&'\2029', '\u2029')
    FROM dlq_events d WHERE d.id IN ({matching}) ORDER BY d.id
) TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')

-- name: moment
to_char(d.{column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')

-- name: defused
-- A spreadsheet runs a cell that begins with = + - @ or their full-width forms, also behind spaces, quotes,
-- separators or a tab: an apostrophe in front makes it text.
CASE WHEN d.{column}::text ~ '^([\t\r\n]|[\s"''`;,\u00a0\u200b\u3000\ufeff]*[=+@＝＋－＠-])'
    THEN '''' || d.{column}::text ELSE d.{column}::text END
