-- An operation's own row: asked for once, worked on under a lease with a token, ended once.
-- clock_timestamp() throughout: these statements may have waited for a row's lock.

-- name: request
-- The same request key is the same operation, however often the button was clicked.
WITH asked AS (
    INSERT INTO operations (request_key, kind, actor, reason, scope, ids, filter, filter_words, states, expected,
        expected_exact, cutoff_id, source_operation_id, source_outcome, queue, group_id, access_scope, parameters, rate,
        stage, approval, alone_up_to, is_proven)
    SELECT %(request_key)s, %(kind)s, %(actor)s, %(reason)s, %(scope)s, %(ids)s::jsonb, %(filter)s::jsonb,
        %(filter_words)s, %(states)s::jsonb, %(expected)s, %(expected_exact)s,
        coalesce(%(cutoff_id)s::bigint, (SELECT max(id) FROM dlq_events), 0),
        %(source_operation_id)s, %(source_outcome)s, %(queue)s, %(group_id)s, %(access_scope)s::jsonb,
        %(parameters)s::jsonb, %(rate)s, %(stage)s, %(approval)s, %(alone_up_to)s, %(is_proven)s
    ON CONFLICT (request_key) DO NOTHING
    RETURNING id, source_operation_id
), takes_back AS (
    UPDATE operations o SET undone_by_id = a.id
    FROM asked a
    WHERE o.id = a.source_operation_id AND %(takes_back)s
)
SELECT id FROM asked

-- name: waiting
-- Live, and in nobody's hands: never begun, put down, or its worker died. What is not frozen yet goes
-- first, so that it selects the rows as they were when the person confirmed.
SELECT id FROM operations
WHERE status IN ('freezing', 'running', 'cancelling')
    AND (lease_until IS NULL OR lease_until <= clock_timestamp()) AND kind = ANY(%(kinds)s)
ORDER BY status <> 'freezing', lease_until NULLS FIRST, id
LIMIT 1

-- name: waits_to_be_frozen
SELECT id FROM operations
WHERE status = 'freezing' AND id <> %(id)s AND (lease_until IS NULL OR lease_until <= clock_timestamp())
    AND kind = ANY(%(kinds)s)
LIMIT 1

-- name: adopt
-- A token left over means that the worker before us died without a word: that is an adoption.
-- ``longest_steps``: by kind, the seconds in which nobody may extend the lease. A kind that is not among them is
-- left to workers that know it.
UPDATE operations
SET lease_token = gen_random_uuid(), owner = %(owner)s,
    lease_until = clock_timestamp()
        + make_interval(secs => %(lease)s + coalesce((%(longest_steps)s::jsonb ->> kind)::float8, 0)),
    started_at = coalesce(started_at, clock_timestamp()),
    adoptions = adoptions + CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END,
    note = CASE WHEN note = %(unknown)s THEN '' ELSE note END
WHERE id = %(id)s AND status IN ('freezing', 'running', 'cancelling')
    AND (lease_until IS NULL OR lease_until <= clock_timestamp()) AND %(longest_steps)s::jsonb ? kind
RETURNING id, kind, status, lease_token, parameters::text AS parameters, rate, stage, source_operation_id

-- name: note_unknown
-- This worker does not know their kind, and none that does has taken them up for a while.
UPDATE operations SET note = %(unknown)s
WHERE status IN ('freezing', 'running') AND kind <> ALL(%(kinds)s) AND note <> %(unknown)s
    AND greatest(created_at, lease_until) <= clock_timestamp() - make_interval(secs => %(seconds)s)
RETURNING id

-- name: put_down
-- An orderly pause: anybody may go on, after ``rest`` seconds.
UPDATE operations
SET lease_token = NULL, owner = NULL, note = %(note)s,
    lease_until = clock_timestamp() + make_interval(secs => %(rest)s)
WHERE id = %(id)s AND lease_token = %(token)s
RETURNING id

-- name: cancel
-- In nobody's hands it is cancelled at once; else its worker stops at the next page.
WITH stopped AS (
    UPDATE operations
    SET status = CASE WHEN lease_token IS NULL THEN 'cancelled' ELSE 'cancelling' END,
        finished_at = CASE WHEN lease_token IS NULL THEN clock_timestamp() END, note = '',
        undo_until = CASE WHEN lease_token IS NULL THEN {undo_until} END
    WHERE id = %(id)s AND status IN ('freezing', 'awaiting', 'running', 'paused', 'halted')
    RETURNING id, status, selected, done, skipped, failed
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, detail)
    SELECT %(actor)s, 'cancel', 'operation:' || id, id,
        jsonb_build_object('done', done, 'skipped', skipped, 'failed', failed,
            'remaining', selected - done - skipped - failed)
    FROM stopped
)
SELECT status FROM stopped

-- name: finish
-- Completed when every item has an outcome; cancelled when a person asked for it.
WITH over AS MATERIALIZED (
    SELECT id, CASE status WHEN 'running' THEN 'completed' ELSE 'cancelled' END AS status
    FROM operations o
    WHERE id = %(id)s AND lease_token = %(token)s AND (status = 'cancelling' OR status = 'running' AND NOT EXISTS (
        SELECT FROM operation_items i WHERE i.operation_id = o.id AND i.status = 'remaining'
    ) AND NOT EXISTS (
        SELECT FROM operation_messages m WHERE m.operation_id = o.id AND m.status = 'remaining'))
    FOR UPDATE
), ended AS (
    UPDATE operations o
    SET status = over.status, finished_at = clock_timestamp(), note = '', owner = NULL, lease_token = NULL,
        lease_until = NULL, undo_until = {undo_until}
    FROM over WHERE o.id = over.id
    RETURNING o.id, o.status, o.actor, o.reason, o.selected, o.done, o.skipped, o.failed
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT actor, status, 'operation:' || id, id, reason,
        jsonb_build_object('selected', selected, 'done', done, 'skipped', skipped, 'failed', failed,
            'remaining', selected - done - skipped - failed)
    FROM ended
)
SELECT status FROM ended


-- name: undo_until
-- An expression: the clock of the undo starts when the operation is over, for what its messages were held back.
CASE WHEN (parameters ->> 'undo_seconds')::integer > 0 AND done > 0
    THEN clock_timestamp() + make_interval(secs => (parameters ->> 'undo_seconds')::integer) END

-- name: count_groups
-- How many of its items were in each failure group: what a group remembers of past operations.
INSERT INTO operation_groups (operation_id, group_id, items, done)
SELECT operation_id, group_id, count(*), count(*) FILTER (WHERE status = 'done')
FROM operation_items
WHERE operation_id = %(id)s AND group_id IS NOT NULL
GROUP BY operation_id, group_id
ON CONFLICT (operation_id, group_id) DO UPDATE SET items = excluded.items, done = excluded.done

-- name: pace
-- So many items were settled: no page begins before their time has passed. Short delays are made up for.
UPDATE operations
SET paced_until = greatest(coalesce(paced_until, clock_timestamp()), clock_timestamp() - interval '1 second')
    + make_interval(secs => %(items)s::float8 / rate)
WHERE id = %(id)s AND lease_token = %(token)s AND rate IS NOT NULL
RETURNING extract(epoch FROM paced_until - clock_timestamp())::float8

-- name: wait
SELECT coalesce(extract(epoch FROM paced_until - clock_timestamp()), 0)::float8 FROM operations WHERE id = %(id)s
