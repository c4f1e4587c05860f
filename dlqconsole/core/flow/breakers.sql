-- name: look
-- What is not simply closed, by the database's clock.
SELECT * FROM breakers_now ORDER BY key LIMIT 5000

-- name: note
SELECT breaker_noted(%(key)s::text, %(event_type)s::text, %(added)s::float8, %(least)s::float8,
    %(last_success_ago)s::float8, %(again_added)s::float8, %(again_least)s::float8, %(went_well)s::integer, %(first_went_well)s::integer, %(were_away)s::integer,
    %(why)s::text, %(opens_at)s::float8, %(closes_after)s::integer, %(first_pause)s::float8, %(longest_pause)s::float8)

-- name: probe
SELECT breaker_probe(%(keys)s::text[], %(first_pause)s::float8, %(longest_pause)s::float8)
