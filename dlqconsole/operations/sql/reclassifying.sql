-- Categories and groups anew. The shared parts stand in pages.sql.

-- name: page
-- By the rules again (no category given), or into the category given. What would stay as it is is not written.
-- What is being retried stays ``remaining``, like what somebody has locked: its attempt may say something new.
WITH {held}, locked AS MATERIALIZED (
    SELECT id, error_category, said_category, category_rule_id, fingerprint_rule_id, fingerprint_id, fingerprint_version,
        group_id, error_class, reclassified_at, payload_version
    FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page)) AND status <> 'RETRYING'
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, changed AS MATERIALIZED (
    SELECT id, error_category, group_id
    FROM reclassify_dead_letters(ARRAY(SELECT id FROM locked EXCEPT SELECT id FROM stale), nullif(%(category)s::text, ''), %(id)s)
), outcomes AS (
    SELECT c.id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        jsonb_build_object('category', l.error_category, 'said', l.said_category, 'rule', l.category_rule_id,
            'fingerprint_rule', l.fingerprint_rule_id, 'fingerprint', l.fingerprint_id,
            'version', l.fingerprint_version, 'group', l.group_id, 'class', l.error_class,
            'reclassified_at', l.reclassified_at,
            'to_category', c.error_category, 'to_group', c.group_id) AS was
    FROM changed c JOIN locked l ON l.id = c.id
    UNION ALL
    SELECT l.id, 'skipped', coalesce(s.reason, /*stored*/ 'is classified so already'), NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id WHERE l.id NOT IN (SELECT id FROM changed)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: undo
-- Each goes back to the category and the group it had, unless somebody, or a new failure, has moved it since.
WITH {held}, done AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, i.was FROM operation_items i
    WHERE i.operation_id = (SELECT source_operation_id FROM held)
        AND i.dead_letter_id = ANY (ARRAY(SELECT id FROM page))
), locked AS MATERIALIZED (
    SELECT id, error_category, group_id, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page)) AND status <> 'RETRYING'
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, ours AS MATERIALIZED (
    SELECT l.id, d.was FROM locked l JOIN done d ON d.id = l.id
    WHERE l.error_category = d.was ->> 'to_category' AND l.group_id = (d.was ->> 'to_group')::bigint
        AND l.id NOT IN (SELECT id FROM stale)
), back AS (
    UPDATE dlq_events d
    SET error_category = o.was ->> 'category', said_category = o.was ->> 'said',
        category_rule_id = (o.was ->> 'rule')::bigint, fingerprint_rule_id = (o.was ->> 'fingerprint_rule')::bigint,
        fingerprint_id = (o.was ->> 'fingerprint')::bigint, group_id = (o.was ->> 'group')::bigint,
        error_class = o.was ->> 'class', fingerprint_version = (o.was ->> 'version')::smallint,
        reclassified_at = (o.was ->> 'reclassified_at')::timestamptz,
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE %(id)s END
    FROM ours o
    WHERE d.id = o.id AND d.id = ANY (ARRAY(SELECT id FROM ours))
    RETURNING d.id
), outcomes AS (
    SELECT id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        NULL::jsonb AS was
    FROM back
    UNION ALL
    SELECT l.id, 'skipped',
        coalesce(s.reason, format(/*stored: category, number:d*/ 'was classified anew since: it is %%s in group %%s',
            l.error_category, l.group_id)),
        NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id WHERE l.id NOT IN (SELECT id FROM ours)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}
