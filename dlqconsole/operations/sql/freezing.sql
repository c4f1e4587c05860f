-- Freezing: what the filter matched becomes rows, window of ids by window, one commit each.
-- Zero rows back: the lease is lost, or somebody cancelled.

-- name: window
-- The scope's own SELECT of ids between two ids is put in, and where its items are kept (operations/items.py).
-- It brings its own parameters, so all are told by position: id, token, window start | its own | window end | lease.
-- No window is frozen twice, as ``frozen_to_id`` moves with it: so nothing can conflict, and to look whether
-- something does would cost a fifth of it all.
WITH held AS MATERIALIZED (
    SELECT id FROM operations
    WHERE id = %s AND lease_token = %s AND status = 'freezing' AND frozen_to_id = %s
    FOR UPDATE
), added AS (
    INSERT INTO {items} (operation_id, {key}, {kept})
    SELECT held.id, matched.* FROM held, ({matched}) matched ({key}, {kept})
    ORDER BY matched.{key}
    RETURNING 1
)
UPDATE operations o
SET frozen_to_id = %s, selected = o.selected + (SELECT count(*) FROM added),
    lease_until = clock_timestamp() + make_interval(secs => %s)
FROM held
WHERE o.id = held.id
RETURNING o.frozen_to_id >= o.cutoff_id

-- name: rows
-- The ids that a person ticked, existing or not: each gets an outcome. Of who is limited those within the scope, as
-- {seen} says.
WITH held AS MATERIALIZED (
    SELECT id, ids, cutoff_id FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
    FOR UPDATE
), ticked AS MATERIALIZED (
    SELECT held.id AS operation_id, ticked.id::bigint AS id
    FROM held, jsonb_array_elements_text(held.ids) ticked (id)
    WHERE {seen}
), added AS (
    INSERT INTO operation_items (operation_id, dead_letter_id, group_id, frozen_status, frozen_version)
    SELECT t.operation_id, t.id, e.group_id, e.status, e.payload_version
    FROM ticked t LEFT JOIN dlq_events e ON e.id = t.id
    ORDER BY t.id
    ON CONFLICT DO NOTHING
    RETURNING 1
)
UPDATE operations o
SET frozen_to_id = o.cutoff_id, selected = o.selected + (SELECT count(*) FROM added),
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
FROM held
WHERE o.id = held.id
RETURNING o.id

-- name: items_of
-- A SELECT of ids for the window above: those of another operation's items with this status or fate.
SELECT i.dead_letter_id, i.group_id, e.status, e.payload_version
FROM operation_fates i LEFT JOIN dlq_events e ON e.id = i.dead_letter_id
WHERE i.operation_id = %s AND %s IN (i.status, i.fate) AND i.dead_letter_id > %s AND i.dead_letter_id <= %s

-- name: seen
EXISTS (SELECT FROM dlq_events s WHERE s.id = ticked.id::bigint AND {letters})

-- name: parts
-- Of which queues and event types the items of a window are: it says who may see the operation.
INSERT INTO operation_parts AS p (operation_id, queue, event_type, items)
SELECT i.operation_id, coalesce(d.queue, d.event_type), d.event_type, count(*)
FROM operation_items i JOIN dlq_events d ON d.id = i.dead_letter_id
WHERE i.operation_id = %(id)s AND i.dead_letter_id > %(after)s AND i.dead_letter_id <= %(end)s
GROUP BY 1, 2, 3
ON CONFLICT (operation_id, queue, event_type) DO UPDATE SET items = p.items + excluded.items

-- name: messages_parts
-- The same of the messages of a queue, which have no event type.
INSERT INTO operation_parts AS p (operation_id, queue, event_type, items)
SELECT %(id)s, %(queue)s, '', count(*) FROM operation_messages i
WHERE i.operation_id = %(id)s AND i.message_id > %(after)s AND i.message_id <= %(end)s
ON CONFLICT (operation_id, queue, event_type) DO UPDATE SET items = p.items + excluded.items

-- name: messages_of
-- A SELECT of ids for the window above: the messages of a queue, but not what a consumer has in hand.
SELECT m.id, NULL::bigint FROM message_queue m
WHERE m.queue = %s AND m.id > %s AND m.id <= %s
    AND (m.status <> 'processing' OR m.lease_until < now())

-- name: messages_there
-- The same of an attached queue, as its system gave the numbers.
SELECT there.id, NULL::bigint FROM unnest(%s::bigint[]) there (id)

-- name: frozen
-- The selection is complete: it may be worked on, or it waits for a second person. What nobody is known to have
-- asked for cannot wait: who approved it might be the same one.
WITH held AS MATERIALIZED (
    SELECT id, selected > alone_up_to AND is_proven AS waits, selected > alone_up_to AND NOT is_proven AS refused
    FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing' AND frozen_to_id >= cutoff_id
    FOR UPDATE
), ready AS (
    UPDATE operations o
    SET status = CASE WHEN h.waits THEN 'awaiting' WHEN h.refused THEN 'cancelled' ELSE 'running' END,
        note = CASE WHEN h.refused THEN %(refused)s ELSE o.note END,
        finished_at = CASE WHEN h.refused THEN clock_timestamp() END,
        approval = CASE WHEN h.waits THEN 'needed' ELSE o.approval END,
        approve_until = CASE WHEN h.waits
            THEN clock_timestamp() + make_interval(secs => %(approval_seconds)s) END,
        -- what waits for a person is in no worker's hands
        owner = CASE WHEN h.waits OR h.refused THEN NULL ELSE o.owner END,
        lease_token = CASE WHEN h.waits OR h.refused THEN NULL ELSE o.lease_token END,
        lease_until = CASE WHEN h.waits OR h.refused THEN NULL ELSE o.lease_until END
    FROM held h WHERE o.id = h.id
    RETURNING o.id, o.status, o.selected, o.actor, o.reason
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT actor, CASE status WHEN 'awaiting' THEN 'ask for approval' ELSE status END, 'operation:' || id, id,
        reason, jsonb_build_object('selected', selected, 'remaining', selected)
    FROM ready WHERE status <> 'running'
)
SELECT status FROM ready

-- name: progress
SELECT scope, ids::text AS ids, filter::text AS filter, source_operation_id, source_outcome, queue, frozen_to_id, cutoff_id,
    access_scope::text AS access_scope, states::text AS states
FROM operations
WHERE id = %(id)s AND lease_token = %(token)s AND status = 'freezing'
