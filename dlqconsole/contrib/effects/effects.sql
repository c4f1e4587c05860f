-- name: of_letters
-- How many of some dead letters have which effects, by name. The letters are a query of their source and source_key.
SELECT x.name, count(DISTINCT (x.source, x.source_key)) FILTER (WHERE x.done_at IS NOT NULL) AS done,
    count(DISTINCT (x.source, x.source_key)) FILTER (WHERE x.done_at IS NULL) AS unknown
FROM event_effects x JOIN ({letters}) l ON l.source = x.source AND l.source_key = x.source_key
WHERE x.begun_at < coalesce(%s, clock_timestamp())
GROUP BY x.name ORDER BY x.name

-- name: done
-- A person has looked: it was done.
UPDATE event_effects SET done_at = clock_timestamp() WHERE name = %(name)s AND key = %(key)s AND done_at IS NULL

-- name: not_done
-- A person has looked: it was not done.
DELETE FROM event_effects WHERE name = %(name)s AND key = %(key)s AND done_at IS NULL

-- name: forget
DELETE FROM event_effects WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM event_effects WHERE begun_at < clock_timestamp() - make_interval(days => %(days)s) LIMIT 10000
))
