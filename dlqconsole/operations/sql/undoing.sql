-- Taking back what another operation did: its items are ours, and its row is ``source_operation_id``. Only a
-- dead letter that is still as that operation left it is touched; every other says why not.
-- The shared parts stand in pages.sql.

-- name: revive
-- The message first: what a consumer has claimed is gone. SKIP LOCKED: one that is being claimed just now is met
-- again by the next sweep, and nobody waits for a consumer that holds it in an open transaction.
WITH {held}, done AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, i.message_id, i.revive_seq, i.was FROM operation_items i
    WHERE i.operation_id = (SELECT source_operation_id FROM held)
        AND i.dead_letter_id = ANY (ARRAY(SELECT id FROM page))
), locked AS MATERIALIZED (
    SELECT id, status, operation_id, revive_count, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, ours AS MATERIALIZED (
    SELECT l.id, d.message_id, d.was FROM locked l JOIN done d USING (id)
    WHERE l.status = 'REVIVED' AND l.revive_count = d.revive_seq
        AND l.operation_id = (SELECT source_operation_id FROM held) AND l.id NOT IN (SELECT id FROM stale)
), seen AS MATERIALIZED (
    SELECT m.id FROM message_queue m WHERE m.id = ANY (ARRAY(SELECT message_id FROM ours))
        AND m.status IN ('pending', 'scheduled', 'waiting', 'held') AND m.retry_count = 0
), takeable AS MATERIALIZED (
    SELECT m.id FROM message_queue m WHERE m.id = ANY (ARRAY(SELECT id FROM seen))
        AND m.status IN ('pending', 'scheduled', 'waiting', 'held') AND m.retry_count = 0
    ORDER BY m.id
    FOR UPDATE SKIP LOCKED
), pulled AS (
    DELETE FROM message_queue WHERE id = ANY (ARRAY(SELECT id FROM takeable))
    RETURNING id, queue, group_key
), back AS (
    UPDATE dlq_events d
    SET status = o.was ->> 'status', revive_count = d.revive_count - 1,
        revived_at = (o.was ->> 'revived_at')::timestamptz, revived_from = o.was ->> 'revived_from',
        operation_id = %(id)s
    FROM ours o
    WHERE d.id = o.id AND d.id = ANY (ARRAY(SELECT id FROM ours)) AND o.message_id IN (SELECT id FROM pulled)
    RETURNING d.id
), outcomes AS (
    SELECT id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        NULL::jsonb AS was
    FROM back
    UNION ALL
    SELECT id, 'skipped', /*stored*/ 'already taken by a consumer', NULL, NULL, NULL
    FROM ours WHERE message_id NOT IN (SELECT id FROM seen)
    UNION ALL
    SELECT l.id, 'skipped',
        CASE l.status WHEN 'SUCCEEDED' THEN /*stored*/ 'already taken by a consumer: it has SUCCEEDED'
            WHEN 'REVIVED' THEN coalesce(s.reason, /*stored*/ 'revived anew since')
            ELSE format(/*stored: status*/ 'no longer as this operation left it: it is %%s', l.status) END, NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id WHERE l.id NOT IN (SELECT id FROM ours)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: takeable
-- How many of a revive's messages nobody has taken: those that the statement above would pull back.
SELECT count(*) FROM operation_items i JOIN message_queue m ON m.id = i.message_id
WHERE i.operation_id = %(id)s AND i.status = 'done'
    AND m.status IN ('pending', 'scheduled', 'waiting', 'held') AND m.retry_count = 0

-- name: move
-- A discard or a restore: each goes back to the state it had.
WITH {held}, done AS MATERIALIZED (
    SELECT i.dead_letter_id AS id, i.was FROM operation_items i
    WHERE i.operation_id = (SELECT source_operation_id FROM held)
        AND i.dead_letter_id = ANY (ARRAY(SELECT id FROM page))
), locked AS MATERIALIZED (
    SELECT id, status, operation_id, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, ours AS MATERIALIZED (
    SELECT l.id, d.was FROM locked l JOIN done d USING (id)
    WHERE l.status = %(target)s AND l.operation_id = (SELECT source_operation_id FROM held)
        AND l.id NOT IN (SELECT id FROM stale)
), back AS (
    UPDATE dlq_events d SET status = o.was ->> 'status', operation_id = %(id)s
    FROM ours o
    WHERE d.id = o.id AND d.id = ANY (ARRAY(SELECT id FROM ours))
    RETURNING d.id
), outcomes AS (
    SELECT id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        NULL::jsonb AS was
    FROM back
    UNION ALL
    SELECT l.id, 'skipped', CASE WHEN s.id IS NOT NULL AND l.status = %(target)s THEN s.reason
        ELSE 'no longer as this operation left it: it is ' || l.status END, NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id WHERE l.id NOT IN (SELECT id FROM ours)
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}
