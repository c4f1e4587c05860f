-- What people do with an operation that is there. Each is a compare-and-set with its audit row; zero rows mean
-- that the operation was not in that state any more.

-- name: pause
-- Its worker finds out at the next page, and puts it down.
WITH waits AS (
    UPDATE operations SET status = 'paused', note = ''
    WHERE id = %(id)s AND status = 'running'
    RETURNING id, selected, done, skipped, failed
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, detail)
    SELECT %(actor)s, 'pause', 'operation:' || id, id,
        jsonb_build_object('remaining', selected - done - skipped - failed)
    FROM waits
)
SELECT id FROM waits

-- name: resume
-- What a canary halted goes on without one: a person has looked, and says why.
WITH before AS MATERIALIZED (
    SELECT id, status FROM operations
    WHERE id = %(id)s AND (status = 'paused' OR status = 'halted' AND %(reason)s <> '') FOR UPDATE
), goes_on AS (
    UPDATE operations o
    SET status = 'running', note = '', watch_until = NULL,
        stage = CASE WHEN b.status = 'halted' THEN NULL ELSE o.stage END,
        lease_until = CASE WHEN o.lease_token IS NULL THEN NULL ELSE o.lease_until END
    FROM before b
    WHERE o.id = b.id
    RETURNING o.id, b.status AS was, o.selected - o.done - o.skipped - o.failed AS remaining
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT %(actor)s, 'resume', 'operation:' || id, id, %(reason)s,
        jsonb_build_object('was', was, 'remaining', remaining)
    FROM goes_on
)
SELECT id FROM goes_on

-- name: probe
-- What a canary halted begins anew with other probes; its worker chooses them.
WITH probes AS (
    UPDATE operations SET status = 'running', note = '', stage = 0, probes = '[]'::jsonb, watch_until = NULL
    WHERE id = %(id)s AND status = 'halted' AND selected > done + skipped + failed
    RETURNING id, selected - done - skipped - failed AS remaining
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, detail)
    SELECT %(actor)s, 'probe', 'operation:' || id, id, jsonb_build_object('remaining', remaining) FROM probes
)
SELECT id FROM probes

-- name: approve
-- Who approves could change things ever since before it was asked for: read here once more, in the statement that
-- decides. One's own, and what one's standing rule asked for, only where nobody else could within the last day.
WITH approved AS (
    UPDATE operations o
    SET status = 'running', approval = 'given', approver = %(actor)s, approved_at = clock_timestamp(), note = '',
        lease_until = NULL
    WHERE id = %(id)s AND status = 'awaiting' AND approval = 'needed' AND approve_until > clock_timestamp()
        AND EXISTS (
            SELECT FROM role_grants g
            WHERE g.user_id = %(user_id)s AND g.role = ANY (%(changers)s) AND g.until IS NULL)
        AND CASE WHEN substring(o.actor FROM '(?:^| for )(user:[1-9][0-9]*)$') = %(actor)s THEN NOT EXISTS (
            SELECT FROM role_grants g
            WHERE g.user_id <> %(user_id)s AND g.role = ANY (%(changers)s)
                AND (g.until IS NULL OR g.until > clock_timestamp() - %(lately)s::interval))
        ELSE EXISTS (
            SELECT FROM role_grants g
            WHERE g.user_id = %(user_id)s AND g.role = ANY (%(changers)s) AND g.since < o.created_at
                AND g.until IS NULL)
        END
    RETURNING id, actor, reason, selected
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT %(actor)s, 'approve', 'operation:' || id, id, reason, jsonb_strip_nulls(
        jsonb_build_object('asked_by', actor, 'selected', selected, 'token', %(token)s::bigint))
    FROM approved
)
SELECT id FROM approved

-- name: refuse
WITH refused AS (
    UPDATE operations
    SET status = 'cancelled', approver = %(actor)s, finished_at = clock_timestamp(),
        note = format(/*stored: actor*/ 'Refused by %%s: nothing was done.', actor_words(%(actor)s))
    WHERE id = %(id)s AND status = 'awaiting'
    RETURNING id, actor, reason, selected
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT %(actor)s, 'refuse', 'operation:' || id, id, reason,
        jsonb_build_object('asked_by', actor, 'selected', selected)
    FROM refused
)
SELECT id FROM refused

-- name: expire
-- Nobody approved in time.
WITH late AS MATERIALIZED (
    SELECT id FROM operations
    WHERE status = 'awaiting' AND approve_until <= clock_timestamp()
    ORDER BY id
    LIMIT 100
    FOR UPDATE SKIP LOCKED
), expired AS (
    UPDATE operations o
    SET status = 'cancelled', approval = 'expired', finished_at = clock_timestamp(),
        note = /*stored*/ 'Nobody approved it in time: nothing was done.'
    FROM late WHERE o.id = late.id
    RETURNING o.id, o.reason, o.selected
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT 'schedule', 'expire', 'operation:' || id, id, reason, jsonb_build_object('selected', selected)
    FROM expired
)
SELECT id FROM expired

-- name: halt
-- Too many of the canary failed again; the numbers of then are in the log alone. ``token``: only the worker that holds
-- it may say so.
WITH halted AS (
    UPDATE operations
    SET status = 'halted', note = %(note)s, watch_until = NULL, owner = NULL, lease_token = NULL, lease_until = NULL
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
    RETURNING id, reason, selected, done, skipped, failed
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT 'canary', 'halt', 'operation:' || id, id, reason,
        jsonb_build_object('why', %(note)s::text, 'done', done, 'remaining', selected - done - skipped - failed,
            'succeeded', %(succeeded)s::bigint, 'failed_again', %(failed_again)s::bigint, 'under_way', %(under_way)s::bigint)
    FROM halted
)
SELECT id FROM halted
