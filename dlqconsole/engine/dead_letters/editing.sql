-- A dead letter's payload and headers as people change them. What was there is never lost: the original is
-- version 0 of payload_versions, kept with the first edit, and each edit adds one.

-- name: current
-- As text: a number keeps all its digits and no depth is too deep. What is too large stays in the database.
SELECT e.id, e.version, e.status, e.payload_version, e.event_type, e.source, e.source_key, e.queue,
    left(e.payload::text, %(limit)s) AS text, substring(e.payload_raw FROM 1 FOR %(limit)s) AS raw,
    left(e.headers::text, %(limit)s) AS headers, e.updated_at
FROM dlq_events e WHERE e.id = %(id)s

-- name: edit
-- Zero rows: somebody was faster, or it may not be edited in the state it is in.
WITH found AS MATERIALIZED (
    SELECT id, payload, payload_raw, headers, payload_version FROM dlq_events
    WHERE id = %(id)s AND version = %(version)s AND status = ANY (%(editable)s)
    FOR UPDATE
), original AS (
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers)
    SELECT id, 0, payload, payload_raw, headers FROM found WHERE payload_version = 0
), changed AS (
    UPDATE dlq_events e
    SET payload = %(payload)s::text::jsonb, payload_raw = %(raw)s::bytea, headers = %(headers)s::text::jsonb,
        payload_version = f.payload_version + 1, operation_id = NULL
    FROM found f WHERE e.id = f.id
    RETURNING e.id, e.payload, e.payload_raw, e.headers, e.payload_version, e.version
), kept AS (
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)
    SELECT id, payload_version, payload, payload_raw, headers, %(actor)s::text, %(reason)s::text FROM changed
), noted AS (
    INSERT INTO audit_log (actor, action, target, reason, detail)
    SELECT %(actor)s::text, 'edit', 'dead_letter:' || c.id, %(reason)s::text, jsonb_build_object(
        'number', c.payload_version,
        'before', encode(sha256(coalesce(f.payload_raw, convert_to(f.payload::text, 'UTF8'), ''::bytea)), 'hex'),
        'after', encode(sha256(coalesce(c.payload_raw, convert_to(c.payload::text, 'UTF8'), ''::bytea)), 'hex'),
        'headers', f.headers IS DISTINCT FROM c.headers)
    FROM changed c, found f
)
SELECT payload_version AS number, version FROM changed

-- name: last_change
-- Who touched it last, as far as a person or an operation did.
SELECT actor, action, at FROM (
    (SELECT id, actor, action, at FROM audit_log WHERE target = 'dead_letter:' || %(id)s::bigint
        AND action <> 'reveal'
    ORDER BY id DESC LIMIT 1)
    UNION ALL
    (SELECT id, actor, action, at FROM audit_log
    WHERE operation_id = (SELECT operation_id FROM dlq_events WHERE id = %(id)s)
        AND action NOT LIKE 'request %%'
    ORDER BY id DESC LIMIT 1)
) latest ORDER BY id DESC LIMIT 1

-- name: versions
SELECT number, left(payload::text, %(limit)s) AS text, substring(payload_raw FROM 1 FOR %(limit)s) AS raw,
    left(headers::text, %(limit)s) AS headers, actor, reason, operation_id, created_at
FROM payload_versions WHERE dlq_event_id = %(id)s AND number BETWEEN %(first)s AND %(last)s
ORDER BY number DESC
LIMIT %(most)s

-- name: restore
-- The same as an edit, with what an earlier version held.
WITH found AS MATERIALIZED (
    SELECT id, payload, payload_raw, headers, payload_version FROM dlq_events
    WHERE id = %(id)s AND version = %(version)s AND status = ANY (%(editable)s)
    FOR UPDATE
), earlier AS (
    SELECT v.payload, v.payload_raw, v.headers FROM payload_versions v
    WHERE v.dlq_event_id = %(id)s AND v.number = %(number)s
), changed AS (
    UPDATE dlq_events e
    SET payload = v.payload, payload_raw = v.payload_raw, headers = v.headers,
        payload_version = f.payload_version + 1, operation_id = NULL
    FROM found f, earlier v WHERE e.id = f.id
    RETURNING e.id, e.payload, e.payload_raw, e.headers, e.payload_version, e.version
), kept AS (
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)
    SELECT id, payload_version, payload, payload_raw, headers, %(actor)s::text, %(reason)s::text FROM changed
), noted AS (
    INSERT INTO audit_log (actor, action, target, reason, detail)
    SELECT %(actor)s::text, 'edit', 'dead_letter:' || c.id, %(reason)s::text, jsonb_build_object(
        'number', c.payload_version, 'restored', %(number)s::int,
        'before', encode(sha256(coalesce(f.payload_raw, convert_to(f.payload::text, 'UTF8'), ''::bytea)), 'hex'),
        'after', encode(sha256(coalesce(c.payload_raw, convert_to(c.payload::text, 'UTF8'), ''::bytea)), 'hex'),
        'headers', f.headers IS DISTINCT FROM c.headers)
    FROM changed c, found f
)
SELECT payload_version AS number, version FROM changed

-- name: as_stored
SELECT %(text)s::text::jsonb::text AS text
