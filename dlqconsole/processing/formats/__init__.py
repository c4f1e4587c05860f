"""The formats of files for people and programs. Each is a file beside this; ``FORMATS`` has them all.

A new format is such a file and a line here: every export offers it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dlqconsole.processing.formats.base import Column, Format, Writer
from dlqconsole.processing.formats.csv_text import CSV, CSV_WITH_BOM
from dlqconsole.processing.formats.json_lines import JSON_LINES
from dlqconsole.processing.formats.parquet import PARQUET
from dlqconsole.processing.formats.xlsx import XLSX

FORMATS: dict[str, Format] = {
    format.name: format for format in (CSV, CSV_WITH_BOM, JSON_LINES, XLSX, PARQUET)
}


@contextmanager
def writer(name: str, columns: Sequence[Column], title: str) -> Iterator[Writer]:
    """Open a writer of that format; what it has on disk goes with it."""
    made = FORMATS[name].writer(columns, title)
    try:
        yield made
    finally:
        made.close()
