"""Comparing the audit log's tables with the migrations: their owner could hide rows without a change.

Row security, a rule, or a view in the table's place shows other rows to the console than to who verifies.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.models import AuditEntry, AuditSeal
from dlqconsole.engine.sql import sql

MODELS = {model._meta.db_table: model for model in (AuditEntry, AuditSeal)}
KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table", "p": "a partitioned table"}
# as pg_trigger.tgtype has it: before each UPDATE or DELETE of a row, before TRUNCATE
TRIGGERS = {
    f"{table}_refuse{ending}": (table, kind)
    for table in MODELS
    for ending, kind in (("", 27), ("_truncate", 34))
}
REFUSING = (
    "BEGIN RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP"
    " USING ERRCODE = 'insufficient_privilege'; END"
)


def problems() -> list[str]:
    """Return a sentence for each difference; none without tables: nothing was migrated."""
    rows = fetch_dicts(sql("sealing.tables"), {"names": list(MODELS)})
    if not any(table["kind"] for table in rows):
        return []
    sentences = [sentence for table in rows for sentence in _of_table(table)]
    return [*sentences, *_of_triggers(), *_of_function()]


def _of_table(table: Mapping[str, Any]) -> Iterator[str]:
    name, kind = table["name"], table["kind"]
    if kind is None:
        yield f"there is no table {_ours(name)} any more"
        return
    if not table["comes_first"]:
        yield f"{name} is another table than {_ours(name)}: by the search_path of this session"
    yield from (f"{name} has no column {column} any more" for column in _missing(name, table["columns"]))
    if kind != "r":
        yield f"{_ours(name)} is {KINDS.get(kind, 'something else')}, and no ordinary table"
        return
    if table["temporary"]:
        yield f"{name} is not kept when the server crashes: it is UNLOGGED"
    if table["row_security"]:
        yield f"{name} has row security, which hides rows"
    yield from (f"{name} has a policy: {policy}" for policy in table["policies"])
    yield from (f"{name} has a rule: {rule}" for rule in table["rules"])
    yield from (f"{name} inherits, from or to {other}" for other in table["relatives"])


def _ours(name: str) -> str:
    return f"{settings.DLQ_SCHEMA}.{name}"


def _missing(name: str, columns: Sequence[str]) -> list[str]:
    ours = (field.column or field.name for field in MODELS[name]._meta.concrete_fields)
    return [column for column in ours if column not in columns]


def _of_triggers() -> Iterator[str]:
    triggers = fetch_dicts(sql("sealing.triggers"), {"names": list(MODELS)})
    there = {(trigger["table"], trigger["name"]) for trigger in triggers}
    for name, (table, _kind) in TRIGGERS.items():
        if (table, name) not in there:
            yield f"{table} has no trigger {name} any more"
    for trigger in triggers:
        table, name = trigger["table"], trigger["name"]
        if TRIGGERS.get(name, ("", 0))[0] != table:
            yield f"{table} has a trigger that is not ours: {name}"
        elif (table, trigger["kind"]) != TRIGGERS[name] or not trigger["refuses"]:
            yield f"the trigger {name} of {table} was changed"
        elif trigger["enabled"] != "A":
            yield f"the trigger {name} of {table} is not ENABLE ALWAYS"


def _of_function() -> Iterator[str]:
    bodies = fetch_column(sql("sealing.refusing"), {})
    if [" ".join(body.split()) for body in bodies] != [REFUSING]:
        yield "the function audit_log_refuse() was changed, or is gone"
