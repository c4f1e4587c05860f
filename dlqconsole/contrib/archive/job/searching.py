"""Look into files: a Bloom filter tells which may hold a source or source key, a scan finds the rows.

Each file's filter is in its row of ``archive_files``. The database asks it (``archived.to_search``), so that
of a thousand files the few are opened that matter. Ten bits a text are 12 KB for a file of 10,000 rows, where
an index would take sixty bytes a row; one file in a
hundred is opened for nothing. No text can be read from it.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from dlqconsole.contrib.archive.job import parquet

BITS, PROBES = 10, 7
_NAMES = ["source", "source_key"]
SHOWN = [
    *("id", "event_type", "queue", "status", "error_category", "group_id"),
    *("source", "source_key", "created_at", "error_reason"),
]
_AT_ONCE = 500


def probes(text: str) -> list[int]:
    """Return the bits that a filter with this text has set: numbers, modulo its bits."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4 * PROBES).digest()
    return [int.from_bytes(digest[place : place + 4]) for place in range(0, 4 * PROBES, 4)]


def filter_of(texts: Collection[str]) -> bytes:
    """The filter of some texts; bit n is the n % 8th of byte n / 8, as PostgreSQL counts them."""
    bits = bytearray(max(8, BITS * len(texts) // 8 + 1))
    for text in texts:
        for probe in probes(text):
            place = probe % (8 * len(bits))
            bits[place // 8] |= 1 << place % 8
    return bytes(bits)


def of_file(path: Path) -> bytes:
    """The filter of a file's sources and source keys. Raises FileMissing, FileDamaged."""
    with parquet.open_reader(path) as file:
        columns = file.columns(_NAMES)
    return filter_of({text for column in columns for text in column if text})


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The condition on rows. ``equal``: values by column; ``since`` ≤ created_at < ``until``.

    ``text`` stands in one of ``columns``, without regard to case, or is the row's ``number``; empty: whatever
    stands there. ``columns`` are read with the others.
    """

    equal: Mapping[str, str | int] = field(default_factory=dict)
    queue: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    number: int | None = None
    columns: tuple[str, ...] = ()


def scan(path: Path, query: RowFilter) -> Iterator[dict[str, Any]]:
    """The rows that match, by column, those of ``SHOWN`` and ``wanted.columns``.

    Raises FileMissing, FileDamaged.
    """
    import pyarrow
    from pyarrow import parquet as files

    with parquet.plain_file(path) as file:
        try:
            table = files.read_table(
                file,
                columns=list(dict.fromkeys([*SHOWN, *query.columns])),
                filters=_condition(query),
                use_threads=False,
                page_checksum_verification=True,
            )
        except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
            raise parquet.damage_error(path) from error
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def _condition(query: RowFilter) -> Any:
    """Return the query as an expression; None: every row."""
    from pyarrow import compute

    parts = [compute.field(name) == value for name, value in query.equal.items()]
    if query.queue:
        own, of_type = compute.field("queue"), compute.field("event_type")
        parts.append((own == query.queue) | (own.is_null() & (of_type == query.queue)))
    if query.since:
        parts.append(compute.field("created_at") >= query.since)
    if query.until:
        parts.append(compute.field("created_at") < query.until)
    parts += _texts(query)
    condition = None
    for part in parts:
        condition = part if condition is None else condition & part
    return condition


def _texts(query: RowFilter) -> list[Any]:
    from pyarrow import compute

    if not query.text:
        return []
    condition = compute.field("id") == (-1 if query.number is None else query.number)
    for name in query.columns:
        there = compute.match_substring(compute.field(name), query.text, ignore_case=True)
        condition = condition | there
    return [condition]
