-- One page of an operation: one statement, one commit. In it the dead letters move, the items get their
-- outcomes, the counts grow, and the audit log gains a row; or nothing at all happens.
--
-- ``held`` locks the operation's row, so a worker whose lease is lost, or an operation that was cancelled,
-- yields zero rows and changes nothing. Dead letters are locked in the order of their ids. What somebody
-- else has locked is passed over and stays ``remaining``: the next sweep meets it again.
--
-- The planner knows nothing yet of a new operation's rows. ``= ANY (ARRAY(…))`` and ``BETWEEN`` keep each
-- step an index scan all the same, and the caller turns nested loops off: one over two sets of 2,000 is
-- four million steps.

-- {held}, {passed_only}, {keeps_coming}, {reason_of_others} and {settle} stand for the parts below that the statements
-- share, {changed} for what is not as it was frozen (changes.sql). In them {items}, {key} and {outcome} say where the
-- items are kept, and what of their outcome (operations/items.py).

-- name: held
held AS MATERIALIZED (
    SELECT id, kind, actor, reason, source_operation_id, queue FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
    FOR UPDATE
), page AS MATERIALIZED (
    SELECT {key} AS id{frozen} FROM {items}
    WHERE operation_id = (SELECT id FROM held) AND status = 'remaining' AND {key} > %(after)s
    ORDER BY {key}
    LIMIT %(limit)s
)

-- name: held_probes
-- A canary's first page: only the probes.
held AS MATERIALIZED (
    SELECT id, kind, actor, reason, source_operation_id FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
    FOR UPDATE
), page AS MATERIALIZED (
    SELECT dead_letter_id AS id{frozen} FROM operation_items
    WHERE operation_id = (SELECT id FROM held) AND status = 'remaining' AND dead_letter_id > %(after)s
        AND dead_letter_id IN (
            SELECT probe::bigint FROM operations o, jsonb_array_elements_text(o.probes) probe WHERE o.id = %(id)s
        )
    ORDER BY dead_letter_id
    LIMIT %(limit)s
)

-- name: held_paced
-- Where failure groups are held back: of each no more than it has room for. The others go on, in the order of their ids;
-- of one ordering key none goes before an earlier one that waits. Somebody else may have settled an item's dead letter
-- meanwhile: the item will be skipped, and needs no room.
held AS MATERIALIZED (
    SELECT id, kind, actor, reason, source_operation_id FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
    FOR UPDATE
), ahead AS MATERIALIZED (
    SELECT dead_letter_id AS id, coalesce(group_id, 0) AS group_id{frozen} FROM operation_items
    WHERE operation_id = (SELECT id FROM held) AND status = 'remaining' AND dead_letter_id > %(after)s
        AND coalesce(group_id, 0) <> ALL (%(full)s::bigint[])
    ORDER BY dead_letter_id
    LIMIT %(limit)s
), able AS MATERIALIZED (
    SELECT id FROM dlq_events WHERE id = ANY (ARRAY(SELECT id FROM ahead)) AND status = ANY (%(eligible)s)
), roomy AS MATERIALIZED (
    SELECT id, group_id{frozen} FROM (
        SELECT a.*, is_able, row_number() OVER (PARTITION BY group_id, is_able ORDER BY id) AS place
        FROM ahead a CROSS JOIN LATERAL (SELECT a.id IN (SELECT id FROM able)) AS sort (is_able)
    ) placed
    WHERE NOT is_able OR place <= coalesce((%(rooms)s::jsonb ->> group_id::text)::bigint, %(room_of_others)s::bigint)
), passed_over AS MATERIALIZED (
    SELECT dead_letter_id AS id FROM operation_items
    WHERE %(in_order)s AND operation_id = %(id)s AND status = 'remaining'
        AND dead_letter_id < (SELECT max(id) FROM roomy) AND dead_letter_id NOT IN (SELECT id FROM roomy)
), waiting AS MATERIALIZED (
    SELECT coalesce(e.queue, e.event_type) AS queue, e.group_key, min(e.id) AS first FROM dlq_events e
    WHERE e.id = ANY (ARRAY(SELECT id FROM passed_over)) AND e.group_key IS NOT NULL AND e.status = ANY (%(eligible)s)
    GROUP BY 1, 2
), page AS MATERIALIZED (
    SELECT r.id, r.group_id{frozen} FROM roomy r
    WHERE NOT (%(in_order)s AND EXISTS (
        SELECT FROM dlq_events e JOIN waiting w
            ON w.queue = coalesce(e.queue, e.event_type) AND w.group_key = e.group_key AND w.first < e.id
        WHERE e.id = r.id
    ))
)

