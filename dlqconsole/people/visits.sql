-- Pages that people have open.

-- name: note
SELECT actor, page, seconds FROM page_visited(%(page)s, %(nearby)s, %(actor)s);

-- name: forget
DELETE FROM page_visits WHERE seen_at < clock_timestamp() - interval '1 hour'
