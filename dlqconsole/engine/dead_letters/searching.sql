-- What a searched text means: each condition has an index (see engine/models/dead_letters.py).

-- name: groups
-- A few hundred sentences, however many dead letters share them; what stands in the place of values is no word.
SELECT g.id, said.message FROM failure_groups g,
    LATERAL (SELECT regexp_replace(g.message, '<(?:value|code)>', E'\x01', 'g') AS message) said
WHERE said.message ILIKE %(like)s {within}

-- name: unmerged
AND NOT EXISTS (SELECT FROM group_merges m WHERE m.group_id = g.id)

-- name: types
SELECT DISTINCT event_type FROM dead_letter_totals WHERE event_type ILIKE %(like)s

-- name: types_like
SELECT DISTINCT event_type FROM dead_letter_totals WHERE event_type LIKE %(like)s

-- name: queues_like
SELECT DISTINCT queue FROM dead_letter_totals WHERE queue LIKE %(like)s

-- name: people
SELECT g.id, g.{column} AS text FROM failure_groups g
WHERE g.{column} <> '' AND g.{column} ILIKE %(like)s {within}

-- name: like_source
dlq_events.source LIKE %s

-- name: like_error_class
dlq_events.error_class LIKE %s

-- name: no_email
-- By the pieces of a value with an address in it, the address could be found out letter by letter.
coalesce({value} !~ '[^[:space:]@](@|%%40)[^[:space:]@]', true)

-- name: id
-- A condition.
dead_letter_ids(dlq_events.source_key, dlq_events.original_message_id, dlq_events.headers)
    @> ARRAY[lower(left(%s::text, 200))]

-- name: in_reason
left(dlq_events.error_reason, 8000) ILIKE %s

-- name: in_reason_short
-- Without three letters in a row the index knows nothing and would be read as a whole, which no time limit interrupts.
left(dlq_events.error_reason, 8000) || '' ILIKE %s

-- name: at_path
-- With a text array a path is data, never part of the statement. An index knows the beginning of a value, which may
-- be longer than any page of an index.
left(dlq_events.payload #>> %s::text[], 200) = left(%s::text, 200) AND dlq_events.payload #>> %s::text[] = %s

-- name: in_payload
dlq_events.payload @? %s::jsonpath

-- name: like_at_path
-- Never of an object or a list: a pattern would look at all that they hold.
jsonb_typeof(dlq_events.payload #> %s::text[]) IN ('string', 'number', 'boolean')
    AND dlq_events.payload #>> %s::text[] LIKE %s

-- name: compared_at_path
(dlq_events.payload #> %s::text[]) @? %s::jsonpath

-- name: is_at_path
dlq_events.payload #>> %s::text[] IS NOT NULL