-- name: last
-- An expression: how far the page has looked.
(SELECT max(id) FROM page)

-- name: last_paced
(SELECT max(id) FROM ahead)

-- name: taken
-- An expression: how many of each failure group the page has begun, where that matters.
NULL

-- name: taken_paced
(SELECT jsonb_object_agg(group_id, number)::text FROM (
    SELECT p.group_id, count(*) AS number FROM page p
    WHERE p.id NOT IN (SELECT id FROM outcomes WHERE status = 'skipped') GROUP BY 1
) taken)

-- name: not_full
-- A condition: its failure group has room.
true

-- name: not_full_paced
coalesce(group_id, 0) <> ALL (%(full)s::bigint[])

-- name: reason_of_others
-- Why a dead letter in such a state is skipped, and which operation was there before us: ``left_by`` says in
-- which state each kind leaves what it moved.
coalesce((
    SELECT format(/*stored: reason_sentence, number:d*/ '%%s (operation %%s)', %(why)s::jsonb ->> l.status, o.id)
    FROM operations o
    WHERE o.id = l.operation_id AND %(left_by)s::jsonb ->> o.kind = l.status
), %(why)s::jsonb ->> l.status)

-- name: gone
SELECT id FROM page EXCEPT SELECT id FROM dlq_events WHERE id = ANY (ARRAY(SELECT id FROM page))

-- name: settle
-- Each item of ``outcomes`` gets its outcome, the counts grow, and the audit log gains a row.
settled AS (
    UPDATE {items} i
    SET status = o.status, reason = o.reason, {outcome}
    FROM outcomes o
    WHERE i.operation_id = %(id)s AND i.{key} = o.id AND i.status = 'remaining'
        AND i.{key} BETWEEN (SELECT min(id) FROM page) AND (SELECT max(id) FROM page)
    RETURNING i.{key} AS id, i.status
), counts AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE status = 'done') AS done,
        count(*) FILTER (WHERE status = 'skipped') AS skipped,
        count(*) FILTER (WHERE status = 'failed') AS failed, min(id) AS first, max(id) AS last
    FROM settled
), counted AS (
    UPDATE operations o
    SET done = o.done + c.done, skipped = o.skipped + c.skipped, failed = o.failed + c.failed, note = '',
        lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    FROM held h, counts c
    WHERE o.id = h.id
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT h.actor, h.kind, 'operation:' || h.id, h.id, h.reason,
        jsonb_build_object('first', c.first, 'last', c.last, 'done', c.done, 'skipped', c.skipped,
            'failed', c.failed)
    FROM held h, counts c
    WHERE c.first IS NOT NULL
)
SELECT {last} AS last, {taken} AS taken, (c.done + c.skipped + c.failed)::int AS settled FROM held, counts c

-- name: passed_only
-- Only what passed another operation was asked for (NULL: everything): the rest is skipped, and why.
unproven AS MATERIALIZED (
    SELECT l.id, CASE
        WHEN coalesce(i.status, 'remaining') = 'remaining' THEN format(/*stored: number:d*/ 'is no part of operation %%s', o.passed_operation_id)
        WHEN i.frozen_version <> l.payload_version THEN format(/*stored: number:d*/ 'changed since operation %%s', o.passed_operation_id)
        ELSE format(/*stored: number:d, reason*/ 'did not pass in operation %%s: %%s', o.passed_operation_id, left(i.reason, 300))
        END AS reason
    FROM operations o CROSS JOIN locked l LEFT JOIN operation_items i ON i.dead_letter_id = l.id
        AND i.operation_id = (SELECT passed_operation_id FROM operations WHERE id = %(id)s)
        AND i.dead_letter_id = ANY (ARRAY(SELECT id FROM page))
    WHERE o.id = %(id)s AND o.passed_operation_id IS NOT NULL
        AND (i.status = 'done' AND i.frozen_version = l.payload_version) IS NOT TRUE
)

