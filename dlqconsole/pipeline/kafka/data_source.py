"""``format("dlqconsole_kafka")``: topics as a DataFrame or a stream, where Spark has no connector of its own.

The same columns and the same options as ``format("kafka")``. Offsets stand in Spark's checkpoint alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from dlqconsole.pipeline.errors import without_traceback

from .client import Cluster, Place
from .options import KafkaOptions, read_options
from .reading import DataLoss, OffsetRange, at_most, lost_sentence, read_range
from .records import Record

NAME = "dlqconsole_kafka"
SCHEMA = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp,"
    " timestampType int, headers array<struct<key: string, value: binary>>"
)

# offsets as Spark keeps them: by topic, then by partition
type Offsets = dict[str, dict[str, int]]


def register_kafka(spark: Any) -> None:
    """Let this session use ``format("dlqconsole_kafka")``."""
    spark.dataSource.register(KafkaTopics)


class KafkaTopics(DataSource):
    """Topics of Kafka, by confluent-kafka."""

    @classmethod
    def name(cls) -> str:
        """Return the word for ``format``."""
        return NAME

    def schema(self) -> str:
        """The columns of Spark's own connector."""
        return SCHEMA

    @without_traceback
    def reader(self, schema: Any) -> DataSourceReader:
        """Read from the first offsets to the last ones, unless the options say other ones."""
        return _Batch(read_options(dict(self.options), "earliest"))

    @without_traceback
    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """Read from the last offsets on, unless the options say other ones."""
        return _Stream(read_options(dict(self.options), "latest"))


class _Batch(DataSourceReader):
    def __init__(self, options: KafkaOptions) -> None:
        self._options = options

    @without_traceback
    def partitions(self) -> Sequence[InputPartition]:
        """One for each partition that has records."""
        limits = _bounds(self._options)
        ends = {place: self._options.ending.of(*place, *bounds) for place, bounds in limits.items()}
        starts = {place: self._options.starting.of(*place, *bounds) for place, bounds in limits.items()}
        return _inputs(self._options, limits, starts, ends)

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Its rows."""
        return map(_row, read_range(self._options, partition.value))


class _Stream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._end: dict[Place, int] | None = None

    def initialOffset(self) -> Offsets:  # noqa: N802 - Spark's name
        """Return the offsets at which a new query begins."""
        bounds = _bounds(self._options)
        return _as_offsets({place: self._options.starting.of(*place, *at) for place, at in bounds.items()})

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """``maxOffsetsPerTrigger``."""
        return ReadMaxRows(self._options.most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Fix the end now: later records are left to the next start."""
        self._end = self._highest()

    def latestOffset(self, start: Offsets, limit: ReadLimit) -> Offsets:  # noqa: N802 - Spark's name
        """The end of the next batch: no more than the limit, in equal shares of what is there."""
        begin, end = _as_places(start), self._highest() if self._end is None else self._end
        ranges = [
            OffsetRange(*place, begin.get(place, 0), max(at, begin.get(place, 0)))
            for place, at in end.items()
        ]
        if isinstance(limit, ReadMaxRows):
            ranges = at_most(ranges, limit.max_rows)
        return _as_offsets(begin | {(each.topic, each.partition): each.end for each in ranges})

    def partitions(self, start: Offsets, end: Offsets) -> Sequence[InputPartition]:
        """One for each partition that has records between the two."""
        return _inputs(self._options, _bounds(self._options), _as_places(start), _as_places(end))

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Its rows."""
        return map(_row, read_range(self._options, partition.value))

    def commit(self, end: Offsets) -> None:
        """Do nothing: only Spark's checkpoint knows how far it has read."""

    def _highest(self) -> dict[Place, int]:
        return {place: high for place, (_low, high) in _bounds(self._options).items()}


def _bounds(options: KafkaOptions) -> dict[Place, tuple[int, int]]:
    with Cluster(options.client) as cluster:
        return {place: cluster.bounds(*place) for place in cluster.places(options.topics)}


def _inputs(
    options: KafkaOptions,
    bounds: Mapping[Place, tuple[int, int]],
    starts: Mapping[Place, int],
    ends: Mapping[Place, int],
) -> list[InputPartition]:
    """The ranges to read. Raises DataLoss where their beginning is gone and that is an error."""
    inputs = []
    for place, end in sorted(ends.items()):
        low, high = bounds.get(place, (0, 0))
        start = starts.get(place, low)
        if start < low and options.loss_fails:
            raise DataLoss(lost_sentence(f"{place[0]} partition {place[1]}", start, low))
        part = OffsetRange(*place, max(start, low), min(end, high))
        inputs += [InputPartition(part)] if part.size > 0 else []
    return inputs


def _as_offsets(places: Mapping[Place, int]) -> Offsets:
    offsets: Offsets = {}
    for (topic, partition), offset in sorted(places.items()):
        offsets.setdefault(topic, {})[str(partition)] = offset
    return offsets


def _as_places(offsets: Offsets) -> dict[Place, int]:
    return {(topic, int(number)): at for topic, of in offsets.items() for number, at in of.items()}


def _row(record: Record) -> tuple[Any, ...]:
    moment = None if record.timestamp is None else datetime.fromtimestamp(record.timestamp / 1000, UTC)
    return (
        record.key,
        record.value,
        record.topic,
        record.partition,
        record.offset,
        moment,
        record.timestamp_type,
        [(name, value) for name, value in record.headers],
    )
