-- Categories and groups anew. The shared parts stand in pages.sql.

-- name: page
-- By the rules again (no category given), or into the category given. What would stay as it is is not written.
-- What is being retried stays ``remaining``, like what somebody has locked: its attempt may say something new.
WITH {held}, locked AS MATERIALIZED (
    SELECT id, event_type, status, error_category, said_category, category_rule_id, fingerprint_rule_id, fingerprint_id,
        fingerprint_version, group_id, error_class, error_reason, error_stacktrace
    FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page)) AND status <> 'RETRYING'
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), judged AS MATERIALIZED (
    SELECT l.id, l.fingerprint_version <> 2 OR made.category <> l.error_category
        OR made.fingerprint_id <> l.fingerprint_id OR made.group_id <> l.group_id
        OR made.category_rule_id IS DISTINCT FROM l.category_rule_id
        OR made.fingerprint_rule_id IS DISTINCT FROM l.fingerprint_rule_id AS differs
    FROM locked l CROSS JOIN LATERAL dead_letter_classify(
        l.event_type, coalesce(nullif(%(category)s::text, ''), l.said_category, l.error_category),
        %(category)s::text <> '', l.error_reason, l.error_stacktrace) made
), changed AS (
    -- the trigger does the rest; see dlq_events_changed for what the versions 0 and -1 ask of it
    UPDATE dlq_events d
    SET fingerprint_version = CASE WHEN %(category)s::text = '' THEN 0 ELSE -1 END,
        error_category = coalesce(nullif(%(category)s::text, ''), d.error_category),
        said_category = CASE WHEN %(category)s::text = '' THEN d.said_category
            ELSE nullif(coalesce(d.said_category, d.error_category), %(category)s::text) END,
        category_rule_id = CASE WHEN %(category)s::text = '' THEN d.category_rule_id END,
        -- what became of a revival is counted for the operation that revived
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE %(id)s END
    WHERE d.id = ANY (ARRAY(SELECT id FROM judged WHERE differs))
    RETURNING d.id, d.error_category, d.group_id
), outcomes AS (
    SELECT c.id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        jsonb_build_object('category', l.error_category, 'said', l.said_category, 'rule', l.category_rule_id,
            'fingerprint_rule', l.fingerprint_rule_id, 'fingerprint', l.fingerprint_id,
            'version', l.fingerprint_version, 'group', l.group_id, 'class', l.error_class,
            'to_category', c.error_category, 'to_group', c.group_id) AS was
    FROM changed c JOIN locked l ON l.id = c.id
    UNION ALL
    SELECT j.id, 'skipped', 'is classified so already', NULL, NULL, NULL FROM judged j WHERE NOT j.differs
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
    SELECT id, error_category, group_id FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page)) AND status <> 'RETRYING'
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), ours AS MATERIALIZED (
    SELECT l.id, d.was FROM locked l JOIN done d ON d.id = l.id
    WHERE l.error_category = d.was ->> 'to_category' AND l.group_id = (d.was ->> 'to_group')::bigint
), back AS (
    UPDATE dlq_events d
    SET error_category = o.was ->> 'category', said_category = o.was ->> 'said',
        category_rule_id = (o.was ->> 'rule')::bigint, fingerprint_rule_id = (o.was ->> 'fingerprint_rule')::bigint,
        fingerprint_id = (o.was ->> 'fingerprint')::bigint, group_id = (o.was ->> 'group')::bigint,
        error_class = o.was ->> 'class', fingerprint_version = -10 - (o.was ->> 'version')::smallint,
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE %(id)s END
    FROM ours o
    WHERE d.id = o.id AND d.id = ANY (ARRAY(SELECT id FROM ours))
    RETURNING d.id
), outcomes AS (
    SELECT id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        NULL::jsonb AS was
    FROM back
    UNION ALL
    SELECT l.id, 'skipped', 'was classified anew since: it is ' || l.error_category || ' in group ' || l.group_id,
        NULL, NULL, NULL
    FROM locked l WHERE l.id NOT IN (SELECT id FROM ours)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}
