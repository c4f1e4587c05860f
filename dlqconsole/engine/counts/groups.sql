-- Failure groups with their figures, from what the triggers counted (see engine/counts/rollups.py). {trend} and
-- {totals} are the views of all figures, or for who is limited what takes their place (see engine/counts/rollups.py).

-- name: state
-- The state of the group g as it is now: a snooze ends by itself, as group_states.over says.
CASE WHEN g.state <> 'snoozed' THEN g.state WHEN {over} <> '' THEN 'open' ELSE 'snoozed' END

-- name: burning
-- The groups of the last 24 hours, first those that come faster than their own past lets expect: that of a week, since
-- their first hour in it. Not those that nobody wants to hear of. The week is read of the busiest only.
WITH clock AS (
    SELECT this, this - interval '1 hour' AS before, extract(epoch FROM now() - this)::float8 / 3600 AS part
    FROM date_trunc('hour', now(), 'UTC') this
), lately AS MATERIALIZED (
    SELECT group_id AS id, sum(letters)::bigint AS recent, max(hour) AS newest,
        coalesce(sum(letters) FILTER (WHERE hour >= c.before), 0)::bigint AS newly
    FROM {trend} CROSS JOIN clock c
    WHERE hour >= date_trunc('hour', now(), 'UTC') - interval '23 hours'
    GROUP BY 1 HAVING sum(letters) > 0
    ORDER BY 4 DESC, 2 DESC LIMIT 200
), earlier AS MATERIALIZED (
    SELECT group_id AS id, sum(letters)::float8
        / greatest(extract(epoch FROM c.before - min(hour))::float8 / 3600, 1) AS usual
    FROM {trend} CROSS JOIN clock c
    WHERE group_id = ANY (ARRAY(SELECT id FROM lately)) AND hour < c.before
        AND hour >= date_trunc('hour', now(), 'UTC') - make_interval(hours => %(hours)s - 1)
    GROUP BY 1, c.before
), rates AS (
    SELECT l.*, l.newly / (1 + c.part) AS rate, greatest(coalesce(e.usual, 0), 0) AS usual
    FROM lately l CROSS JOIN clock c LEFT JOIN earlier e ON e.id = l.id
)
SELECT r.id, r.recent, r.rate, r.usual, coalesce({state}, 'open') AS state
FROM rates r LEFT JOIN failure_groups g ON g.id = r.id
WHERE coalesce({state}, 'open') IN ('open', 'regressed')
ORDER BY greatest((r.rate - r.usual) / sqrt(r.usual + 1), 0) DESC, r.recent DESC, r.newest DESC, r.id LIMIT %(limit)s

-- name: listed
WITH lately AS MATERIALIZED (
    SELECT group_id AS id, sum(letters)::bigint AS recent FROM {trend}
    WHERE hour >= date_trunc('hour', now(), 'UTC') - interval '23 hours'
    GROUP BY 1
), totals AS MATERIALIZED (
    SELECT group_id AS id, sum(letters)::bigint AS total,
        coalesce(sum(letters) FILTER (WHERE status = 'PENDING'), 0)::bigint AS pending,
        min(first_at) AS first_seen, max(last_at) AS last_seen
    FROM {totals} GROUP BY 1
), found AS MATERIALIZED (
    SELECT coalesce(g.id, t.id) AS id, coalesce({state}, 'open') AS state,
        coalesce(t.total, 0) AS total, coalesce(t.pending, 0) AS pending, t.first_seen, t.last_seen
    FROM failure_groups g FULL JOIN totals t ON t.id = g.id
    WHERE t.total > 0 {written}
)
SELECT f.id, coalesce(l.recent, 0) AS recent, f.state, count(*) OVER () AS matching
FROM found f LEFT JOIN lately l ON l.id = f.id
WHERE f.state = ANY (%(states)s) AND (%(owner)s = ''
    OR EXISTS (SELECT FROM failure_group_owners o WHERE o.group_id = f.id AND o.owner = %(owner)s))
ORDER BY {order} NULLS LAST, f.total DESC, f.id LIMIT %(limit)s

