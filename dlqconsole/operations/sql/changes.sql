-- What counts as changed since the list was made, and is skipped: a rule of each sort (operations/pages/work.py). By the very
-- same words a page skips it and who is to approve is told how many. ``l`` is the dead letter, ``p`` its item.

-- name: payload
l.payload_version <> p.frozen_version

-- name: state
({payload} OR l.status <> p.frozen_status)

-- name: anything
-- what goes for ever goes as it was when somebody asked: before it was frozen, too
({state} OR l.updated_at > (SELECT created_at FROM operations WHERE id = %(id)s))

-- name: why_payload
format(/*stored: edit_sentence*/ 'changed since the list was made: %%s', {edited})

-- name: why_state
format('changed since the list was made: %%s', CASE WHEN {payload} THEN {edited}
    ELSE format(/*stored: before, now*/ 'it was %%s, it is %%s', p.frozen_status, l.status) END)

-- name: why_anything
CASE WHEN {payload} OR {state} AND {done_by} IS NULL THEN {why_state}
    WHEN {state} THEN format('changed since the list was made: %%s', format(
        /*stored: before, now, change_sentence*/ 'it was %%s, it is %%s: %%s', p.frozen_status, l.status, {done_by}))
    ELSE format(/*stored: change_sentence*/ 'changed since it was asked for: %%s',
        coalesce({done_by}, /*stored*/ 'something of it beside its payload and state')) END

-- name: edited
coalesce((
    SELECT format(/*stored: actor*/ 'edited by %%s', actor_words(v.actor)) FROM payload_versions v
    WHERE v.dlq_event_id = l.id AND v.number = l.payload_version AND v.actor <> ''
), /*stored*/ 'its payload is another')

-- name: done_by
-- The operation that moved it last, where that was asked for later than this one: of an earlier one nobody knows
-- whether it came to this dead letter before.
(
    SELECT format(/*stored: did_sentence, actor, number:d*/ '%%s by %%s (operation %%s)', %(did)s::jsonb ->> o.kind,
        actor_words(o.actor), o.id)
    FROM operations o
    WHERE o.id = l.operation_id AND o.created_at > (SELECT created_at FROM operations WHERE id = %(id)s)
        AND %(did)s::jsonb ? o.kind
)

-- name: stale
-- Of a page the dead letters that are not what was asked for, and approved.
stale AS MATERIALIZED (
    SELECT l.id, {why} AS reason
    FROM locked l JOIN page p ON p.id = l.id
    WHERE {is_changed}
)

-- name: count
-- How many of an operation's first are not as they were, or gone: so many would be skipped. One by one, as the planner
-- would read all dead letters for them.
SELECT count(*) FROM (
    SELECT dead_letter_id, frozen_status, frozen_version FROM operation_items
    WHERE operation_id = %(id)s ORDER BY dead_letter_id LIMIT %(most)s
) p LEFT JOIN LATERAL (SELECT * FROM dlq_events d WHERE d.id = p.dead_letter_id OFFSET 0) l ON true
WHERE p.frozen_version IS NOT NULL AND (l.id IS NULL OR {is_changed})

-- name: among
-- Which of these.
SELECT l.id FROM operation_items p JOIN dlq_events l ON l.id = p.dead_letter_id
WHERE p.operation_id = %(id)s AND p.dead_letter_id = ANY (%(ids)s) AND {is_changed}
