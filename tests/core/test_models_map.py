"""Django's models map the tables: each field is the column that is there."""

import pytest
from django.apps import apps
from django.db import connection, models

OURS = [model for model in apps.get_models() if model.__module__.startswith("dlqconsole.")]
_COLUMNS = """
SELECT a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod)
    ELSE format_type(a.atttypid, a.atttypmod) END, a.attnotnull,
    d.oid IS NOT NULL OR a.attidentity <> '' AS has_default, a.attgenerated <> '' AS is_generated
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
"""
SHORT = {
    "time without time zone": "time",
    "timestamp with time zone": "timestamptz",
    "character varying": "varchar",
}


@pytest.mark.django_db
@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.db_table)
def test_each_field_is_the_column_that_is_there(model):
    assert not model._meta.managed
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [model._meta.db_table])
        there = {name: Column(*facts) for name, *facts in cursor}
    said = {field.column: Column.of(field) for field in model._meta.concrete_fields if field.column}
    assert said == {name: column for name, column in there.items() if name in said}
    left_out = {name for name, column in there.items() if name not in said and not column.is_optional}
    assert not left_out, "a row that Django makes would lack them"


class Column:
    """Type, null and default, as the database and as the model say it."""

    def __init__(self, kind: str, is_required: bool, has_default: bool, is_generated: bool) -> None:
        self.kind, self.is_required = kind, is_required
        self.has_default = has_default and not is_generated
        self.is_generated = is_generated
        self.is_optional = not is_required or has_default

    @classmethod
    def of(cls, field: models.Field) -> "Column":
        is_generated = isinstance(field, models.GeneratedField)
        is_identity = isinstance(field, models.AutoField | models.BigAutoField)
        kind = field.output_field if is_generated else field
        # of JSON, Django's None is a null of JSON's
        says_none = field.db_default is None and not isinstance(field, models.JSONField)
        has_default = is_identity or (field.has_db_default() and not says_none)
        return cls(kind.db_type(connection), not field.null, has_default, is_generated)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and repr(self) == repr(other)

    __hash__ = None

    def __repr__(self) -> str:
        kind = self.kind
        for long, short in SHORT.items():
            kind = kind.replace(long, short)
        null = "NOT NULL" * (self.is_required and not self.is_generated)
        words = [kind, null, "DEFAULT" * self.has_default]
        return " ".join(filter(None, words))
