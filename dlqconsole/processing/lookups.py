"""Lookup tables: a file of rows, held in memory by key, that follows its file as people edit it."""

import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import DependencyError, HandlerSetupError
from .table_files import READERS, BadTableError, read_table

CHECK_EVERY = 1.0  # seconds between two looks at the file

type Directory = str | os.PathLike[str] | Callable[[], str | os.PathLike[str]]

_log = logging.getLogger(__name__)


class Table(Mapping[Any, dict[str, Any]]):
    """Rows of one file by key: use `get`, `[]`, `in`. Made by `table`.

    Loaded at first use and again whenever the file has changed. A file that cannot be read as a
    table (half-written, say) leaves the last good rows in use. Raises DependencyError, a sentence,
    while the file is missing or has never been readable.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        key: str | tuple[str, ...],
        directory: Directory | None,
        columns: tuple[str, ...] | None,
        types: dict[str, Callable[[str], Any]],
        null_values: frozenset[str],
    ) -> None:
        self._settings = (path, key, directory, columns, types, null_values)
        self._rows: dict[Any, dict[str, Any]] | None = None
        self._stamp_of_rows: tuple[int, int, int] | None = None
        self._why_not = ""
        self._next_look = 0.0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, self._settings  # a worker loads the rows itself: cheaper than shipping them

    @property
    def path(self) -> Path:
        """The file's place now: relative paths start at `directory`, else $DLQ_LOOKUPS_DIR, else here."""
        path, _, directory, *_ = self._settings
        if directory is None:
            directory = os.environ.get("DLQ_LOOKUPS_DIR") or "."
        return Path(directory() if callable(directory) else directory) / path

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the row with this key, or `default`."""
        return self._current().get(key, default)

    def __getitem__(self, key: Any) -> dict[str, Any]:
        return self._current()[key]

    def __contains__(self, key: object) -> bool:
        return key in self._current()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())

    def __repr__(self) -> str:
        return f"table({str(self._settings[0])!r}, key={self._settings[1]!r})"

    def _current(self) -> dict[Any, dict[str, Any]]:
        if self._rows is None or time.monotonic() >= self._next_look:
            with self._lock:
                self._look()
        if self._rows is None:
            away = DependencyError(self._why_not)
            # none of the systems that its handler depends on
            away.dependency = "a lookup file"
            raise away
        return self._rows

    def _look(self) -> None:
        path = self.path
        try:
            stamp = _stamp(path)
            if stamp != self._stamp_of_rows:
                self._load(path, stamp)
        except OSError as error:
            self._rows, self._stamp_of_rows = None, None
            self._why_not = f"lookup file {path} cannot be read: {error.strerror or error}"
        self._next_look = time.monotonic() + CHECK_EVERY

    def _load(self, path: Path, stamp: tuple[int, int, int]) -> None:
        _, key, _, columns, types, null_values = self._settings
        try:
            rows = read_table(path, key, columns, types, null_values)
        except BadTableError as problem:
            self._why_not = f"lookup file {path} is not usable: {problem}"
            fallback = "using the last good rows" if self._rows is not None else "no rows yet"
            _log.warning("%s (%s)", self._why_not, fallback)
        else:
            self._rows = rows
        # Written to while we read: remember nothing, so the next look reads it again.
        self._stamp_of_rows = stamp if _stamp(path) == stamp else None


def table(
    path: str | os.PathLike[str],
    key: str | Sequence[str],
    *,
    directory: Directory | None = None,
    columns: Collection[str] | None = None,
    types: Mapping[str, Callable[[str], Any]] | None = None,
    null_values: Collection[str] = ("",),
) -> Table:
    """Declare a lookup file: `.csv`, `.tsv` (first line = column names) or `.jsonl`.

    `key`: the column that identifies a row, or several, and then keys are tuples of their values.
    `directory`: where a relative path starts; a function is asked at each look.
    `columns`: keep only these columns, which saves memory. `types`: column to converter, such as
    `{"seats": int}`; other cells stay text. `null_values`: cells with one of these texts are None.
    Rows whose key is None are left out; of two rows with one key the later wins, so a line
    appended to the file corrects an earlier one. Raises HandlerSetupError for a bad declaration.
    """
    if Path(path).suffix not in READERS:
        raise HandlerSetupError(f"table {str(path)!r}: the file must end in {', '.join(sorted(READERS))}")
    names = key if isinstance(key, str) else tuple(key)
    if not names or not all(names):
        raise HandlerSetupError(f"table {str(path)!r} needs the name of its key column")
    column_names = None if columns is None else tuple(columns)
    return Table(path, names, directory, column_names, dict(types or {}), frozenset(null_values))


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino
