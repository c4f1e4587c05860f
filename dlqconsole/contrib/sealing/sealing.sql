-- name: take_turn
SELECT pg_try_advisory_xact_lock(hashtextextended('audit_seals', 0))

-- name: newest
-- Whose number was given out: a forged one that is far ahead must not be the end of all blocks.
SELECT max(id) FROM {schema}.audit_log
WHERE id <= pg_sequence_last_value(pg_get_serial_sequence('{schema}.audit_log', 'id')::regclass)

-- name: never_given
SELECT id FROM {schema}.audit_log
WHERE id > coalesce(pg_sequence_last_value(pg_get_serial_sequence('{schema}.audit_log', 'id')::regclass), 0)
ORDER BY id LIMIT 100

-- name: writing
-- Who writes to the log holds this lock on it from before the row has its number until the transaction ends.
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = '{schema}.audit_log'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid IS DISTINCT FROM pg_backend_pid()
ORDER BY 1

-- name: clock
SELECT clock_timestamp() AS at

-- name: unsealed
-- Some thousands are counted; that there are so many says enough.
SELECT count(*) AS rows, min(at) AS since, clock_timestamp() AS now
FROM (SELECT at FROM {schema}.audit_log WHERE id > %(above)s ORDER BY id LIMIT 10000) newer

-- name: tables
SELECT named.name, found.relkind::text AS kind, found.relpersistence <> 'p' AS temporary,
    found.relrowsecurity OR found.relforcerowsecurity AS row_security,
    coalesce(pg_catalog.to_regclass(named.name) = found.oid, false) AS comes_first,
    ARRAY(SELECT polname::text FROM pg_catalog.pg_policy WHERE polrelid = found.oid ORDER BY 1) AS policies,
    ARRAY(SELECT rulename::text FROM pg_catalog.pg_rewrite WHERE ev_class = found.oid ORDER BY 1) AS rules,
    ARRAY(
        SELECT CASE inhrelid WHEN found.oid THEN inhparent ELSE inhrelid END::regclass::text
        FROM pg_catalog.pg_inherits WHERE found.oid IN (inhrelid, inhparent) ORDER BY 1
    ) AS relatives,
    ARRAY(
        SELECT attname::text FROM pg_catalog.pg_attribute
        WHERE attrelid = found.oid AND attnum > 0 AND NOT attisdropped
    ) AS columns
FROM unnest(%(names)s::text[]) AS named (name)
LEFT JOIN pg_catalog.pg_class found
    ON found.relname = named.name AND found.relnamespace = to_regnamespace('{schema}')

-- name: triggers
SELECT found.relname::text AS table, tgname::text AS name, tgtype::integer AS kind, tgenabled::text AS enabled,
    tgfoid IS NOT DISTINCT FROM pg_catalog.to_regprocedure('{schema}.audit_log_refuse()')::oid
        AND tgqual IS NULL AND tgattr::text = '' AS refuses
FROM pg_catalog.pg_trigger
JOIN pg_catalog.pg_class found ON found.oid = tgrelid
WHERE found.relname = ANY (%(names)s::text[]) AND found.relnamespace = to_regnamespace('{schema}') AND NOT tgisinternal
ORDER BY 1, 2

-- name: refusing
SELECT prosrc FROM pg_catalog.pg_proc
WHERE oid = pg_catalog.to_regprocedure('{schema}.audit_log_refuse()')::oid
    AND prolang = (SELECT oid FROM pg_catalog.pg_language WHERE lanname = 'plpgsql')
