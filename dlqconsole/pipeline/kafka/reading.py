"""Read records by position, a range or a single one: nobody joins a group, nothing is committed there."""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from dlqconsole.pipeline.errors import PipelineProblem

from .client import KafkaAway, consumer, library, servers, words
from .options import KafkaOptions
from .records import Record

PAGE = 1_000
WAIT_SECONDS = 0.25
# a broker that says nothing for so long is away
SILENT_SECONDS = 60.0
FETCH_SECONDS = 5.0


class DataLoss(PipelineProblem):
    """Records were gone before they were read: their time was over, or the topic was made anew."""


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets from ``start`` up to, not with, ``end``.

    ``lost_count``: how many offsets before ``start`` were gone before anybody read them.
    """

    topic: str
    partition: int
    start: int
    end: int
    lost_count: int = 0

    @property
    def size(self) -> int:
        """The number of offsets; of a compacted topic there may be fewer records."""
        return self.end - self.start


def at_most(ranges: Sequence[OffsetRange], most: int) -> list[OffsetRange]:
    """The same, of ``most`` offsets in all, in equal shares of what is there; one for each at least."""
    total = sum(each.size for each in ranges)
    if total <= most:
        return list(ranges)
    return [replace(each, end=each.start + max(1, each.size * most // total)) for each in ranges]


def read_range(options: KafkaOptions, part: OffsetRange) -> Iterator[Record]:
    """The records of a range, in order. Raises DataLoss, KafkaAway."""
    with Reading(options, part) as reading:
        yield from reading.records()


class Reading(AbstractContextManager["Reading"]):
    """Reads one range. ``lost``: how many records were gone, though they were there when it was made.

    It ends where the position is: the last offsets of a range may hold no record at all. A compacted topic
    has gaps, a transactional one has offsets that only mark a commit.
    """

    def __init__(self, options: KafkaOptions, part: OffsetRange) -> None:
        self._options, self._range = options, part
        self._position, self.lost = part.start, 0
        self._client = consumer(options.client)

    def __exit__(self, *_error: object) -> None:
        self._client.close()

    def records(self) -> Iterator[Record]:
        """The records, in order. Raises DataLoss, KafkaAway."""
        self._assign(self._position)
        heard = time.monotonic()
        while self._position < self._range.end:
            # it waits until so many are there: never for more than there can be
            page = self._client.consume(min(PAGE, self._range.end - self._position), WAIT_SECONDS)
            for message in page:
                yield from self._take(message)
            if any(message.error() is None for message in page):
                heard = time.monotonic()
            elif time.monotonic() - heard > SILENT_SECONDS:
                raise KafkaAway(f"{servers(self._options.client)} does not answer")

    def _take(self, message: Any) -> Iterator[Record]:
        if self._position >= self._range.end:
            return
        if message.error() is not None:
            self._handle_error(message.error(), message.offset())
        elif message.offset() >= self._range.end:
            self._position = self._range.end
        else:
            self._position = message.offset() + 1
            yield Record.of(message)

    def _handle_error(self, error: Any, offset: int) -> None:
        codes, where = library().KafkaError, f"{self._range.topic} partition {self._range.partition}"
        if error.code() == codes._PARTITION_EOF:
            if offset < self._range.end:
                raise DataLoss(f"{where} ends at {offset:,} now, before {self._range.end:,}")
            self._position = self._range.end
        elif error.code() in (codes._AUTO_OFFSET_RESET, codes.OFFSET_OUT_OF_RANGE):
            self._skip(where)
        elif error.fatal() or not (error.retriable() or _is_of_the_line(error)):
            raise PipelineProblem(f"{where} cannot be read: {words(error)}")

    def _skip(self, where: str) -> None:
        """Pass over records that are gone: their time was over since the range was made."""
        place = library().TopicPartition(self._range.topic, self._range.partition)
        low, _high = self._client.get_watermark_offsets(place, SILENT_SECONDS)
        if self._options.loss_fails or low <= self._position:
            raise DataLoss(lost_sentence(where, self._position, low))
        self.lost += min(low, self._range.end) - self._position
        self._position = low
        if low < self._range.end:
            self._assign(low)

    def _assign(self, offset: int) -> None:
        self._client.assign([library().TopicPartition(self._range.topic, self._range.partition, offset)])


class Fetching(AbstractContextManager["Fetching"]):
    """A consumer for single records by their place: payloads that a dead-letter topic does not copy.

    It is opened when the first one is asked for.
    """

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._client: Any = None

    def __exit__(self, *_error: object) -> None:
        if self._client is not None:
            self._client.close()

    def fetch(self, topic: str, partition: int, offset: int) -> Record | None:
        """The record at a place; None where it is gone, or nobody answers in a few seconds."""
        if self._client is None:
            self._client = consumer(self._options.client)
        self._client.assign([library().TopicPartition(topic, partition, offset)])
        deadline = time.monotonic() + FETCH_SECONDS
        while time.monotonic() < deadline:
            message = self._client.poll(0.5)
            if message is None:
                continue
            is_it = message.error() is None and message.offset() == offset
            return Record.of(message) if is_it else None
        return None


def lost_sentence(where: str, position: int, low: int) -> str:
    """Return the sentence about records that are gone."""
    return (
        f"{where} has nothing from {position:,} up to {low - 1:,} any more: {low - position:,} records were"
        " gone before they were read. failOnDataLoss=false goes on without them"
    )


def _is_of_the_line(error: Any) -> bool:
    codes = library().KafkaError
    return error.code() in (codes._TRANSPORT, codes._ALL_BROKERS_DOWN, codes._RESOLVE, codes._TIMED_OUT)
