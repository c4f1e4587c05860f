-- name: take_turn
SELECT pg_try_advisory_xact_lock(hashtextextended('audit_seals', 0))

-- name: newest
-- Whose number was given out: a forged one that is far ahead must not be the end of all blocks.
SELECT max(id) FROM public.audit_log
WHERE id <= pg_sequence_last_value(pg_get_serial_sequence('public.audit_log', 'id')::regclass)

-- name: never_given
SELECT id FROM public.audit_log
WHERE id > coalesce(pg_sequence_last_value(pg_get_serial_sequence('public.audit_log', 'id')::regclass), 0)
ORDER BY id LIMIT 100

-- name: writing
-- Who writes to the log holds this lock on it from before the row has its number until the transaction ends.
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = 'public.audit_log'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid IS DISTINCT FROM pg_backend_pid()
ORDER BY 1

-- name: clock
SELECT clock_timestamp() AS at

-- name: unsealed
-- Some thousands are counted; that there are so many says enough.
SELECT count(*) AS rows, min(at) AS since, clock_timestamp() AS now
FROM (SELECT at FROM public.audit_log WHERE id > %(above)s ORDER BY id LIMIT 10000) newer
