-- name: page
-- A closed dead letter goes with all that holds its words (forgetting.sql). What somebody changed after the
-- purge was asked for is not what was confirmed: it stays. The proof is a hash over what went, never a payload.
WITH {held}, locked AS MATERIALIZED (
    SELECT id, status, operation_id, updated_at, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, purged AS (
    DELETE FROM dlq_events
    WHERE id = ANY (ARRAY(
        SELECT id FROM locked WHERE status = ANY (%(eligible)s) AND id NOT IN (SELECT id FROM stale)))
    RETURNING id, version, source, source_key, group_id
), {forgotten}, proved AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT h.actor, 'purged', 'operation:' || h.id, h.id, h.reason, jsonb_build_object(
        'rows', p.rows, 'first', p.first, 'last', p.last, 'sha256_of_ids_and_versions', p.hash)
    FROM held h, (
        SELECT count(*) AS rows, min(id) AS first, max(id) AS last, encode(sha256(convert_to(
            string_agg(id || ':' || version, ',' ORDER BY id), 'UTF8')), 'hex') AS hash
        FROM purged
    ) p
    WHERE p.rows > 0
), outcomes AS (
    SELECT id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        NULL::jsonb AS was
    FROM purged
    UNION ALL
    SELECT l.id, 'skipped', coalesce(s.reason, {reason_of_others}), NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id
    WHERE l.status <> ALL (%(eligible)s) OR s.id IS NOT NULL
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: expired
-- Closed, not changed and not taken back for so many days. created_at is never later than updated_at,
-- and has the index.
SELECT id FROM dlq_events d
WHERE status = ANY (%(purgeable)s)
    AND created_at < clock_timestamp() - make_interval(days => %(days)s)
    AND updated_at < clock_timestamp() - make_interval(days => %(days)s)
    AND NOT EXISTS (
        SELECT FROM restored_dead_letters r
        WHERE r.dead_letter_id = d.id AND r.restored_at >= clock_timestamp() - make_interval(days => %(days)s)
    )
ORDER BY id
LIMIT %(limit)s
