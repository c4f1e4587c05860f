"""Items from the rows of a frame."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.sink.items import EventLine, EventOrigin, Item, item_of
from dlqconsole.pipeline.sources.lines import HEAD_BYTES, KEEP_BYTES
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed

from .frame import FrameShape
from .texts import headers_of, texts_of, values_of

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

    def __post_init__(self) -> None:
        for name, value in {"source": self.source, "type": self.event_type}.items():
            if "\0" in value:
                raise BadRequest(
                    f"{name}={value!r} holds a NUL character, which no text of PostgreSQL can hold"
                )


@dataclass(slots=True)
class Row:
    """One row. A failure makes it a dead letter without a handler."""

    value: bytes | None
    source: str | None = None
    type: str | None = None
    key: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    failure: Failed | None = None


def rows_of(batch: Any, shape: FrameShape) -> Iterator[Row]:
    """The rows of an Arrow batch."""
    count = batch.num_rows
    nothing: list[Any] = [None] * count

    def texts(name: str) -> list[Any]:
        return texts_of(batch.column(name)) if name in shape.columns else nothing

    headers = headers_of(batch.column("headers")) if "headers" in shape.columns else [{} for _ in nothing]
    columns = (values_of(batch.column("value")), texts("source"), texts("type"), texts("key"), headers)
    yield from map(Row, *columns)


def item_of_row(row: Row, naming: Naming, limits: Limits) -> Item | None:
    """Return the item of a row; None where its value is NULL, for there is no event in it.

    A CloudEvent names itself. Else a row with a key is known by that, and a row without by the hash of its
    type and value: two that are equal are one event.
    """
    if row.value is None:
        return None
    event_type, source = row.type or naming.event_type, row.source or naming.source
    key = row.key or _hash(event_type, row)
    origin = EventOrigin(source, source, event_type)
    item = item_of(_line(row.value), origin, key, row.headers, limits, row.failure)
    item.queue = naming.queue
    return item


def _line(value: bytes) -> EventLine:
    """Return its bytes; only the beginning of a value that is too long to keep."""
    if len(value) <= KEEP_BYTES:
        return EventLine(value)
    return EventLine(value[:HEAD_BYTES], size=len(value), sha256=sha256(value).hexdigest())


def _hash(event_type: str, row: Row) -> str:
    return sha256(event_type.encode("utf-8", "surrogatepass") + b"\x00" + (row.value or b"")).hexdigest()
