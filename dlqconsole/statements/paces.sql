-- How fast events of a type are tried again: one row a type, shared by all workers.
-- What a window has shown is added by everybody; whoever finds it complete judges it, and writes the next rate only
-- where nobody else has. What nobody has told anything of for an hour is forgotten: nothing holds it back any more.

-- name: add
-- In the order of the types, so that two processes never wait for each other. After a long silence a new window
-- begins: what was seen before says nothing about how fast it is now.
INSERT INTO paces AS p (event_type, floor, ceiling, tried, came_back, timed, log_seconds, begun_at)
SELECT event_type, %(floor)s, %(ceiling)s, tried, came_back, timed, log_seconds,
    clock_timestamp() - make_interval(secs => %(over)s::float8)
FROM unnest(%(event_types)s::text[], %(tried)s::integer[], %(came_back)s::integer[], %(timed)s::integer[],
    %(log_seconds)s::float8[]) n (event_type, tried, came_back, timed, log_seconds)
ORDER BY event_type
ON CONFLICT (event_type) DO UPDATE
SET tried = CASE WHEN {silent} THEN 0 ELSE p.tried END + excluded.tried,
    came_back = CASE WHEN {silent} THEN 0 ELSE p.came_back END + excluded.came_back,
    timed = CASE WHEN {silent} THEN 0 ELSE p.timed END + excluded.timed,
    log_seconds = CASE WHEN {silent} THEN 0 ELSE p.log_seconds END + excluded.log_seconds,
    begun_at = CASE WHEN {silent} THEN excluded.begun_at ELSE p.begun_at END, noted_at = clock_timestamp(),
    rate = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.rate END,
    slowed_at = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.slowed_at END,
    why = CASE WHEN p.noted_at > clock_timestamp() - interval '1 hour' THEN p.why ELSE '' END
RETURNING event_type, rate, baseline_seconds, recent_seconds, share, why, tried, came_back, timed, log_seconds,
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
WHERE p.event_type = %(event_type)s AND p.begun_at = %(begun_at)s
RETURNING p.rate

-- name: slowed
SELECT event_type, rate FROM paces WHERE rate IS NOT NULL AND noted_at > clock_timestamp() - interval '1 hour'

-- name: take
-- How many of those wanted may begin now, of a bucket that holds one second's worth, at least one. No row while
-- nothing is held back.
WITH filled AS MATERIALIZED (
    SELECT event_type, rate, least(greatest(rate, 1),
        tokens + greatest(0, extract(epoch FROM clock_timestamp() - filled_at)) * rate) AS tokens
    FROM paces
    WHERE event_type = %(event_type)s AND rate IS NOT NULL AND noted_at > clock_timestamp() - interval '1 hour'
    FOR UPDATE
)
UPDATE paces p
SET tokens = f.tokens - least(%(wanted)s::float8, floor(f.tokens)), filled_at = clock_timestamp()
FROM filled f WHERE p.event_type = f.event_type
RETURNING least(%(wanted)s::float8, floor(f.tokens))::integer

-- name: give_back
UPDATE paces SET tokens = least(tokens + %(unused)s::float8, greatest(rate, 1))
WHERE event_type = %(event_type)s AND rate IS NOT NULL

-- name: tell
-- Once: that it is slowed, and why. What the pace becomes later stands with the event type.
INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
SELECT 'pace', 'slow', 'operation:' || o.id, o.id, p.why,
    jsonb_build_object('event_type', p.event_type, 'rate', p.rate, 'why', p.why, 'since', p.slowed_at)
FROM operations o, (
    SELECT event_type, rate, why, slowed_at FROM paces
    WHERE event_type = ANY (%(slowed)s::text[]) AND rate IS NOT NULL
    ORDER BY rate LIMIT 1
) p
WHERE o.id = %(id)s
    AND NOT EXISTS (SELECT FROM audit_log a WHERE a.operation_id = o.id AND a.action = 'slow')
