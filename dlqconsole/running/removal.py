"""The way out: what is there as JSON Lines, then everything of ours dropped. For one transaction."""

import gzip
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection as of_the_project

from dlqconsole.core import schema
from dlqconsole.core.named_sql import copy_rows, execute, fetch_column, load
from dlqconsole.core.schema import quoted
from dlqconsole.engine.grants import objects
from dlqconsole.engine.grants.objects import Objects
from dlqconsole.hosting.database import connection
from dlqconsole.tables.features import feature_folders

# what people have put there, or done there
EXPORTED = ("dlq_events", "dlq_attempts", "payload_versions", "message_queue", "audit_log")
_OWN_SETTINGS = "dlqconsole.own_urls"
# whoever is in a table yet has so long to leave it
_LOCK = "SET LOCAL lock_timeout = '10s'; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE"

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))


def keep_others_out() -> None:
    """Lock what is exported until the transaction ends: what came after it would be lost."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK.format(", ".join(map(_name, EXPORTED))))


def export(folder: Path) -> dict[str, int]:
    """Write a file for each table, for its owner alone; return the rows by file. The folder is new."""
    folder.mkdir(mode=0o700, parents=True)
    return {file.name: _export(table, file) for table in EXPORTED for file in [folder / f"{table}.jsonl.gz"]}


def leaning() -> list[str]:
    """Return what others have built upon our tables: dropping these would take it along."""
    there = _ours()
    values = {"ours": _names(there.relations), "types": _names(there.types)}
    return [str(name) for name in fetch_column(sql("removal.leaning"), values)]


def drop() -> list[str]:
    """Drop everything of ours, and its schema if nothing else is in it; return what is left there."""
    if is_guest():
        _forget_migrations()
    there = _ours()
    _drop("VIEW", [_name(name) for name in there.views()])
    _drop("TABLE", [_name(name) for name in there.tables()])
    # what an index computed is free only now
    there = _ours()
    _drop("ROUTINE", [str(row["signature"]) for row in there.functions])
    _drop("TYPE", _names(there.types))
    left = [str(name) for name in fetch_column(sql("removal.left_in_schema"), {})]
    if not left and settings.DLQ_SCHEMA != "public":
        execute(f"DROP SCHEMA {quoted(settings.DLQ_SCHEMA)}", {})
    return left


def is_guest() -> bool:
    """Tell whether this is somebody else's Django project, whose accounts and migrations are its own."""
    return bool(settings.ROOT_URLCONF != _OWN_SETTINGS)


def _ours() -> Objects:
    names = schema.names(feature_folders()) | {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if not is_guest() or model._meta.app_config.name.startswith("dlqconsole.")
    }
    if not is_guest():
        names.add(objects.MIGRATIONS)
    return objects.among(names)


def _forget_migrations() -> None:
    labels = [app.label for app in apps.get_app_configs() if app.name.startswith("dlqconsole.")]
    with of_the_project.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = ANY (%s)", [labels])


def _drop(kind: str, names: Sequence[str]) -> None:
    if names:
        execute(f"DROP {kind} IF EXISTS {', '.join(names)} CASCADE", {})


def _name(table: str) -> str:
    return f"{quoted(settings.DLQ_SCHEMA)}.{quoted(table)}"


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [_name(row["name"]) for row in rows]


def _export(table: str, file: Path) -> int:
    statement = sql("removal.lines").format(table=_name(table))
    count = 0
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with (
        os.fdopen(descriptor, "wb") as out,
        gzip.open(out, "wt", encoding="utf-8") as lines,
        connection.cursor() as cursor,
        copy_rows(cursor, statement) as copy,
    ):
        copy.set_types(["text"])
        for (line,) in copy.rows():
            lines.write(f"{line}\n")
            count += 1
    return count