-- name: keeps_coming
-- Left to a person, who may ask for it, or for one alone.
coming AS MATERIALIZED (
    SELECT l.id, format(
        /*stored: number:d, moment*/ 'has failed again %%s times since %%s UTC: look at it, edit it, or revive it alone',
        l.come_backs, to_char(l.first_failure_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')) AS reason
    FROM locked l
    WHERE dead_letter_keeps_coming(l.come_backs, %(most_come_backs)s) AND NOT %(come_backs_too)s
        AND l.id NOT IN (SELECT id FROM stale) AND l.id NOT IN (SELECT id FROM unproven)
        AND NOT EXISTS (
            SELECT FROM operations o WHERE o.id = %(id)s AND o.scope = 'rows' AND jsonb_array_length(o.ids) = 1
        )
)

-- name: revive
-- Held back, a message is brought forward when the undo window has passed.
WITH {held}, locked AS MATERIALIZED (
    SELECT id, status, operation_id, revived_at, revived_from, payload_version, come_backs, first_failure_at
    FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, {passed_only}, {keeps_coming}, left_alone AS MATERIALIZED (
    SELECT id, reason FROM stale UNION ALL SELECT id, reason FROM coming
    UNION ALL SELECT id, reason FROM unproven WHERE id NOT IN (SELECT id FROM stale)
), revived AS (
    UPDATE dlq_events
    SET status = 'REVIVED', revive_count = revive_count + 1, revived_at = clock_timestamp(),
        operation_id = %(id)s
    WHERE id = ANY (ARRAY(
        SELECT id FROM locked WHERE status = ANY (%(eligible)s) AND id NOT IN (SELECT id FROM left_alone)))
    RETURNING id, event_type, payload, payload_raw, headers, source, source_key, queue, group_key, revive_count, group_id,
        original_message_id, coalesce(nullif(%(queue)s::text, ''), nullif(queue, ''), event_type) AS to_queue,
        CASE WHEN %(keep_order)s THEN group_key END AS to_group
), sent AS (
    INSERT INTO message_queue (id, queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq, status)
    SELECT revived_message_id(to_queue, to_group, queue, original_message_id), to_queue, payload,
        CASE WHEN payload IS NULL THEN coalesce(payload_raw, ''::bytea) ELSE payload_raw END,
        revive_headers(headers, event_type, source, source_key, payload), to_group, id, revive_count,
        CASE WHEN %(held_back)s THEN 'held' ELSE 'pending' END
    FROM revived
    ORDER BY id
    RETURNING id, dlq_event_id, revive_seq
), handed_out AS (
    -- what becomes of them says how fast the others may follow; what is held back is counted when it goes out
    INSERT INTO paces AS p (operation_id, event_type, group_id, floor, ceiling, handed_out, watched)
    SELECT %(id)s, '', r.group_id, %(floor)s, %(ceiling)s, count(*), (array_agg(s.id ORDER BY s.id DESC))[:50]
    FROM revived r JOIN sent s ON s.dlq_event_id = r.id
    WHERE %(is_paced)s
    GROUP BY r.group_id
    ON CONFLICT (operation_id, event_type, group_id) DO UPDATE
    SET handed_out = p.handed_out + excluded.handed_out, watched = (excluded.watched || p.watched)[:50],
        heard_at = CASE WHEN p.handed_out = p.heard THEN clock_timestamp() ELSE p.heard_at END,
        noted_at = clock_timestamp()
), outcomes AS (
    SELECT s.dlq_event_id AS id, 'done' AS status, '' AS reason, s.id AS message_id, s.revive_seq,
        jsonb_build_object('status', l.status, 'revived_at', l.revived_at, 'revived_from', l.revived_from) AS was
    FROM sent s JOIN locked l ON l.id = s.dlq_event_id
    UNION ALL
    SELECT l.id, 'skipped', coalesce(CASE WHEN l.status <> ALL (%(eligible)s) THEN {reason_of_others} END, s.reason),
        NULL, NULL, NULL
    FROM locked l LEFT JOIN left_alone s ON s.id = l.id
    WHERE l.status <> ALL (%(eligible)s) OR s.id IS NOT NULL
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: move
-- Discard and restore: the status changes, nothing else.
WITH {held}, locked AS MATERIALIZED (
    SELECT id, status, operation_id, payload_version FROM dlq_events
    WHERE id = ANY (ARRAY(SELECT id FROM page))
    ORDER BY id
    FOR UPDATE SKIP LOCKED
), {changed}, moved AS (
    UPDATE dlq_events SET status = %(target)s, operation_id = %(id)s
    WHERE id = ANY (ARRAY(
        SELECT id FROM locked WHERE status = ANY (%(eligible)s) AND id NOT IN (SELECT id FROM stale)))
    RETURNING id
), outcomes AS (
    SELECT m.id, 'done' AS status, '' AS reason, NULL::bigint AS message_id, NULL::integer AS revive_seq,
        jsonb_build_object('status', l.status) AS was
    FROM moved m JOIN locked l USING (id)
    UNION ALL
    SELECT l.id, 'skipped', coalesce(CASE WHEN l.status <> ALL (%(eligible)s) THEN {reason_of_others} END, s.reason),
        NULL, NULL, NULL
    FROM locked l LEFT JOIN stale s ON s.id = l.id
    WHERE l.status <> ALL (%(eligible)s) OR s.id IS NOT NULL
    UNION ALL
    SELECT gone.id, 'skipped', 'no longer exists', NULL, NULL, NULL FROM ({gone}) gone
), {settle}

-- name: open_retry
-- A page of a retry begins: what cannot be retried gets its reason, the rest is handed to its handlers.
-- ``begun``: this operation claimed it before, and its worker died. Three deaths quarantine the dead letter;
-- such a one is not tried again.
-- What no worker has a handler for is skipped and stays as it is; what another worker has one for is left to that
-- one. Bytes that are no JSONB may name another type than their row: what is not skipped here may still be, when
-- it is read.
WITH {held}, looked AS MATERIALIZED (
    SELECT e.id, e.status, e.operation_id, e.operation_id IS NOT DISTINCT FROM %(id)s AS begun, e.event_type,
        e.event_type = ANY (%(event_types)s::text[]) AS ours, e.event_type = ANY (%(of_others)s::text[]) AS others,
        e.payload_version
    FROM dlq_events e WHERE e.id = ANY (ARRAY(SELECT id FROM page))
), locked AS MATERIALIZED (
    -- what this operation began itself is in another state than when it was frozen
    SELECT id, CASE WHEN begun THEN NULL ELSE status END AS status, payload_version FROM looked
), {changed}, {passed_only}, outcomes AS (
    SELECT l.id, 'skipped' AS status, {reason_of_others} AS reason
    FROM looked l WHERE l.status <> ALL (%(eligible)s) AND NOT (l.begun AND l.status = 'RETRYING')
    UNION ALL
    SELECT l.id, 'skipped', s.reason FROM looked l JOIN stale s ON s.id = l.id
    WHERE l.status = ANY (%(eligible)s) AND NOT (l.begun AND l.status = 'QUARANTINED')
    UNION ALL
    SELECT l.id, 'skipped', u.reason FROM looked l JOIN unproven u ON u.id = l.id
    WHERE l.status = ANY (%(eligible)s) AND NOT (l.begun AND l.status = 'QUARANTINED')
        AND l.id NOT IN (SELECT id FROM stale)
    UNION ALL
    SELECT l.id, 'failed', /*stored*/ 'stopped its worker again and again, and is quarantined now'
    FROM looked l WHERE l.begun AND l.status = 'QUARANTINED'
    UNION ALL
    SELECT l.id, 'skipped', %(no_handler)s || quote_literal(left(l.event_type, 120))
    FROM looked l
    WHERE l.status = ANY (%(eligible)s) AND NOT (l.begun AND l.status = 'QUARANTINED') AND NOT l.ours AND NOT l.others
        AND l.id NOT IN (SELECT id FROM stale) AND l.id NOT IN (SELECT id FROM unproven)
    UNION ALL
    SELECT p.id, 'skipped', 'no longer exists'
    FROM page p WHERE NOT EXISTS (SELECT FROM looked l WHERE l.id = p.id)
), settled AS (
    UPDATE operation_items i SET status = o.status, reason = o.reason
    FROM outcomes o
    WHERE i.operation_id = %(id)s AND i.dead_letter_id = o.id AND i.status = 'remaining'
        AND i.dead_letter_id BETWEEN (SELECT min(id) FROM page) AND (SELECT max(id) FROM page)
    RETURNING i.dead_letter_id AS id, i.status
), counts AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE status = 'skipped') AS skipped,
        count(*) FILTER (WHERE status = 'failed') AS failed
    FROM settled
), claimable AS MATERIALIZED (
    SELECT id, payload_version, event_type FROM looked
    -- what a breaker stops waits
    WHERE status = ANY (%(eligible)s) AND NOT (begun AND status = 'QUARANTINED') AND ours
        AND id NOT IN (SELECT id FROM stale) AND id NOT IN (SELECT id FROM unproven)
        AND event_type <> ALL (%(stopped)s::text[])
), counted AS (
    UPDATE operations o
    SET skipped = o.skipped + c.skipped, failed = o.failed + c.failed,
        lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    FROM held h, counts c
    WHERE o.id = h.id
), noted AS (
    -- written before the handlers run: what they do outside this database must be attributable, too. What comes
    -- of those that are begun is noted when the page ends; a page that is begun again is no outcome
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT h.actor, h.kind, 'operation:' || h.id, h.id, h.reason,
        jsonb_build_object('first', p.first, 'last', p.last, 'begun', t.begun, 'skipped', c.skipped,
            'failed', c.failed)
    FROM held h, counts c, (SELECT min(id) AS first, max(id) AS last FROM page) p,
        (SELECT count(*) AS begun FROM claimable) t
    WHERE t.begun + c.skipped + c.failed > 0
)
SELECT {last} AS last, {taken} AS taken, (c.skipped + c.failed)::int AS settled,
    ARRAY(SELECT id FROM claimable ORDER BY id) AS ids,
    ARRAY(SELECT payload_version FROM claimable ORDER BY id) AS versions,
    ARRAY(SELECT event_type FROM claimable ORDER BY id) AS event_types,
    ARRAY(
        SELECT DISTINCT event_type FROM looked
        WHERE status = ANY (%(eligible)s) AND ours AND event_type = ANY (%(stopped)s::text[])
    ) AS stopped
FROM held, counts c

-- name: fail_next
-- The one item that the database will not have: it is marked, and the rest of the page goes on.
WITH held AS MATERIALIZED (
    SELECT id, kind, actor, reason FROM operations
    WHERE id = %(id)s AND lease_token = %(token)s AND status = 'running'
    FOR UPDATE
), poison AS MATERIALIZED (
    SELECT {key} AS id FROM {items}
    WHERE operation_id = (SELECT id FROM held) AND status = 'remaining' AND {key} > %(after)s AND {not_full}
    ORDER BY {key}
    LIMIT 1
), settled AS (
    UPDATE {items} i SET status = 'failed', reason = %(reason)s
    FROM poison p
    WHERE i.operation_id = %(id)s AND i.{key} = p.id AND i.status = 'remaining'
    RETURNING i.{key} AS id
), counted AS (
    UPDATE operations o
    SET failed = o.failed + (SELECT count(*) FROM settled),
        lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    FROM held h WHERE o.id = h.id
), noted AS (
    INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
    SELECT h.actor, h.kind, 'operation:' || h.id, h.id, h.reason,
        jsonb_build_object('first', s.id, 'last', s.id, 'failed', 1)
    FROM held h, settled s
)
SELECT p.id AS last, NULL AS taken, (SELECT count(*) FROM settled)::int AS settled FROM poison p
