"""The columns that a frame must and may have, checked before any job starts."""

from dataclasses import dataclass
from typing import Any

from dlqconsole.pipeline.errors import BadRequest

TEXTS = ("string", "binary")
KEYS = (*TEXTS, "tinyint", "smallint", "int", "bigint")
HEADERS = (
    "map<string,string>",
    "map<string,binary>",
    "array<struct<key:string,value:string>>",
    "array<struct<key:string,value:binary>>",
)
# the place of a record, by the names of Spark's own Kafka source
PLACE = {"topic": TEXTS, "partition": ("int", "bigint"), "offset": ("int", "bigint")}
# … and when it was written; of another type it is somebody's own column
MOMENT = {"timestamp": "timestamp"}
COLUMNS = {"value": TEXTS, "source": TEXTS, "type": TEXTS, "key": KEYS, "headers": HEADERS}


@dataclass(frozen=True, slots=True)
class FrameShape:
    """The columns that a frame has. ``of_kafka``: topic, partition and offset identify its events."""

    columns: tuple[str, ...]
    of_kafka: bool


def is_stream(df: Any) -> bool:
    """Tell whether a DataFrame is one of a stream. Raises BadRequest: it is no DataFrame."""
    if not hasattr(df, "isStreaming"):
        raise BadRequest(f"this takes a DataFrame of Spark, not {type(df).__name__}")
    return bool(df.isStreaming)


def shape_of(schema: Any, source: str | None = None) -> FrameShape:
    """Check the schema of a frame whose events, where they name no source, are of ``source``.

    Raises BadRequest: a column is missing, or of another type; a key without a source.
    """
    types = _types(schema)
    if "value" not in types:
        raise BadRequest(
            f"the frame has no column value, with the bytes of each event: it has {', '.join(types)}."
            " to_json(struct('*')).cast('binary') makes one of all columns"
        )
    of_kafka = all(name in types for name in PLACE)
    columns: dict[str, tuple[str, ...]] = COLUMNS | PLACE if of_kafka else COLUMNS
    for name in columns.keys() & types.keys():
        _check_type(name, types[name], columns[name])
    if "key" in types and not (of_kafka or source or "source" in types):
        raise BadRequest("the frame has keys: say whose they are, by source=… or by a column source")
    moments = {name for name, kind in MOMENT.items() if of_kafka and types.get(name) == kind}
    return FrameShape(tuple(name for name in types if name in columns or name in moments), of_kafka)


def _types(schema: Any) -> dict[str, str]:
    return {
        field.name: field.dataType.simpleString().partition("(")[0].replace("varchar", "string")
        for field in schema.fields
    }


def _check_type(name: str, kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise BadRequest(f"the column {name} is of type {kind}: it must be {', '.join(kinds)}")
