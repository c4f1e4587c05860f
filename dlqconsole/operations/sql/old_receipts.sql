-- Old receipts: the items of an operation that ended long ago go, its own row and its audit entries stay.

-- name: begin
-- The oldest first. Not those of which something can still be taken back, because it is as they left it; nor those that an
-- open operation began from.
WITH old AS MATERIALIZED (
    SELECT o.id FROM operations o
    WHERE o.finished_at < clock_timestamp() - make_interval(days => %(days)s) AND NOT o.items_kept = 'gone'
        AND o.items_kept = 'kept' AND o.status IN ('completed', 'cancelled')
        AND (o.undo_until IS NULL OR o.released_at IS NOT NULL)
        AND NOT EXISTS (
            SELECT FROM operations c WHERE c.source_operation_id = o.id AND c.status NOT IN ('completed', 'cancelled')
        )
        AND (
            o.kind <> ALL (%(undoable)s) OR o.done = 0
            OR EXISTS (SELECT FROM operations u WHERE u.id = o.undone_by_id AND u.status = 'completed')
            OR NOT EXISTS (
                SELECT FROM operation_items i JOIN dlq_events d ON d.id = i.dead_letter_id
                WHERE i.operation_id = o.id AND i.status = 'done' AND CASE
                    WHEN i.was ? 'payload_version' THEN d.payload_version = (i.was ->> 'payload_version')::integer + 1
                    WHEN i.was ? 'to_group' THEN d.group_id = (i.was ->> 'to_group')::bigint
                    WHEN i.was ? 'revived_at' THEN d.operation_id = o.id AND d.status = 'REVIVED'
                    ELSE d.operation_id = o.id END
            )
        )
    ORDER BY o.finished_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), marked AS (
    UPDATE operations o SET items_kept = 'leaving' FROM old WHERE o.id = old.id
    RETURNING o.id, o.selected
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, detail)
    SELECT 'retention', 'delete items', 'operation:' || id, id,
        jsonb_build_object('after_days', %(days)s::integer, 'items', selected)
    FROM marked
)
SELECT id FROM marked

-- name: leaving
SELECT id FROM operations WHERE items_kept = 'leaving' AND finished_at IS NOT NULL AND NOT items_kept = 'gone'
ORDER BY finished_at LIMIT 1

-- name: page
WITH items AS (
    DELETE FROM operation_items WHERE operation_id = %(id)s AND dead_letter_id = ANY (ARRAY(
        SELECT dead_letter_id FROM operation_items WHERE operation_id = %(id)s ORDER BY dead_letter_id LIMIT %(limit)s))
    RETURNING operation_id
), messages AS (
    DELETE FROM operation_messages WHERE operation_id = %(id)s AND message_id = ANY (ARRAY(
        SELECT message_id FROM operation_messages WHERE operation_id = %(id)s ORDER BY message_id LIMIT %(limit)s))
    RETURNING operation_id
)
SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM messages)

-- name: end
UPDATE operations SET items_kept = 'gone' WHERE id = %(id)s AND items_kept = 'leaving' RETURNING id
