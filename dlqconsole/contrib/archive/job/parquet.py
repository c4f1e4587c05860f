"""The archive's files: written beside their place and renamed, read back row by row, searched by number."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from dlqconsole.contrib.archive.job.columns import Checksum
from dlqconsole.contrib.archive.job.layout import SUFFIX, WRITING, settle
from dlqconsole.contrib.archive.job.shapes import VERSION, TableShape, Texts
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem

_KEY = b"dlqconsole"
_BLOCK = 1024 * 1024


class FileMissing(PipelineProblem):
    """A file of the archive is not where it was put."""


class FileDamaged(PipelineProblem):
    """A file of the archive is not what was written."""


def require_pyarrow() -> None:
    """Raise BadRequest, a sentence, where pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise BadRequest(
            "the archive needs pyarrow: pip install 'dlqconsole[archive]'. Nothing was deleted"
        ) from error


class ArchiveWriter:
    """One file. Nobody finds it before ``finish``."""

    def __init__(self, path: Path, shape: TableShape) -> None:
        import pyarrow
        from pyarrow import parquet

        self.path, self._shape = path, shape
        self._beside = path.with_name(path.name.removesuffix(SUFFIX) + WRITING)
        about = orjson.dumps({"version": VERSION, **shape.describe()})
        fields = [(part.name, part.arrow()) for part in shape.parts]
        self._schema = pyarrow.schema(fields, metadata={_KEY: about})
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = parquet.ParquetWriter(
            self._beside, self._schema, compression="zstd", write_page_index=True, write_page_checksum=True
        )

    def add(self, rows: Sequence[Texts]) -> None:
        """Write some rows, in the order of their numbers: a group is found by its least and greatest."""
        import pyarrow

        arrays = [
            pyarrow.array([part.value(row[place]) for row in rows], type=part.arrow())
            for place, part in enumerate(self._shape.parts)
        ]
        self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))

    def finish(self) -> None:
        """Have it kept by the file system, under its name."""
        self._writer.close()
        with self._beside.open("rb+") as file:
            os.fsync(file.fileno())
        self._beside.rename(self.path)
        settle(self.path)

    def give_up(self) -> None:
        """Leave nothing of it."""
        self._writer.close()
        remove(self.path)


def remove(path: Path) -> None:
    """A file, and what was written beside it; either may be gone."""
    path.unlink(missing_ok=True)
    path.with_name(path.name.removesuffix(SUFFIX) + WRITING).unlink(missing_ok=True)


@contextmanager
def open_reader(path: Path) -> Iterator["ParquetReader"]:
    """A file to read. Raises FileMissing, FileDamaged."""
    import pyarrow
    from pyarrow import parquet

    with plain_file(path) as plain:
        try:
            with parquet.ParquetFile(plain, page_checksum_verification=True) as file:
                yield ParquetReader(file)
        except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
            raise damage_error(path) from error


def damage_error(path: Path) -> FileDamaged:
    """The error for a file that no Parquet can be read from."""
    return FileDamaged(f"{path.name} in {path.parent} cannot be read: it is damaged")


@contextmanager
def plain_file(path: Path) -> Iterator[BinaryIO]:
    """A file of ours, open. Raises FileMissing, FileDamaged."""
    with os.fdopen(_handle(path), "rb") as file:
        yield file


def _handle(path: Path) -> int:
    """Open a file without waiting: a pipe in its place would be waited for, for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise FileMissing(f"{path.name} is not in {path.parent}") from error
    except OSError as error:
        raise FileDamaged(f"{path.name} in {path.parent} cannot be read: {error.strerror}") from error
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise FileDamaged(f"{path.name} in {path.parent} is no file: something else stands in its place")


def check_size(path: Path, size: int) -> None:
    """Raise FileDamaged where another file stands in its place, however whole that is; FileMissing."""
    with plain_file(path) as file:
        if os.fstat(file.fileno()).st_size != size:
            raise FileDamaged(f"{path.name} in {path.parent} is not the file that was written there")


class ParquetReader:
    """An open file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.shape = TableShape.read(orjson.loads(file.schema_arrow.metadata[_KEY]))

    def groups(self) -> Iterator[list[Texts]]:
        """Its rows as canonical texts, a group at a time."""
        for number in range(self._file.num_row_groups):
            yield self._rows(self._file.read_row_group(number))

    def columns(self, names: list[str]) -> list[list[Any]]:
        """The values of some columns, as they stand there."""
        table = self._file.read(columns=names)
        return [table[name].to_pylist() for name in names]

    def find(self, row_id: int) -> Texts | None:
        """One row by its number; other groups are not read."""
        for number in range(self._file.num_row_groups):
            statistics = self._file.metadata.row_group(number).column(0).statistics
            if statistics is None or statistics.min <= row_id <= statistics.max:
                ids = self._file.read_row_group(number, columns=["id"])["id"].to_pylist()
                if row_id in ids:
                    one = self._file.read_row_group(number).slice(ids.index(row_id), 1)
                    return self._rows(one)[0]
        return None

    def _rows(self, table: Any) -> list[Texts]:
        import pyarrow

        columns = []
        for part in self.shape.parts:
            values = table[part.name]
            if pyarrow.types.is_timestamp(values.type):
                values = values.cast(pyarrow.int64())
            columns.append([part.text(value) for value in values.to_pylist()])
        return [list(row) for row in zip(*columns, strict=True)]


def content_checksum(path: Path) -> Checksum:
    """The checksum of all that a file holds, read from where it lies."""
    sum_of_rows = Checksum()
    with open_reader(path) as file:
        for rows in file.groups():
            sum_of_rows.add(rows)
    return sum_of_rows


def hash_of(path: Path) -> str:
    """SHA-256 of the file itself. Raises FileMissing, FileDamaged."""
    digest = hashlib.sha256()
    with plain_file(path) as file:
        try:
            while block := file.read(_BLOCK):
                digest.update(block)
        except OSError as error:
            raise FileDamaged(f"{path.name} in {path.parent} cannot be read: {error.strerror}") from error
    return digest.hexdigest()
