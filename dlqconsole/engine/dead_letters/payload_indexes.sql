-- The indexes of payloads that an administrator switched on, as the catalog knows them.

-- name: is_there
SELECT true FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relname = %(name)s AND i.indrelid = 'dlq_events'::regclass AND i.indisvalid

-- name: listed
SELECT c.relname AS name, coalesce(obj_description(c.oid, 'pg_class'), '') AS path, pg_relation_size(c.oid) AS bytes,
    coalesce(s.idx_scan, 0) AS uses, i.indisvalid AS is_valid
FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN pg_stat_user_indexes s ON s.indexrelid = c.oid
WHERE i.indrelid = 'dlq_events'::regclass AND starts_with(c.relname, %(name)s)
ORDER BY c.relname
