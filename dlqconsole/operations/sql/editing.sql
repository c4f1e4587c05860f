-- Bulk edits by a recipe, and taking them back. The payloads of a page are read, patched outside, and written by
-- one statement that takes only what is still as it was read: what somebody changed meanwhile stays
-- ``remaining``, and the next sweep reads it again.

-- name: read
-- The next items with their payloads as text, so many bytes at most but for the first.
WITH page AS MATERIALIZED (
    SELECT dead_letter_id AS id FROM operation_items
    WHERE operation_id = %(id)s AND status = 'remaining' AND dead_letter_id > %(after)s
    ORDER BY dead_letter_id
    LIMIT %(limit)s
), letters AS MATERIALIZED (
    SELECT e.id, e.version, e.status = ANY (%(eligible)s) AS able, e.event_type, e.source, e.source_key,
        e.headers ->> 'ce_time' AS ce_time,
        CASE WHEN e.status = ANY (%(eligible)s) THEN left(e.payload::text, %(longest)s) END AS text,
        CASE WHEN e.status = ANY (%(eligible)s) THEN substring(e.payload_raw FROM 1 FOR %(longest)s) END AS raw
    FROM dlq_events e WHERE e.id = ANY (ARRAY(SELECT id FROM page))
), sized AS (
    SELECT page.id, l.version, coalesce(l.able, false) AS able, l.event_type, l.source, l.source_key, l.ce_time,
        l.text, l.raw, sum(coalesce(length(l.text), 0) + coalesce(length(l.raw), 0)) OVER (
            ORDER BY page.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM page LEFT JOIN letters l USING (id)
)
SELECT id, version, able, event_type, source, source_key, ce_time, text, raw FROM sized
WHERE coalesce(before, 0) < %(most)s
ORDER BY id

-- name: write
-- The texts come as one, a line each: compact JSON has no line ends.
WITH {held}, given AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[], %(versions)s::integer[], string_to_array(%(texts)s, E'\n'),
        %(raws)s::bytea[]) AS given (id, version, payload, payload_raw)
), refused AS MATERIALIZED (
    SELECT * FROM unnest(%(refused_ids)s::bigint[], %(refused_versions)s::integer[], %(reasons)s::text[])
        AS refused (id, version, reason)
), locked AS MATERIALIZED (
    SELECT id, status, operation_id, version, payload, payload_raw, headers, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, ours AS MATERIALIZED (
    SELECT l.id, l.payload_version, g.payload, g.payload_raw FROM locked l JOIN given g USING (id, version)
    WHERE l.status = ANY (%(eligible)s) AND l.id NOT IN (SELECT id FROM stale)
), changed AS (
    UPDATE dlq_events d
    SET payload = o.payload::jsonb, payload_raw = o.payload_raw, payload_version = d.payload_version + 1,
        operation_id = %(id)s
    FROM ours o
    WHERE d.id = o.id AND d.id = ANY (ARRAY(SELECT id FROM ours))
    RETURNING d.id, d.payload, d.payload_raw, d.headers, d.payload_version
), kept AS (
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason, operation_id)
    SELECT l.id, 0, l.payload, l.payload_raw, l.headers, '', '', NULL
    FROM locked l JOIN ours o USING (id) WHERE l.payload_version = 0
    UNION ALL
    SELECT c.id, c.payload_version, c.payload, c.payload_raw, c.headers, h.actor, h.reason, h.id
    FROM changed c, held h
), outcomes AS (
    SELECT c.id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        jsonb_build_object('payload_version', c.payload_version - 1) AS was
    FROM changed c
    UNION ALL
    SELECT l.id, 'failed', r.reason, NULL, NULL, NULL
    FROM locked l JOIN refused r USING (id, version)
    WHERE l.status = ANY (%(eligible)s) AND l.id NOT IN (SELECT id FROM stale)
    UNION ALL
    SELECT l.id, 'skipped', coalesce(CASE WHEN l.status <> ALL (%(eligible)s) THEN {reason_of_others} END, s.reason),
        NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id
    WHERE l.status <> ALL (%(eligible)s) OR s.id IS NOT NULL
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: undo
-- What an edit overwrote comes back as a further version: the chain never loses anything. Only where nobody
-- has edited it since.
WITH {held}, done AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, (i.was ->> 'payload_version')::integer AS number FROM operation_items i
    WHERE i.operation_id = (SELECT source_operation_id FROM held)
        AND i.dead_letter_id = ANY (ARRAY(SELECT id FROM page))
), locked AS MATERIALIZED (
    SELECT id, status, operation_id, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), ours AS MATERIALIZED (
    SELECT l.id, d.number FROM locked l JOIN done d USING (id)
    WHERE l.status = ANY (%(taken)s) AND l.payload_version = d.number + 1
), earlier AS MATERIALIZED (
    SELECT v.dlq_event_id AS id, v.payload, v.payload_raw, v.headers
    FROM payload_versions v JOIN ours o ON v.dlq_event_id = o.id AND v.number = o.number
    WHERE v.dlq_event_id = ANY (ARRAY(SELECT id FROM ours))
), changed AS (
    UPDATE dlq_events d
    SET payload = e.payload, payload_raw = e.payload_raw, headers = e.headers,
        payload_version = d.payload_version + 1, operation_id = %(id)s
    FROM earlier e
    WHERE d.id = e.id AND d.id = ANY (ARRAY(SELECT id FROM ours))
    RETURNING d.id, d.payload, d.payload_raw, d.headers, d.payload_version
), kept AS (
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason, operation_id)
    SELECT c.id, c.payload_version, c.payload, c.payload_raw, c.headers, h.actor, h.reason, h.id
    FROM changed c, held h
), outcomes AS (
    SELECT c.id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        jsonb_build_object('payload_version', c.payload_version - 1) AS was
    FROM changed c
    UNION ALL
    SELECT l.id, 'skipped', CASE WHEN l.status = ANY (%(taken)s) THEN /*stored*/ 'edited anew since'
        ELSE 'no longer as this operation left it: it is ' || l.status END, NULL, NULL, NULL
    FROM locked l WHERE l.id NOT IN (SELECT id FROM ours)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: sample
-- Some of the dead letters that would be edited, as the recipe will read them.
SELECT e.id, e.version, e.status = ANY (%(eligible)s) AS able, e.status, e.event_type, e.source, e.source_key,
    e.headers ->> 'ce_time' AS ce_time, left(e.payload::text, %(longest)s) AS text,
    substring(e.payload_raw FROM 1 FOR %(longest)s) AS raw
FROM dlq_events e WHERE e.id = ANY (%(ids)s)
ORDER BY e.id
