-- name: settle
-- The outcomes of items that ran by themselves. Each counts once, whoever brings it; ``ours`` tells a worker
-- whether to go on. ``token``: NULL where the operation lies in nobody's hands while a process works on its items.
WITH settled AS (
    UPDATE operation_items i SET status = o.status, reason = o.reason
    FROM unnest(%(ids)s::bigint[], %(statuses)s::text[], %(reasons)s::text[]) o (id, status, reason)
    WHERE i.operation_id = %(id)s AND i.dead_letter_id = o.id AND i.status = 'remaining'
        -- else all that remain are read, each time: of a new operation the planner believes that it has one item
        AND i.dead_letter_id = ANY (%(ids)s::bigint[])
    RETURNING i.dead_letter_id, i.status
)
UPDATE operations o
SET done = o.done + (SELECT count(*) FROM settled WHERE status = 'done'),
    skipped = o.skipped + (SELECT count(*) FROM settled WHERE status = 'skipped'),
    failed = o.failed + (SELECT count(*) FROM settled WHERE status = 'failed'),
    note = CASE WHEN o.lease_token = %(token)s THEN '' ELSE o.note END,
    lease_until = CASE WHEN o.lease_token = %(token)s
        THEN clock_timestamp() + make_interval(secs => %(lease)s) ELSE o.lease_until END
WHERE o.id = %(id)s
RETURNING o.lease_token IS NOT DISTINCT FROM %(token)s::uuid AND o.status = 'running' AS ours,
    ARRAY(SELECT dead_letter_id FROM settled) AS counted

-- name: note
-- What came of those that a worker has settled, however its page ended. A worker that dies writes none:
-- receipts.timeline finds what is missing in the operation's own counts.
INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
SELECT o.actor, o.kind, 'operation:' || o.id, o.id, o.reason,
    jsonb_build_object('first', c.first, 'last', c.last, 'done', c.done, 'skipped', c.skipped, 'failed', c.failed)
FROM operations o, (
    SELECT count(*) FILTER (WHERE status = 'done') AS done, count(*) FILTER (WHERE status = 'skipped') AS skipped,
        count(*) FILTER (WHERE status = 'failed') AS failed, min(dead_letter_id) AS first, max(dead_letter_id) AS last
    FROM operation_items
    WHERE operation_id = %(id)s AND dead_letter_id = ANY (%(settled)s::bigint[]) AND status <> 'remaining'
) c
WHERE o.id = %(id)s AND c.first IS NOT NULL
