-- Searching what everybody may search: masked texts, and keyed hashes of what is masked.

-- name: anything
-- A condition. A text that is NULL holds nothing personal, so the row's own is as good. What has changed since it was
-- looked at waits to be looked at, in the same snapshot, and is not found.
EXISTS (
    SELECT FROM dead_letter_searches s
    WHERE s.dead_letter_id = dlq_events.id AND s.rules = %s
        AND (coalesce(s.names, concat(dlq_events.event_type, chr(10), dlq_events.source_key)) ILIKE %s
            OR coalesce(s.reason, dlq_events.error_reason) ILIKE %s
            OR coalesce(s.payload, dlq_events.payload::text) LIKE %s
            OR s.marks && %s::bigint[]) AND s.marks @> %s::bigint[]
) AND NOT EXISTS (SELECT FROM dead_letter_unsearched u WHERE u.dead_letter_id = dlq_events.id)

-- name: reason
EXISTS (
    SELECT FROM dead_letter_searches s
    WHERE s.dead_letter_id = dlq_events.id AND s.rules = %s
        AND coalesce(s.reason, dlq_events.error_reason) ILIKE %s AND s.marks @> %s::bigint[]
) AND NOT EXISTS (SELECT FROM dead_letter_unsearched u WHERE u.dead_letter_id = dlq_events.id)

-- name: holds
-- A condition: all these values stand somewhere in it. The index of marks finds them among millions.
dlq_events.id IN (
    SELECT s.dead_letter_id FROM dead_letter_searches s WHERE s.marks @> %s::bigint[] AND s.rules = %s
) AND NOT EXISTS (SELECT FROM dead_letter_unsearched u WHERE u.dead_letter_id = dlq_events.id)

-- name: later
-- A condition: nobody had looked at its texts at that moment.
EXISTS (SELECT FROM dead_letter_searches s WHERE s.dead_letter_id = dlq_events.id AND s.searched_at > %s)

-- name: moment
SELECT clock_timestamp()

-- name: take
-- The newest first: they are what people look for.
DELETE FROM dead_letter_unsearched WHERE dead_letter_id IN (
    SELECT dead_letter_id FROM dead_letter_unsearched ORDER BY dead_letter_id DESC LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED)
RETURNING dead_letter_id

-- name: take_small
-- What a page may wait for: of the newest that wait, those whose texts are short. Sizes are read without the texts, for
-- a text by its TOAST pointer; a short jsonb may still hold 1e99999, so what it is written out is measured, too.
DELETE FROM dead_letter_unsearched WHERE dead_letter_id IN (
    SELECT u.dead_letter_id FROM dead_letter_unsearched u JOIN dlq_events d ON d.id = u.dead_letter_id
    WHERE u.dead_letter_id IN (
            SELECT dead_letter_id FROM dead_letter_unsearched ORDER BY dead_letter_id DESC LIMIT %(within)s)
        AND CASE
            WHEN coalesce(octet_length(d.error_reason), 0) + coalesce(octet_length(d.source_key), 0) > %(bytes)s
                THEN false
            WHEN pg_column_size(d.payload)
                > CASE WHEN pg_column_compression(d.payload) IS NULL THEN %(bytes)s ELSE %(bytes)s / 4 END
                THEN false
            ELSE coalesce(octet_length(d.payload::text), 0) <= %(bytes)s END
    ORDER BY u.dead_letter_id DESC LIMIT %(limit)s
    FOR UPDATE OF u SKIP LOCKED)
RETURNING dead_letter_id

-- name: texts
SELECT id, concat(event_type, chr(10), source_key) AS names, error_reason AS reason, payload::text AS payload
FROM dlq_events WHERE id = ANY (%(ids)s)

-- name: keep
INSERT INTO dead_letter_searches (dead_letter_id, names, reason, payload, marks, rules, searched_at)
SELECT n.id, n.names, n.reason, n.payload,
    ARRAY(SELECT jsonb_array_elements_text(n.marks)::bigint), %(rules)s, clock_timestamp()
FROM jsonb_to_recordset(%(rows)s::jsonb) AS n (
    id bigint, names text, reason text, payload text, marks jsonb)
ON CONFLICT (dead_letter_id) DO UPDATE SET names = excluded.names, reason = excluded.reason,
    payload = excluded.payload, marks = excluded.marks, rules = excluded.rules, searched_at = excluded.searched_at

-- name: newest_rules
SELECT rules FROM dead_letter_searches ORDER BY dead_letter_id DESC LIMIT 1

-- name: look_again
-- Masking, or its key, has changed: all that was looked at by other rules waits again.
INSERT INTO dead_letter_unsearched (dead_letter_id)
SELECT dead_letter_id FROM dead_letter_searches WHERE rules <> %(rules)s ON CONFLICT DO NOTHING
