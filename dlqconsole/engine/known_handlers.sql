-- Who runs now and what each can handle, by the database's clock.

-- name: report
WITH silent AS (
    DELETE FROM handler_reports
    WHERE worker = ANY (ARRAY(
        SELECT worker FROM handler_reports
        WHERE seen_at < clock_timestamp() - make_interval(secs => %(forget)s) AND worker <> %(worker)s
        FOR UPDATE SKIP LOCKED
    ))
)
INSERT INTO handler_reports (worker, role, queues, event_types, rehearsable, unhandled, seen_at)
VALUES (%(worker)s, %(role)s, %(queues)s::text[], %(event_types)s::text[], %(rehearsable)s::text[],
    %(unhandled)s::jsonb, clock_timestamp())
ON CONFLICT (worker) DO UPDATE
SET queues = excluded.queues, event_types = excluded.event_types, rehearsable = excluded.rehearsable,
    unhandled = excluded.unhandled, seen_at = excluded.seen_at

-- name: withdraw
WITH told AS (
    UPDATE handler_reports SET event_types = '{}', rehearsable = '{}', unhandled = %(unhandled)s::jsonb
    WHERE worker = %(worker)s AND %(unhandled)s::jsonb <> '{}'
)
DELETE FROM handler_reports WHERE worker = %(worker)s AND %(unhandled)s::jsonb = '{}'

-- name: live
SELECT worker, role, queues, event_types, rehearsable, unhandled::text AS unhandled, seen_at FROM handler_reports
WHERE seen_at > clock_timestamp()
    - make_interval(secs => CASE WHEN role = 'sql' THEN %(silent_sql)s ELSE %(silent)s END)
ORDER BY worker
LIMIT %(most)s
