"""The readers of ``format("dlqconsole")``: dead letters by a filter, and the messages of a claim."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.data_source_errors import without_traceback
from dlqconsole.processing.inputs.numbers import as_count

from . import claimed, letters
from .filter_pushdown import LetterFilter, push_filters, ranges

PARTITIONS = 8


@dataclass
class IdRange(InputPartition):
    """Dead letters with ids from first to last."""

    first: int
    last: int


class LettersReader(DataSourceReader):
    """Reads dead letters with the role of its address: what that role may not see, it does not get."""

    def __init__(self, database_url: str, options: Any) -> None:
        self._url = database_url
        self._filter = LetterFilter.by_options(options)
        self._partitions = as_count(options.get("partitions", str(PARTITIONS)), 10_000)
        if not self._partitions:
            raise BadRequest("option partitions is a number from 1 to 10,000")

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        self._filter, rest = push_filters(self._filter, filters)
        return rest

    @without_traceback
    def partitions(self) -> Sequence[InputPartition]:
        # Spark makes a range of its own of none at all
        ends = letters.bounds(self._url, self._filter) or (0, 0)
        return [IdRange(*each) for each in ranges(*ends, self._partitions or 1)]

    def read(self, partition: Any) -> Iterator[Any]:
        return letters.read(self._url, self._filter, partition.first, partition.last)


class ClaimedReader(DataSourceReader):
    """Reads the messages of one claim, for ``fixed_rows``."""

    def __init__(self, database_url: str, options: Any) -> None:
        self._url, self._token = database_url, options[claimed.CLAIM]
        self._ends = int(options["first"]), int(options["last"])

    def partitions(self) -> Sequence[InputPartition]:
        return [IdRange(*each) for each in ranges(*self._ends, PARTITIONS)]

    def read(self, partition: Any) -> Iterator[Any]:
        return claimed.read(self._url, self._token, partition.first, partition.last)
