"""The objects of the database that are ours, to be granted or kept from others, and the names of roles."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.conf import settings
from psycopg.sql import SQL, Composable, Composed, Identifier

from dlqconsole.core import schema
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.grants.rights import Role
from dlqconsole.engine.sql import sql
from dlqconsole.tables.features import feature_folders

MIGRATIONS = "django_migrations"

# PostgreSQL cuts longer names without a word
LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class Objects:
    """Rows of ``grants.sql``: names, owners, and for functions their signatures."""

    relations: list[dict[str, Any]]
    sequences: list[str]
    functions: list[dict[str, Any]]
    types: list[dict[str, Any]]

    def tables(self) -> list[str]:
        """Return tables by name, without partitions."""
        return [row["name"] for row in self.relations if not row["is_view"] and row["root"] == row["name"]]

    def views(self) -> list[str]:
        """Return views by name."""
        return [row["name"] for row in self.relations if row["is_view"]]

    def everything(self) -> list[str]:
        """Return tables, views, and partitions with a grant, by name."""
        return [row["name"] for row in self.relations if row["root"] == row["name"] or row["is_granted"]]

    def called(self) -> list[dict[str, Any]]:
        """Return functions that a statement can call: no trigger's."""
        return [row for row in self.functions if not row["is_trigger"]]


def ours() -> Objects:
    """Return our objects in the database that Django is connected to."""
    return among(set(_names()))


def among(names: set[str]) -> Objects:
    """Return those of these names that are there."""
    return Objects(
        relations=[row for row in fetch_dicts(sql("grants.relations"), {}) if row["root"] in names],
        sequences=[row["name"] for row in fetch_dicts(sql("grants.sequences"), {}) if row["root"] in names],
        functions=[row for row in fetch_dicts(sql("grants.functions"), {}) if row["name"] in names],
        types=[row for row in fetch_dicts(sql("grants.types"), {}) if row["name"] in names],
    )


def _names() -> Iterator[str]:
    yield MIGRATIONS
    yield from schema.names(feature_folders())
    for model in apps.get_models(include_auto_created=True):
        yield model._meta.db_table


@dataclass(frozen=True, slots=True)
class Names:
    """The names of roles: ``dlq_app`` with the prefix ``dlq_``. ValueError: one is too long."""

    prefix: str

    def of(self, role: Role) -> Identifier:
        """Return a role of ``rights``, quoted."""
        return Identifier(self.text(role.name))

    def text(self, name: str) -> str:
        """Return the whole name: the prefix and the rest."""
        whole = self.prefix + name
        if whole.startswith("pg_"):
            raise ValueError(f"The role {whole!r} cannot be: names that begin with pg_ are PostgreSQL's own.")
        if len(whole.encode()) > LONGEST_NAME or "\x00" in whole:
            raise ValueError(f"The role {whole!r} is longer than {LONGEST_NAME} bytes: choose a shorter one.")
        return whole


def table(name: str) -> Composed:
    """Return a table, view or sequence of ours, quoted."""
    return SQL("{}.{}").format(Identifier(settings.DLQ_SCHEMA), Identifier(name))


def commas(parts: Iterable[Composable]) -> Composed:
    """Join parts with commas."""
    return SQL(", ").join(parts)
