-- A page of a rehearsal: its dead letters are read, their handlers run, and what they would do is written down.
-- Nothing of a dead letter changes, and none is locked meanwhile.

-- name: open
WITH {held}
SELECT ARRAY(SELECT id FROM page ORDER BY id) AS ids FROM held

-- name: rows
-- Those that are as they were frozen, in a state that is taken.
SELECT d.id, d.event_type, d.payload::text, d.payload_raw, d.headers, d.source, d.source_key, d.payload_version
FROM dlq_events d JOIN operation_items i ON i.operation_id = %(id)s AND i.dead_letter_id = d.id
WHERE d.id = ANY (%(ids)s::bigint[]) AND i.dead_letter_id = ANY (%(ids)s::bigint[])
    AND d.payload_version = i.frozen_version AND d.status = ANY (%(eligible)s)
ORDER BY d.id

-- name: close
-- What was edited while its handler ran is skipped: nobody asked what the other payload would do. What is not
-- told of, because another worker has its handler, remains.
WITH {held}, told AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(told)s::jsonb) AS t (
        id bigint, version integer, status text, would text, error_class text, category text, reason text)
), locked AS MATERIALIZED (
    SELECT id, status, operation_id, payload_version FROM dlq_events WHERE id = ANY (ARRAY(SELECT id FROM page))
), {changed}, meant AS MATERIALIZED (
    SELECT t.* FROM told t JOIN locked l ON l.id = t.id AND l.payload_version = t.version
    WHERE t.id NOT IN (SELECT id FROM stale)
), kept AS (
    INSERT INTO rehearsal_predictions (operation_id, dead_letter_id, payload_version, would, error_class, category, reason)
    SELECT held.id, m.id, m.version, m.would, m.error_class, m.category, m.reason FROM held, meant m
    ORDER BY m.id
), outcomes AS (
    SELECT id, status, reason, NULL::bigint AS message_id, NULL::integer AS revive_seq, NULL::jsonb AS was FROM meant
    UNION ALL
    SELECT id, 'skipped', reason, NULL, NULL, NULL FROM stale
    UNION ALL
    SELECT l.id, 'skipped', {reason_of_others}, NULL, NULL, NULL
    FROM locked l
    WHERE l.status <> ALL (%(eligible)s) AND l.id NOT IN (SELECT id FROM stale) AND l.id NOT IN (SELECT id FROM meant)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}
