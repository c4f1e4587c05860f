"""Parquet, by pyarrow: integers of 64 bits, moments in microseconds of UTC, JSON as text. zstd packs it."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from dlqconsole.processing.formats.base import Column, Format, Row, Sort, Writer

MISSING = "Parquet needs pyarrow here: pip install 'dlqconsole[archive]', for web and workers."
# a row group ends at so many rows or characters
GROUP_ROWS, GROUP_CHARACTERS = 10_000, 16 * 1024 * 1024


class _Sink:
    """A file that is taken away piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, content: Any) -> int:
        self._pieces.append(bytes(content))
        return len(content)

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces = []
        return content

    def flush(self) -> None: ...

    def close(self) -> None: ...


class _ParquetWriter(Writer):
    def __init__(self, columns: Sequence[Column], title: str) -> None:
        super().__init__(columns, title)
        import pyarrow
        from pyarrow import parquet

        types = {
            Sort.INTEGER: pyarrow.int64(),
            Sort.FIGURE: pyarrow.float64(),
            Sort.MOMENT: pyarrow.timestamp("us", "UTC"),
        }
        self._types = [types.get(column.sort, pyarrow.string()) for column in columns]
        self._schema = pyarrow.schema([(c.name, t) for c, t in zip(columns, self._types, strict=True)])
        self._sink = _Sink()
        self._file = parquet.ParquetWriter(
            pyarrow.PythonFile(self._sink, mode="w"), self._schema, compression="zstd"
        )
        self._rows: list[Row] = []
        self._characters = 0

    def add(self, row: Row) -> None:
        self._rows.append(row)
        self._characters += sum(map(len, filter(None, row)))
        if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._end_group()

    def take(self) -> bytes:
        return self._sink.take()

    def end(self) -> Iterator[bytes]:
        self._end_group()
        self._file.close()
        yield self._sink.take()

    def _end_group(self) -> None:
        if not self._rows:
            return
        import pyarrow

        texts = (pyarrow.array(values, pyarrow.string()) for values in zip(*self._rows, strict=True))
        arrays = [text.cast(type) for text, type in zip(texts, self._types, strict=True)]
        self._file.write_table(pyarrow.table(arrays, schema=self._schema))
        self._rows, self._characters = [], 0


def _why_not() -> str:
    return "" if find_spec("pyarrow") else MISSING


PARQUET = Format(
    "parquet",
    "Parquet",
    "parquet",
    "application/vnd.apache.parquet",
    _ParquetWriter,
    is_packed=True,
    why_not=_why_not,
)
