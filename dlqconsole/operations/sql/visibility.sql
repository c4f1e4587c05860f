-- Who is limited to some queues and event types sees the operations that have something of these. The conditions
-- of a scope (engine/access_scope.py) are put in: on a part as {parts}, on what who asked is limited to as {asked}.

-- name: some
EXISTS (SELECT FROM operation_parts p WHERE p.operation_id = operations.id AND {parts}) OR {asked_within}

-- name: whole
-- Nothing of it lies elsewhere. Before all is frozen nobody knows, but for who was limited when asking.
{asked_within} OR operations.frozen_to_id >= operations.cutoff_id
    AND EXISTS (SELECT FROM operation_parts p WHERE p.operation_id = operations.id)
    AND NOT EXISTS (SELECT FROM operation_parts p WHERE p.operation_id = operations.id AND NOT {parts})

-- name: asked_within
-- Who asked saw no more than whoever looks: neither is any item outside.
(operations.access_scope IS NOT NULL AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(operations.access_scope) asked (pair) WHERE NOT {asked}
))

-- name: numbers
-- Of some operations, by status and fate, the items that are dead letters within the scope.
SELECT f.operation_id, f.status, f.fate, count(*) AS items
FROM operation_fates f JOIN dlq_events d ON d.id = f.dead_letter_id
WHERE f.operation_id = ANY (%(ids)s::bigint[]) AND {letters}
GROUP BY 1, 2, 3

-- name: selected
SELECT p.operation_id, sum(p.items)::bigint AS items FROM operation_parts p
WHERE p.operation_id = ANY (%(ids)s::bigint[]) AND {parts}
GROUP BY 1

-- name: audit
-- Entries about what lies within the scope as a whole; what speaks of everything, or of accounts, does not.
CASE
    WHEN audit_log.operation_id IS NOT NULL
        THEN EXISTS (SELECT FROM operations WHERE operations.id = audit_log.operation_id AND ({whole}))
    WHEN audit_log.target ~ '^dead_letter:[0-9]{{1,18}}$'
        THEN EXISTS (SELECT FROM dlq_events d WHERE d.id = substr(audit_log.target, 13)::bigint AND {letters})
    WHEN audit_log.target ~ '^message:[0-9]{{1,18}}$'
        THEN EXISTS (SELECT FROM message_queue m WHERE m.id = substr(audit_log.target, 9)::bigint AND {messages})
    WHEN audit_log.target ~ '^message:.+/[0-9]{{1,19}}$' THEN {message_queue}
    WHEN audit_log.target ~ '^group:[0-9]{{1,18}}$'
        THEN (
            SELECT sum(t.letters) FILTER (WHERE {counted}) > 0
                AND coalesce(sum(t.letters) FILTER (WHERE NOT {counted}), 0) = 0
            FROM dead_letter_totals t WHERE t.group_id = substr(audit_log.target, 7)::bigint
        )
    WHEN audit_log.target ^@ 'queue:' THEN {queue}
    ELSE false
END
