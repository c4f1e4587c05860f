"""Items from the rows of a frame: events of anybody, and records of topics as the ingest reads them.

A frame with the columns of Spark's own Kafka connector is one of records.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from dlqconsole.pipeline.kafka.items import Destinations, item_of_record
from dlqconsole.pipeline.kafka.records import RawHeaders, Record, as_notation
from dlqconsole.pipeline.sink.items import EventLine, EventOrigin, Item, item_of
from dlqconsole.pipeline.sources.lines import HEAD_BYTES, KEEP_BYTES
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed

from .frame import FrameShape

# source and type of the events of a frame that names neither
SOURCE, TYPE = "spark", "events"


@dataclass(frozen=True, slots=True)
class Naming:
    """The identity of events that do not name themselves; ``queue``: where a revive sends them.

    ``revive_to``: the topic to which one sends what failed at somebody else's consumer of Kafka.
    """

    source: str = SOURCE
    event_type: str = TYPE
    queue: str | None = None
    revive_to: str = "origin"


@dataclass(slots=True)
class Row:
    """One row. A failure makes it a dead letter without a handler."""

    value: bytes | None
    source: str | None = None
    type: str | None = None
    key: str | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    failure: Failed | None = None


def rows_of(batch: Any, shape: FrameShape) -> Iterator[Row]:
    """The rows of an Arrow batch."""
    columns = _Columns(batch, shape)
    return map(
        Row,
        columns.values("value"),
        columns.texts("source"),
        columns.texts("type"),
        columns.texts("key"),
        map(_as_dict, columns.headers()),
    )


def records_of(batch: Any, shape: FrameShape) -> Iterator[tuple[Record, str | None]]:
    """The records of an Arrow batch, each with the type that its row says."""
    columns = _Columns(batch, shape)
    for event_type, topic, partition, offset, *rest in zip(
        columns.texts("type"),
        columns.texts("topic"),
        columns.numbers("partition"),
        columns.numbers("offset"),
        columns.values("key"),
        columns.values("value"),
        columns.headers(),
        columns.milliseconds("timestamp"),
        strict=True,
    ):
        yield Record(topic or "", partition or 0, offset or 0, *rest), event_type or None


def item_of_row(row: Row, naming: Naming, limits: Limits) -> Item | None:
    """Return the item of a row; None where its value is NULL, for there is no event in it.

    A CloudEvent names itself. Else a row with a key is known by that, and a row without by the hash of its
    type and value: two that are equal are one event.
    """
    if row.value is None:
        return None
    event_type, source = row.type or naming.event_type, row.source or naming.source
    key = row.key or _hash(event_type, row.value)
    origin = EventOrigin(source, source, event_type)
    item = item_of(_line(row.value), origin, key, row.headers, limits, row.failure)
    item.queue = naming.queue
    return item


def item_of_frame_record(
    record: Record, event_type: str | None, naming: Naming, limits: Limits
) -> Item | None:
    """Return the item of a record: an event, or somebody else's dead letter; None for a tombstone.

    A row that names no type is of the one that was said for all, else of its topic's name. Only who brings
    us frames has the address of the brokers: no payload is fetched.
    """
    default_type = None if naming.event_type == TYPE else naming.event_type
    to = Destinations(naming.revive_to)
    return item_of_record(record, limits, to, lambda *_place: None, event_type or default_type)


def _line(value: bytes) -> EventLine:
    """Return its bytes; only the beginning of a value that is too long to keep."""
    if len(value) <= KEEP_BYTES:
        return EventLine(value)
    return EventLine(value[:HEAD_BYTES], size=len(value), sha256=sha256(value).hexdigest())


def _hash(event_type: str, value: bytes) -> str:
    return sha256(event_type.encode("utf-8", "surrogatepass") + b"\x00" + value).hexdigest()


def _as_dict(headers: RawHeaders) -> dict[str, str | None]:
    """The headers of a row as text: of two of one name the later holds."""
    return {name.replace("\x00", "\ufffd"): as_notation(value) for name, value in headers if value}


class _Columns:
    """The columns of an Arrow batch as Python's values: one that the frame does not have is NULL."""

    def __init__(self, batch: Any, shape: FrameShape) -> None:
        self._batch, self._names = batch, shape.columns
        self._nothing: list[Any] = [None] * batch.num_rows

    def values(self, name: str) -> list[bytes | None]:
        """The bytes of a binary or string column."""
        return _bytes(self._batch.column(name)) if name in self._names else self._nothing

    def texts(self, name: str) -> list[str | None]:
        """A column as text: strings, bytes, or whole numbers."""
        return _texts(self._batch.column(name)) if name in self._names else self._nothing

    def numbers(self, name: str) -> list[int | None]:
        return self._batch.column(name).to_pylist() if name in self._names else self._nothing

    def milliseconds(self, name: str) -> list[int | None]:
        """The moments of a column, in milliseconds since 1970."""
        if name not in self._names:
            return self._nothing
        import pyarrow as pa

        return [
            None if moment is None else moment // 1_000
            for moment in self._batch.column(name)
            .cast(pa.timestamp("us", "UTC"))
            .cast(pa.int64())
            .to_pylist()
        ]

    def headers(self) -> list[RawHeaders]:
        """The headers of each row in their order, from a map, or from Kafka's list of key and value."""
        if "headers" not in self._names:
            return [()] * len(self._nothing)
        import pyarrow as pa

        column = self._batch.column("headers")
        if pa.types.is_map(column.type):
            names, values = _texts(column.keys), _bytes(column.items)
        else:
            entries = column.values
            names, values = _texts(entries.field("key")), _bytes(entries.field("value"))
        offsets, is_valid = column.offsets.to_pylist(), column.is_valid().to_pylist()
        return [
            _pairs(names[start:end], values[start:end]) if there else ()
            for start, end, there in zip(offsets, offsets[1:], is_valid, strict=False)
        ]


def _bytes(column: Any) -> list[bytes | None]:
    """The bytes of a column: a string of Spark need not be UTF-8."""
    import pyarrow as pa

    wide = pa.types.is_large_string(column.type)
    if wide or pa.types.is_string(column.type):
        column = column.cast(pa.large_binary() if wide else pa.binary())
    values: list[bytes | None] = column.to_pylist()
    return values


def _texts(column: Any) -> list[str | None]:
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return [None if value is None else str(value) for value in column.to_pylist()]
    return [as_notation(value) for value in _bytes(column)]


def _pairs(names: list[str | None], values: list[bytes | None]) -> RawHeaders:
    return tuple((name, value) for name, value in zip(names, values, strict=True) if name)
