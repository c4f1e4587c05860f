-- The way out: what others have built upon our tables, and what is left of a schema.

-- name: leaning
-- Views, functions and foreign keys that are not ours, and tables with columns of our types: they would go along.
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) AS name
FROM (
    SELECT 'pg_class'::regclass AS classid, r.ev_class AS objid, d.refobjid
    FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND r.ev_class <> d.refobjid
    UNION ALL
    SELECT 'pg_constraint'::regclass, f.oid, f.confrelid FROM pg_constraint f
    WHERE f.contype = 'f' AND f.conrelid <> f.confrelid
        AND NOT f.conrelid = ANY (%(ours)s::text[]::regclass[]::oid[])
) d
WHERE d.refobjid = ANY (%(ours)s::text[]::regclass[]::oid[])
    AND NOT (d.classid = 'pg_class'::regclass AND d.objid = ANY (%(ours)s::text[]::regclass[]::oid[]))
UNION
-- made LIKE one of ours, say
SELECT pg_describe_object('pg_class'::regclass, c.oid, 0)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE a.atttypid = ANY (%(types)s::text[]::regtype[]::oid[]) AND c.relkind IN ('r', 'p', 'm', 'f')
    AND NOT c.oid = ANY (%(ours)s::text[]::regclass[]::oid[])
ORDER BY 1

-- name: left_in_schema
SELECT pg_describe_object(classid, objid, 0) AS name
FROM (
    SELECT 'pg_class'::regclass AS classid, oid AS objid FROM pg_class
    WHERE relnamespace = to_regnamespace('{schema}') AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = to_regnamespace('{schema}')
    UNION ALL
    SELECT 'pg_extension'::regclass, oid FROM pg_extension WHERE extnamespace = to_regnamespace('{schema}')
) rest
WHERE NOT EXISTS (
    SELECT FROM pg_depend d WHERE (d.classid, d.objid, d.deptype) = (rest.classid, rest.objid, 'e')
)
ORDER BY 1
LIMIT 5

-- name: lines
-- One row of a table as a line of JSON.
COPY (SELECT row_to_json(t)::text FROM {table} t) TO STDOUT
