-- name: send
SELECT periodic_send(%(event_type)s, %(cron)s, %(timezone)s, %(queue)s, %(tick)s)

-- name: last
SELECT event_type, cron, timezone, queue, tick, message_id FROM periodic_ticks ORDER BY event_type