-- name: states
SELECT {state} AS state, count(*) AS count FROM failure_groups g
WHERE EXISTS (SELECT FROM {totals} WHERE group_id = g.id GROUP BY group_id HAVING sum(letters) > 0) {written}
GROUP BY 1

-- name: written
-- For who is not limited: what people wrote stays, also where no dead letter does.
OR g.state <> 'open' OR g.owner <> '' OR g.note <> '' OR g.ticket <> ''

-- name: seen
-- Whether some of a group lies within the scope, and whether all of it does: of what never was neither.
SELECT seen.letters > 0 AS some, seen.letters > 0 AND seen.others = 0 AS whole
FROM (
    SELECT coalesce(sum(t.letters) FILTER (WHERE {counted}), 0) AS letters,
        coalesce(sum(t.letters) FILTER (WHERE NOT {counted}), 0) AS others
    FROM dead_letter_totals t WHERE t.group_id = %(id)s
) seen

-- name: within
-- For who is limited, of the group g.
AND g.id IN (SELECT group_id FROM {totals} GROUP BY group_id HAVING sum(letters) > 0)

-- name: named_within
-- Of these groups those whose own name is that of a dead letter within the scope: what was merged into one brings its
-- dead letters along, and not its name.
SELECT g.id FROM failure_groups g
WHERE g.id = ANY (%(ids)s::bigint[])
    AND EXISTS (SELECT FROM dlq_events d WHERE d.group_id = g.id AND d.fingerprint_id = g.id AND {letters})

-- name: owners
SELECT DISTINCT o.owner FROM failure_groups g JOIN failure_group_owners o ON o.group_id = g.id
WHERE o.owner <> '' {within} ORDER BY o.owner LIMIT 200

-- name: owners_of
SELECT group_id AS id, owner FROM failure_group_owners WHERE group_id = ANY (%(ids)s::bigint[])

-- name: regressed
SELECT g.id FROM failure_groups g WHERE g.state = 'regressed' {within} ORDER BY g.state_changed_at DESC LIMIT %(limit)s

-- name: clock
SELECT clock_timestamp()

-- name: states_of
SELECT g.id, {state} AS state, CASE WHEN g.state = 'snoozed' THEN {over} ELSE '' END AS over
FROM failure_groups g WHERE g.id = ANY (%(ids)s::bigint[])

-- name: figures
SELECT group_id AS id, status, sum(letters)::bigint AS count, sum(occurrences)::bigint AS occurrences,
    min(first_at) AS first_seen, max(last_at) AS last_seen
FROM {totals} WHERE group_id = ANY (%(ids)s::bigint[])
GROUP BY group_id, status

-- name: hours
SELECT group_id AS id, hour AS start, sum(letters)::bigint AS count FROM {trend}
WHERE group_id = ANY (%(ids)s::bigint[])
    AND hour >= date_trunc('hour', now(), 'UTC') - make_interval(hours => %(hours)s - 1)
GROUP BY 1, 2

-- name: newest
-- A walk down the index for each status, so that the size of the group does not matter.
SELECT newest.* FROM unnest(%(statuses)s::text[]) status (name), LATERAL (
    SELECT d.id, d.status, d.occurrences, d.created_at, left(d.error_reason, 700) AS error_reason FROM dlq_events d
    WHERE d.group_id = %(id)s AND d.status = status.name AND {letters}
    ORDER BY d.created_at DESC LIMIT %(limit)s
) newest
ORDER BY newest.created_at DESC, newest.id DESC LIMIT %(limit)s

-- name: affected
-- What the newest are about: the key that keeps them in order, else where they came from.
SELECT coalesce(newest.group_key, newest.source) AS name, newest.group_key IS NOT NULL AS is_key, count(*) AS count
FROM unnest(%(statuses)s::text[]) status (name), LATERAL (
    SELECT d.group_key, d.source FROM dlq_events d
    WHERE d.group_id = %(id)s AND d.status = status.name AND {letters}
    ORDER BY d.created_at DESC LIMIT %(newest)s
) newest
GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT %(limit)s
