"""Rights that a role should not have: revoked before ``rights`` are granted."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from psycopg.sql import SQL, Composable, Composed, Identifier

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.grants import rights
from dlqconsole.engine.grants.objects import Names, Objects, commas, table
from dlqconsole.engine.sql import sql


def existing_roles(names: Names) -> list[dict[str, Any]]:
    """Return our existing roles, producers too: ``name``, ``excess`` (attributes) and ``member_of``."""
    base = [names.text(role.name) for role in rights.ROLES]
    return fetch_dicts(sql("grants.roles"), {"names": base, "producers": names.text("producer_")})


def from_everybody(names: Names, ours: Objects, database: str, *, keep_temp: bool) -> Iterator[Composed]:
    """Revoke from PUBLIC and from each role of ours, producers too; the owner keeps what it owns."""
    there = existing_roles(names)
    owner = names.text(rights.OWNER.name)
    base = [names.text(role.name) for role in rights.ROLES if role is not rights.OWNER]
    others = sorted({*base, *(row["name"] for row in there)} - {owner})
    yield from _rights([SQL("PUBLIC"), *map(Identifier, others)], ours)
    yield from _places(list(map(Identifier, others)), database, keep_temp=keep_temp)
    for row in there:
        yield from _itself(names, row)


def from_one(names: Names, role: str, ours: Objects, database: str) -> Iterator[Composed]:
    """Revoke from one producer."""
    yield from _rights([Identifier(role)], ours)
    yield from _places([Identifier(role)], database, keep_temp=False)
    for row in existing_roles(names):
        if row["name"] == role:
            yield from _itself(names, row)


def _rights(whom: Sequence[Composable], ours: Objects) -> Iterator[Composed]:
    """Revoke rights on objects. A revoke on a table takes those on its columns with it."""
    functions = commas(SQL(row["signature"]) for row in ours.functions)
    yield SQL("REVOKE ALL ON TABLE {} FROM {}").format(commas(map(table, ours.everything())), commas(whom))
    yield SQL("REVOKE ALL ON SEQUENCE {} FROM {}").format(commas(map(table, ours.sequences)), commas(whom))
    yield SQL("REVOKE ALL ON FUNCTION {} FROM {}").format(functions, commas(whom))


def _places(whom: Sequence[Composable], database: str, *, keep_temp: bool) -> Iterator[Composed]:
    verbs = SQL("CREATE" if keep_temp else "CREATE, TEMPORARY")
    yield SQL("REVOKE {} ON DATABASE {} FROM {}").format(verbs, Identifier(database), commas(whom))
    schema = Identifier(settings.DLQ_SCHEMA)
    yield SQL("REVOKE CREATE ON SCHEMA {} FROM {}").format(schema, commas(whom))


def _itself(names: Names, row: dict[str, Any]) -> Iterator[Composed]:
    """Remove attributes, and memberships in other roles: they would give all rights of those."""
    role = Identifier(row["name"])
    for attribute in row["excess"]:
        yield SQL("ALTER ROLE {} {}").format(role, SQL(attribute))
    for other in row["member_of"]:
        if not _belongs(names, row["name"], other):
            yield SQL("REVOKE {} FROM {}").format(Identifier(other), role)


def _belongs(names: Names, role: str, other: str) -> bool:
    if role == names.text(rights.APP.name):
        return other == rights.WATCHES
    return role.startswith(names.text("producer_")) and other == names.text(rights.PRODUCER.name)
