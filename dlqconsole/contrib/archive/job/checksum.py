"""A checksum over rows in any order, which PostgreSQL computes too (``archive.checksum``)."""

import hashlib
from collections.abc import Iterable, Sequence

import orjson


class Checksum:
    """``rows`` and ``total``: the sum of eight bytes of each row's SHA-256."""

    def __init__(self) -> None:
        self.rows = 0
        self.total = 0

    def add(self, rows: Iterable[Sequence[str | None]]) -> None:
        """Rows as canonical texts."""
        for row in rows:
            digest = hashlib.sha256(orjson.dumps(row)).digest()
            self.total += int.from_bytes(digest[:8], "big", signed=True)
            self.rows += 1

    def __str__(self) -> str:
        return str(self.total)
