"""The objects of the database that are ours, to be granted or kept from others; no others are touched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps

from dlqconsole.core import schema
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.tables.features import feature_folders

MIGRATIONS = "django_migrations"


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
