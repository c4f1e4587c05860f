-- How fast what failed is tried again: one row for each failure group of an event type, of the schedule (operation 0),
-- shared by all workers; and of each operation its own, so that neither slows the other.
-- What a window has shown is added by everybody; whoever finds it complete judges it, and writes the next rate only
-- where nobody else has. What nobody has told anything of for an hour is forgotten: nothing holds it back any more.

-- name: add
-- In one order, so that two processes never wait for each other. After a long silence a new window begins: what was seen
-- before says nothing about how fast it is now.
INSERT INTO paces AS p (operation_id, event_type, group_id, floor, ceiling, tried, came_back, timed, log_seconds, begun_at)
SELECT %(operation)s, event_type, group_id, %(floor)s, %(ceiling)s, tried, came_back, timed, log_seconds,
    clock_timestamp() - make_interval(secs => %(over)s::float8)
FROM unnest(%(event_types)s::text[], %(groups)s::bigint[], %(tried)s::integer[], %(came_back)s::integer[],
    %(timed)s::integer[], %(log_seconds)s::float8[]) n (event_type, group_id, tried, came_back, timed, log_seconds)
ORDER BY event_type, group_id
ON CONFLICT (operation_id, event_type, group_id) DO UPDATE
SET tried = CASE WHEN {silent} THEN 0 ELSE p.tried END + excluded.tried,
    came_back = CASE WHEN {silent} THEN 0 ELSE p.came_back END + excluded.came_back,
    timed = CASE WHEN {silent} THEN 0 ELSE p.timed END + excluded.timed,
    log_seconds = CASE WHEN {silent} THEN 0 ELSE p.log_seconds END + excluded.log_seconds,
    begun_at = CASE WHEN {silent} THEN excluded.begun_at ELSE p.begun_at END, noted_at = clock_timestamp(),
    rate = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.rate END,
    slowed_at = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.slowed_at END,
    why = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.why ELSE '' END
RETURNING event_type, group_id, rate, baseline_seconds, recent_seconds, share, why, tried, came_back, timed, log_seconds,
    begun_at, extract(epoch FROM clock_timestamp() - begun_at)::float8 AS seconds

-- name: silent
-- An expression: nothing was noted for longer than any window lasts, or it was judged and nothing came since.
(p.tried = 0 OR p.noted_at < clock_timestamp() - make_interval(secs => %(longest)s::float8))

-- name: decide
-- Compare and set: a window is judged once. What others added meanwhile stays, for the next.
UPDATE paces p
SET rate = %(rate)s::float8, floor = %(floor)s, ceiling = %(ceiling)s, baseline_seconds = %(baseline_seconds)s,
    recent_seconds = %(recent_seconds)s, share = %(share)s, why = %(why)s,
    changed_at = CASE WHEN p.rate IS DISTINCT FROM %(rate)s::float8 THEN clock_timestamp() ELSE p.changed_at END,
    slowed_at = CASE WHEN %(rate)s::float8 IS NOT NULL THEN coalesce(p.slowed_at, clock_timestamp()) END,
    tokens = least(p.tokens, greatest(%(rate)s::float8, 1)),
    filled_at = CASE WHEN p.rate IS NULL THEN clock_timestamp() ELSE p.filled_at END,
    tried = p.tried - %(tried)s, came_back = p.came_back - %(came_back)s, timed = p.timed - %(timed)s,
    log_seconds = p.log_seconds - %(log_seconds)s, begun_at = clock_timestamp()
WHERE p.operation_id = %(operation)s AND p.event_type = %(event_type)s AND p.group_id = %(group_id)s
    AND p.begun_at = %(begun_at)s
RETURNING p.rate

-- name: forget
-- What the open windows of these types have shown.
UPDATE paces p SET tried = 0, came_back = 0, timed = 0, log_seconds = 0, begun_at = clock_timestamp()
WHERE operation_id = %(operation)s AND event_type = ANY (%(event_types)s::text[]) AND tried > 0
RETURNING event_type, group_id

-- name: slowed
SELECT event_type, group_id, rate FROM paces
WHERE operation_id = %(operation)s AND rate IS NOT NULL AND noted_at > clock_timestamp() - interval '1 hour'
    -- somebody may have chosen to ignore automatic slowing
    AND NOT EXISTS (
        SELECT FROM operations o WHERE o.id = operation_id AND coalesce((o.parameters ->> 'full_speed')::boolean, false)
    )

-- name: take
-- How many of those wanted may begin now, of buckets that hold one second's worth, at least one. No row for what is
-- held back no more.
WITH filled AS MATERIALIZED (
    SELECT p.id, n.wanted, least(greatest(p.rate, 1),
        p.tokens + greatest(0, extract(epoch FROM clock_timestamp() - p.filled_at)) * p.rate) AS tokens
    FROM paces p JOIN unnest(%(event_types)s::text[], %(groups)s::bigint[], %(numbers)s::integer[])
        n (event_type, group_id, wanted) USING (event_type, group_id)
    WHERE p.operation_id = %(operation)s AND p.rate IS NOT NULL AND p.noted_at > clock_timestamp() - interval '1 hour'
    ORDER BY event_type, group_id
    FOR UPDATE OF p
)
UPDATE paces p
SET tokens = f.tokens - least(f.wanted, floor(f.tokens)), filled_at = clock_timestamp()
FROM filled f WHERE p.id = f.id
RETURNING p.event_type, p.group_id, least(f.wanted, floor(f.tokens))::integer AS taken

-- name: give_back
UPDATE paces p SET tokens = least(p.tokens + n.unused, greatest(p.rate, 1))
FROM unnest(%(event_types)s::text[], %(groups)s::bigint[], %(numbers)s::integer[]) n (event_type, group_id, unused)
WHERE p.operation_id = %(operation)s AND p.event_type = n.event_type AND p.group_id = n.group_id AND p.rate IS NOT NULL
RETURNING p.event_type, p.group_id

-- name: tell
-- Once: that it is slowed, and why. What its paces become later stands on its receipt.
INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
SELECT 'pace', 'slow', 'operation:' || o.id, o.id, p.why,
    jsonb_build_object('event_type', p.event_type, 'group_id', p.group_id, 'rate', p.rate, 'why', p.why,
        'since', p.slowed_at)
FROM operations o, (
    SELECT event_type, group_id, rate, why, slowed_at FROM paces
    WHERE operation_id = %(operation)s AND rate IS NOT NULL
    ORDER BY rate LIMIT 1
) p
WHERE o.id = %(operation)s
    AND NOT EXISTS (SELECT FROM audit_log a WHERE a.operation_id = o.id AND a.action = 'slow')
RETURNING id AS told
