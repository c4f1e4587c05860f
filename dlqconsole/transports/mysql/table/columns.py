"""The columns of another program's queue table, by the names that it gives them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.transports.sql import sql

NEEDED = ("id", "message", "owner", "dequeued_time")
OPTIONAL = ("attempts", "headers", "created_at")
# what our tokens need, and every name in MySQL
OWNER_LENGTH = 36
_NAME = re.compile(r"[A-Za-z0-9_$]{1,64}")


@dataclass(frozen=True, slots=True)
class QueueTable:
    """A table and its columns. ``timeout``: the seconds after which its consumers take a message over."""

    name: str
    columns: Mapping[str, str]
    timeout: int

    def column(self, ours: str) -> str:
        """Return what the table calls a column; empty where it has none such."""
        return self.columns.get(ours, "" if ours in OPTIONAL else ours)

    def within(self, query: str) -> str:
        """Return the named query on this table."""
        text = sql(f"mysql_table.{query}")
        for part in ("listed", "row", "free"):
            text = text.replace("{" + part + "}", sql(f"mysql_table.{part}"))
        return self._put_columns(text).replace("{timeout}", str(self.timeout))

    def _put_columns(self, text: str) -> str:
        attempts = self.column("attempts")
        places = {name: f"`{self.column(name)}`" for name in NEEDED} | {
            "table": f"`{self.name}`",
            "attempts": f"`{attempts}`" if attempts else "0",
            "headers": f"`{self.column('headers')}`" if self.column("headers") else "NULL",
            "created_at": f"`{self.column('created_at')}`" if self.column("created_at") else "NULL",
            "count": f", `{attempts}` = `{attempts}` + 1" if attempts else "",
            "uncount": f", `{attempts}` = GREATEST(`{attempts}`, 1) - 1" if attempts else "",
            "and_headers": f", `{self.column('headers')}`" if self.column("headers") else "",
            "its_headers": ", %(headers)s" if self.column("headers") else "",
        }
        for name, place in places.items():
            text = text.replace("{" + name + "}", place)
        return text


def check_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the mapping, if there are such columns. Raises InvalidQueue."""
    known = (*NEEDED, *OPTIONAL)
    if unknown := sorted(set(columns) - set(known)):
        raise InvalidQueue(f"No column {unknown[0][:60]!r} can be mapped. These can: {', '.join(known)}.")
    if wrong := [name for name in columns.values() if not _NAME.fullmatch(name)]:
        raise InvalidQueue(f"A column's name has letters, digits, _ and $ only, not {wrong[0][:60]!r}.")
    return dict(columns)


def check_table(name: str) -> str:
    """Return the name, if a table may have it. Raises UnknownQueue."""
    if not _NAME.fullmatch(name):
        raise UnknownQueue(
            f"A table's name has letters, digits, _ and $ only, not {name[:60]!r}: leave out its database."
        )
    return name


def check_there(table: QueueTable, there: Mapping[str, int | None], engine: str | None) -> None:
    """Check the table against its columns, each with the length of its texts. Raises UnknownQueue."""
    if engine is None:
        raise UnknownQueue(f"There is no table {table.name!r} in this database that its account may see.")
    if engine.lower() != "innodb":
        raise UnknownQueue(
            f"The table {table.name!r} is kept by {engine}, which has no transactions: only InnoDB's can be"
            " attached."
        )
    names = {name: table.column(name) for name in (*NEEDED, *OPTIONAL) if table.column(name)}
    if missing := [theirs for theirs in names.values() if theirs not in there]:
        raise UnknownQueue(
            f"The table {table.name!r} has no column {missing[0]!r}; it has {', '.join(sorted(there))}."
            " Say which is which: --columns message=payload,…"
        )
    length = there[names["owner"]]
    if length is not None and length < OWNER_LENGTH:
        raise UnknownQueue(
            f"The column {names['owner']!r} of {table.name!r} holds {length} characters; a claim needs"
            f" {OWNER_LENGTH}."
        )
