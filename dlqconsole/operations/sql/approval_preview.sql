-- What an operation that waits for approval would be done with, for who is to approve it.

-- name: sample
-- The first, the last, and some in between, by {key} of {items}.
SELECT id FROM (
    (SELECT {key} AS id FROM {items} WHERE operation_id = %(id)s ORDER BY {key} LIMIT 2)
    UNION
    (SELECT {key} FROM {items} WHERE operation_id = %(id)s ORDER BY {key} DESC LIMIT 2)
    UNION
    (SELECT near.id FROM (
        SELECT min({key}) AS low, max({key}) AS high FROM {items} WHERE operation_id = %(id)s
    ) ends, generate_series(1, %(random)s) nth, LATERAL (
        SELECT {key} AS id FROM {items}
        WHERE operation_id = %(id)s AND {key} >= ends.low + floor(random() * (ends.high - ends.low) + nth * 0)::bigint
        ORDER BY {key} LIMIT 1
    ) near)
) found ORDER BY id

-- name: approvers
-- Who could change things ever since before it was asked for, and did not ask for it.
SELECT DISTINCT 'user:' || g.user_id AS actor FROM role_grants g JOIN operations o ON o.id = %(id)s
WHERE g.role = ANY (%(changers)s) AND g.since < o.created_at AND g.until IS NULL
    AND substring(o.actor FROM '(?:^| for )(user:[1-9][0-9]*)$') IS DISTINCT FROM 'user:' || g.user_id
ORDER BY actor LIMIT %(most)s
