"""The parts that formats share: columns, the writer, and cells that a spreadsheet would run."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

# A spreadsheet runs a cell that begins with = + - @ or their full-width forms, also behind spaces, quotes and
# separators; or with a tab or a line end.
FORMULA_STARTS = "=+-@\uff1d\uff0b\uff0d\uff20"
FORMULA_SKIPS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\"'`;,\u200b\ufeff"
FORMULA_RUNS = "\t\r\n"
# a cell that begins with none of these is no formula
SUSPECTS = frozenset(FORMULA_RUNS + FORMULA_SKIPS + FORMULA_STARTS)
_FORMULA = re.compile(f"[{FORMULA_RUNS}]|[{re.escape(FORMULA_SKIPS)}]*[{re.escape(FORMULA_STARTS)}]")

# each value as text, as the database gave it
type Row = Sequence[str | None]


class Sort(StrEnum):
    INTEGER = "integer"
    FIGURE = "figure"
    # in UTC: 2026-11-26T19:57:16.000001Z
    MOMENT = "moment"
    # with its numbers as they were
    JSON = "json"
    # a text of ours: it runs nowhere
    WORD = "word"
    # a text of others
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    sort: Sort = Sort.TEXT

    @property
    def is_foreign(self) -> bool:
        return self.sort in (Sort.TEXT, Sort.JSON)

    @property
    def is_bare(self) -> bool:
        """Tell whether its values are JSON as they stand."""
        return self.sort in (Sort.INTEGER, Sort.FIGURE, Sort.JSON)


class Writer(ABC):
    """Makes the bytes of a file at flat memory: add rows, take what is ready, take the end."""

    def __init__(self, columns: Sequence[Column], title: str) -> None:
        self.columns, self.title = columns, title

    @abstractmethod
    def add(self, row: Row) -> None:
        """Add a row, or raise and add nothing of it."""

    @abstractmethod
    def take(self) -> bytes:
        """Take the bytes that are ready."""

    def end(self) -> Iterator[bytes]:
        """Take the rest."""
        yield self.take()

    def notes(self) -> list[str]:
        """The sentences about what this format could not hold."""
        return []

    def close(self) -> None:  # noqa: B027 - most formats have nothing on disk
        """Let go of files on disk."""


@dataclass(frozen=True, slots=True)
class Format:
    """``name``: on the command line and in the database. ``why_not``: why it cannot be written here."""

    name: str
    label: str
    suffix: str
    content_type: str
    writer: Callable[[Sequence[Column], str], Writer]
    # its bytes are compressed already
    is_packed: bool = False
    # hidden characters are shown in it
    is_for_people: bool = False
    why_not: Callable[[], str] = lambda: ""
    # a sentence about so many rows, before they are written
    forecast: Callable[[int], str] = lambda rows: ""


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet might run the text of a cell."""
    return _FORMULA.match(text) is not None
