-- What the database knows of itself, for engine/schema.sql. Everything of the schema public that is a table, view,
-- function or type, and belongs to no extension; of the partitions of message_archive only the one that has no day.

-- name: tables
SELECT c.relname AS name, c.relpersistence = 'u' AS unlogged, array_to_string(c.reloptions, ', ') AS options,
    pg_get_partkeydef(c.oid) AS partition_key, pg_get_expr(c.relpartbound, c.oid) AS bound,
    (SELECT p.relname FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent WHERE i.inhrelid = c.oid) AS parent,
    obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '^message_archive_until_[0-9]{8}$'

-- name: columns
-- A column of a parent is shown where its default is another one.
SELECT c.relname AS of, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS filled, a.attidentity <> '' AS identity, a.attgenerated <> '' AS generated,
    pg_get_expr(d.adbin, d.adrelid, true) AS given, a.attislocal AS own, col_description(c.oid, a.attnum) AS comment,
    (
        SELECT pg_get_expr(pd.adbin, pd.adrelid, true) FROM pg_inherits i
        JOIN pg_attribute pa ON pa.attrelid = i.inhparent AND pa.attname = a.attname
        JOIN pg_attrdef pd ON pd.adrelid = pa.attrelid AND pd.adnum = pa.attnum
        WHERE i.inhrelid = c.oid
    ) AS inherited
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'c') AND a.attnum > 0
    AND NOT a.attisdropped
ORDER BY c.relname, a.attnum

-- name: constraints
-- Since PostgreSQL 18 NOT NULL is one, too: the columns say that already.
SELECT c.conrelid::regclass::text AS of, c.conname AS name, pg_get_constraintdef(c.oid, true) AS definition,
    c.contype IN ('p', 'u') AS indexed,
    -- a foreign key names the index of the other table
    CASE WHEN c.contype IN ('p', 'u') THEN obj_description(c.conindid, 'pg_class') END AS comment
FROM pg_constraint c
WHERE c.connamespace = 'public'::regnamespace AND c.conislocal AND c.contype IN ('p', 'u', 'c', 'f')
ORDER BY of, position(c.contype::text IN 'pucf'), c.conname

-- name: indexes
-- Those that no constraint made; a partition has its parent's.
SELECT t.relname AS of, c.relname AS name, pg_get_indexdef(c.oid, 0, true) AS definition,
    obj_description(c.oid, 'pg_class') AS comment
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u'))
ORDER BY of, name

-- name: types
SELECT c.relname AS name, obj_description(t.oid, 'pg_type') AS comment
FROM pg_class c JOIN pg_type t ON t.typrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c'

-- name: views
SELECT c.relname AS name, pg_get_viewdef(c.oid, true) AS definition, obj_description(c.oid, 'pg_class') AS comment
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')

-- name: functions
-- One that calls another of its name comes after it. Without a body of text: an expression, as PostgreSQL words it.
SELECT p.proname AS name, pg_get_functiondef(p.oid) AS definition, p.prosqlbody IS NULL AS body,
    p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS signature,
    p.proacl IS NOT NULL AND NOT has_function_privilege('public', p.oid, 'execute') AS closed,
    obj_description(p.oid, 'pg_proc') AS comment
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
ORDER BY p.proname, p.oid

-- name: triggers
-- Not those of Django's own tables, which the file does not make.
SELECT p.proname AS calls, c.relname AS of, t.tgname AS name, pg_get_triggerdef(t.oid, true) AS definition,
    t.tgenabled = 'A' AS always
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal AND c.relname !~ '^(auth|django)_'
ORDER BY p.proname, t.oid
