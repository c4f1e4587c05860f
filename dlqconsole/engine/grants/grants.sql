-- What is granted: tables, views, functions and types of our schema, with their owners. What an extension
-- brought is left out.

-- name: relations
-- A partition goes by the name of its table; its rights are asked of nobody who reads by way of that.
SELECT c.relname AS name, c.relkind = 'v' AS is_view,
    (SELECT r.relname FROM pg_class r WHERE r.oid = coalesce(pg_partition_root(c.oid), c.oid)) AS root,
    pg_get_userbyid(c.relowner) AS owner, c.relacl IS NOT NULL AS is_granted
FROM pg_class c
WHERE c.relnamespace = to_regnamespace('{schema}') AND c.relkind IN ('r', 'p', 'v')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname

-- name: sequences
-- Of the tables' own columns.
SELECT s.relname AS name, t.relname AS root
FROM pg_class s
JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
JOIN pg_class t ON t.oid = d.refobjid
WHERE s.relnamespace = to_regnamespace('{schema}') AND s.relkind = 'S'
ORDER BY s.relname

-- name: functions
-- Not what an index computes: whoever writes a row calls that.
SELECT p.proname AS name, format('%%s.%%I(%%s)', p.pronamespace::regnamespace, p.proname, pg_get_function_identity_arguments(p.oid)) AS signature,
    p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype) AS is_trigger, pg_get_userbyid(p.proowner) AS owner,
    has_function_privilege('public', p.oid, 'EXECUTE') AS is_open
FROM pg_proc p
WHERE p.pronamespace = to_regnamespace('{schema}')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_index i ON i.indexrelid = d.objid WHERE d.refobjid = p.oid)
ORDER BY signature

-- name: types
SELECT t.typname AS name, pg_get_userbyid(t.typowner) AS owner
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = to_regnamespace('{schema}') AND (c.relkind = 'c' OR t.typtype = 'd')
ORDER BY t.typname

-- name: me
SELECT current_user AS name, r.rolsuper AS is_superuser, r.rolsuper OR r.rolcreaterole AS makes_roles,
    current_database() AS database,
    coalesce((
        SELECT pg_has_role(current_user, c.relowner, 'MEMBER') FROM pg_class c
        WHERE c.oid = to_regclass('{schema}.message_queue')
    ), false) AS owns_tables
FROM pg_roles r WHERE r.rolname = current_user

-- name: roles
-- Those of these names and everybody whose name begins like a producer's, with what they may do beyond SQL.
SELECT r.rolname AS name,
    array_remove(ARRAY[
        CASE WHEN r.rolsuper THEN 'NOSUPERUSER' END,
        CASE WHEN r.rolcreatedb THEN 'NOCREATEDB' END,
        CASE WHEN r.rolcreaterole THEN 'NOCREATEROLE' END,
        CASE WHEN r.rolreplication THEN 'NOREPLICATION' END,
        CASE WHEN r.rolbypassrls THEN 'NOBYPASSRLS' END
    ], NULL) AS excess,
    ARRAY(SELECT pg_get_userbyid(m.roleid)::text FROM pg_auth_members m WHERE m.member = r.oid ORDER BY 1) AS member_of
FROM pg_roles r
WHERE r.rolname = ANY (%(names)s::text[]) OR starts_with(r.rolname, %(producers)s)
ORDER BY r.rolname
