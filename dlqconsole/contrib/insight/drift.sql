-- name: begin
-- The one row is also the lock: a second worker that looks at the same time finds nothing.
INSERT INTO shape_progress (number, until) VALUES (1, clock_timestamp() - interval '1 hour')
ON CONFLICT DO NOTHING

-- name: due
-- What was committed late is not seen: so long a transaction takes that writes samples.
SELECT greatest(until, clock_timestamp() - interval '6 hours') AS since,
    clock_timestamp() - make_interval(secs => %(settle)s) AS until
FROM shape_progress WHERE number = 1 FOR UPDATE SKIP LOCKED

-- name: done
UPDATE shape_progress SET until = %(until)s WHERE number = 1

-- name: succeeded
-- Of each type and hour so many payloads, by a hash, and how many events all of them stand for.
SELECT event_type, hour, events, payload FROM (
    SELECT event_type, date_trunc('hour', sampled_at, 'UTC') AS hour, payload::text AS payload,
        sum(stands_for) OVER same AS events,
        row_number() OVER (same ORDER BY md5(source || E'\n' || source_key)) AS place
    FROM success_samples
    WHERE sampled_at > %(since)s AND sampled_at <= %(until)s AND NOT was_dead_letter AND payload IS NOT NULL
    WINDOW same AS (PARTITION BY event_type, date_trunc('hour', sampled_at, 'UTC'))
) came WHERE place <= %(payloads)s
LIMIT %(most)s

-- name: failed
SELECT chosen.event_type, chosen.hour, chosen.events, d.payload::text AS payload FROM (
    SELECT id, event_type, date_trunc('hour', created_at, 'UTC') AS hour, count(*) OVER same AS events,
        row_number() OVER (same ORDER BY md5(id::text)) AS place
    FROM dlq_events
    WHERE created_at > %(since)s AND created_at <= %(until)s AND payload IS NOT NULL
        AND pg_column_size(payload) <= %(largest)s
    WINDOW same AS (PARTITION BY event_type, date_trunc('hour', created_at, 'UTC'))
) chosen JOIN dlq_events d USING (id)
WHERE place <= %(payloads)s
LIMIT %(most)s

-- name: forget
DELETE FROM payload_shapes WHERE hour < clock_timestamp() - make_interval(days => %(days)s)

-- name: forget_changes
DELETE FROM payload_changes WHERE hour < clock_timestamp() - make_interval(days => %(days)s)
