"""A Bloom filter for each file, in its row of ``archive_files``: may it hold this source or source key?

The database asks it (``archived.to_search``), so that of a thousand files the few are opened that matter. Ten
bits a text are 12 KB for a file of 10,000 rows, where an index would take sixty bytes a row; one file in a
hundred is opened for nothing. No text can be read from it.
"""

import hashlib
from collections.abc import Collection
from pathlib import Path

from dlqconsole.contrib.archive.job import parquet

BITS, PROBES = 10, 7
_NAMES = ["source", "source_key"]


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
