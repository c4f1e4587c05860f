"""The rules for a row: SQL expressions, and JSON Schemas. Each row says which of them it fails."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.schemas import Schema

# the rows of a job as Spark writes them: a NULL is there, and not left out
AS_JSON = {"ignoreNullFields": "false"}
# of one row, that a sentence tells of
MOST_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """A schema, as text, for one column or, where none is named, for the row."""

    text: str
    column: str | None = None


# a column of Spark's is what an expression is, too
type Rule = str | JsonSchema | Any


def json_schema(schema: dict[str, Any] | bool, column: str | None = None) -> JsonSchema:
    """A rule: the JSON in a column (string or binary), or the whole row as JSON, fits a JSON Schema.

    Raises BadRequest: it is no schema.
    """
    try:
        Schema(schema)
    except HandlerSetupError as error:
        raise BadRequest(str(error)) from error
    return JsonSchema(orjson.dumps(schema).decode(), column)


def failed_rules(frame: Any, rules: Mapping[str, Rule]) -> Any:
    """A column: which rules a row fails, a sentence each. Raises BadRequest, naming the rule."""
    from pyspark.sql import functions

    sentences = [_failure(frame, name, rule) for name, rule in rules.items()]
    return functions.array_compact(functions.array(*sentences))


def row_as_json(frame: Any, *left_out: str) -> Any:
    """A column: the whole row as JSON, without some columns."""
    from pyspark.sql import functions

    columns = [name for name in frame.columns if name not in left_out]
    return functions.to_json(functions.struct(*(quoted(name) for name in columns)), AS_JSON)


def check(frame: Any, what: str, **columns: Any) -> None:
    """Have Spark look at columns without running anything. Raises BadRequest, beginning with ``what``."""
    try:
        # beside the others: what would make one row of all is refused
        schema = frame.select("*", *(column.alias(name) for name, column in columns.items())).schema
        result_fields = schema.fields[-len(columns) :]
    except Exception as error:
        raise BadRequest(f"{what}: {str(error).strip().splitlines()[0][:500]}") from error
    for field in result_fields:
        if field.name == "rule" and field.dataType.simpleString() not in ("boolean", "void"):
            raise BadRequest(f"{what}: it is {field.dataType.simpleString()}, and must be true or false")


def _failure(frame: Any, name: str, rule: Rule) -> Any:
    from pyspark.sql import functions

    if isinstance(rule, JsonSchema):
        value = row_as_json(frame) if rule.column is None else functions.col(quoted(rule.column))
        check(frame, f"the rule {name!r}", value=value)
        return _misfit(name, rule.text)(value.cast("binary"))
    passes = functions.expr(rule) if isinstance(rule, str) else rule
    # a column has no words that a person would write
    words = f": {rule}" if isinstance(rule, str) else ""
    check(frame, f"the rule {f'{name}{words}'!r}", rule=passes)
    sentence = functions.lit(f"{name}{words}")
    # a rule that is neither true nor false has not been kept
    return functions.when(~functions.coalesce(passes, functions.lit(False)), sentence)


def _misfit(name: str, schema: str) -> Any:
    import pyarrow as pa
    from pyspark.sql.pandas.functions import arrow_udf

    def misfits(values: Any) -> Any:
        return pa.array([sentence_of(name, schema, value) for value in values.to_pylist()], pa.string())

    misfits.__annotations__ = {"values": pa.Array, "return": pa.Array}  # by which Spark knows its kind
    udf: Any = arrow_udf
    return udf(misfits, "string")


def sentence_of(name: str, schema: str, value: bytes | None) -> str | None:
    """Return why a JSON text does not fit; None where it does."""
    if value is None:
        return f"{name}: it is NULL"
    document = decode(value)
    if document.state != "ok":
        return f"{name}: {document.problem}"
    problems = _compile(schema).problems(document.value)
    objections = ", ".join(f"{at or '/'}: {why}" for at, why in problems[:MOST_PROBLEMS])
    return f"{name}: {objections}" if problems else None


@lru_cache(maxsize=8)
def _compile(schema: str) -> Schema:
    return Schema(orjson.loads(schema))


def quoted(name: str) -> str:
    """A column's name as SQL reads it."""
    return "`" + name.replace("`", "``") + "`"
