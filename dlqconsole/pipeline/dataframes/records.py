"""Records of a topic in a frame, with the columns of Spark's own Kafka connector: read as our ingest does."""

from collections.abc import Iterator
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.kafka.destinations import ORIGIN, RETRY, Destinations, check_choice
from dlqconsole.pipeline.kafka.items import item_of_record
from dlqconsole.pipeline.kafka.records import Record
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.processing.limits import Limits

from .frame import FrameShape
from .rows import TYPE, Naming
from .texts import pairs_of, texts_of, values_of


def records_of(batch: Any, shape: FrameShape) -> Iterator[tuple[Record, str | None]]:
    """The records of an Arrow batch, each with the type that its row says."""
    nothing: list[Any] = [None] * batch.num_rows

    def column(name: str, read: Any) -> list[Any]:
        return read(batch.column(name)) if name in shape.columns else nothing

    types = column("type", texts_of)
    columns = (
        column("topic", texts_of),
        column("partition", _numbers),
        column("offset", _numbers),
        column("key", values_of),
        column("value", values_of),
        column("headers", pairs_of),
        column("timestamp", _milliseconds),
    )
    for event_type, (topic, partition, offset, key, value, headers, moment) in zip(
        types, zip(*columns, strict=True), strict=True
    ):
        record = Record(topic or "", partition or 0, offset or 0, key, value, headers or (), moment)
        yield record, event_type or None


def item_of_frame_record(
    record: Record, event_type: str | None, naming: Naming, limits: Limits
) -> Item | None:
    """Its item: an event, or somebody else's dead letter; None for a tombstone.

    A row that names no type is of the one that was said for all, else of its topic's name.
    """
    default_type = None if naming.event_type == TYPE else naming.event_type
    to = Destinations(naming.revive_to)
    return item_of_record(record, limits, to, _nobody_fetches, event_type or default_type)


def check_revive_to(choice: str | None) -> str:
    """Check where revives of others' dead letters go; the topic of origin by default. Raises BadRequest."""
    if choice == RETRY:
        raise BadRequest(
            "revive_to='retry' looks for a topic, and a frame tells of none: name one, like '{topic}-retry'"
        )
    return check_choice(choice or ORIGIN, "revive_to")


def _nobody_fetches(topic: str, partition: int, offset: int) -> Record | None:
    """Fetch nothing: only who brings us frames has the address of the brokers."""
    return None


def _numbers(column: Any) -> list[int | None]:
    numbers: list[int | None] = column.to_pylist()
    return numbers


def _milliseconds(column: Any) -> list[int | None]:
    import pyarrow as pa

    moments = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    return [None if moment is None else moment // 1000 for moment in moments.to_pylist()]
