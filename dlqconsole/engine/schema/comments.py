"""The comments as statements, so that a database made from the file shows them in psql, too."""

from collections.abc import Iterable, Iterator

from dlqconsole.engine.schema.catalog import Catalog, Row
from dlqconsole.engine.schema.wording import quoted


def comments(catalog: Catalog, name: str) -> Iterator[str]:
    """COMMENT ON statements for one table, view, type or function, and for what belongs to it."""
    yield from _of("TABLE", catalog.tables.get(name, ()))
    yield from _of("VIEW", catalog.views.get(name, ()))
    yield from _of("TYPE", catalog.types.get(name, ()))
    yield from _of("FUNCTION", catalog.functions.get(name, ()), "signature")
    for column in catalog.columns.get(name, ()):
        if column["own"]:
            yield from _of("COLUMN", [column | {"name": f"{name}.{column['name']}"}])
    yield from _of("INDEX", (row for row in catalog.constraints.get(name, ()) if row["indexed"]))
    yield from _of("INDEX", catalog.indexes.get(name, ()))


def _of(kind: str, rows: Iterable[Row], called: str = "name") -> Iterator[str]:
    for row in rows:
        if row["comment"]:
            yield f"COMMENT ON {kind} {row[called]} IS {quoted(row['comment'])};"
