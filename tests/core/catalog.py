"""What a schema has, as the server says it: to compare two databases, and to look for what has no comment."""

from collections.abc import Iterator
from typing import NamedTuple

import psycopg

_ALL = """
SELECT 'relation' AS kind, c.relname::text AS name, concat_ws(' ', c.relkind, c.relpersistence,
    array_to_string(c.reloptions, ', '), pg_get_partkeydef(c.oid),
    CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END, c.relacl) AS definition,
    CASE WHEN c.relkind = 'c' THEN obj_description(c.reltype, 'pg_type')
        ELSE obj_description(c.oid, 'pg_class') END AS comment
FROM pg_class c
WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind IN ('r', 'p', 'v', 'c', 'S')
    AND NOT c.relispartition
UNION ALL
SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'NOT NULL' END, a.attidentity, a.attgenerated,
    pg_get_expr(d.adbin, d.adrelid)),
    col_description(c.oid, a.attnum)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind IN ('r', 'p', 'c') AND a.attnum > 0
    AND NOT a.attisdropped AND NOT c.relispartition
UNION ALL
SELECT 'domain', t.typname, concat_ws(' ', format_type(t.typbasetype, t.typtypmod), t.typdefault,
    CASE WHEN t.typnotnull THEN 'NOT NULL' END, t.typacl), obj_description(t.oid, 'pg_type')
FROM pg_type t WHERE t.typnamespace = %(schema)s::regnamespace AND t.typtype = 'd'
UNION ALL
SELECT 'constraint', concat(nullif(k.conrelid, 0)::regclass, nullif(k.contypid, 0)::regtype, '.', k.conname),
    pg_get_constraintdef(k.oid), NULL
FROM pg_constraint k WHERE k.connamespace = %(schema)s::regnamespace AND k.conparentid = 0
    AND k.contype <> 'n'
    AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = k.conrelid AND c.relispartition)
UNION ALL
SELECT 'index', c.relname, pg_get_indexdef(c.oid), obj_description(c.oid, 'pg_class')
FROM pg_class c WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind IN ('i', 'I')
    AND NOT c.relispartition
UNION ALL
SELECT 'trigger', c.relname || '.' || t.tgname, concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled), NULL
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = %(schema)s::regnamespace AND NOT t.tgisinternal
    AND NOT c.relispartition
UNION ALL
SELECT 'function', p.oid::regprocedure::text, concat_ws(' ', pg_get_functiondef(p.oid), p.proacl),
    obj_description(p.oid, 'pg_proc')
FROM pg_proc p
WHERE p.pronamespace = %(schema)s::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""


class Thing(NamedTuple):
    """A table, column, constraint, index, trigger or function, with all that is said of it."""

    kind: str
    name: str
    definition: str
    comment: str | None


def catalog(connection: psycopg.Connection, schema: str = "public") -> set[Thing]:
    """All that is in a schema. Neither the order of columns counts, nor partitions: those are of a day."""
    return {Thing(*row) for row in connection.execute(_ALL, {"schema": schema})}


def of_kind(things: set[Thing], *kinds: str) -> Iterator[Thing]:
    """Those of some kinds, by name."""
    return (thing for thing in sorted(things) if thing.kind in kinds)
