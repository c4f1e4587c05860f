"""Looking through a file: only the columns that are asked for are read, of the groups that may match."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from . import parquet

SHOWN = [
    *("id", "event_type", "queue", "status", "error_category", "group_id"),
    *("source", "source_key", "created_at", "error_reason"),
]
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What rows have to be. ``equal``: values by column; ``since`` ≤ created_at < ``until``.

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


def scan(path: Path, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """The rows that match, by column, those of ``SHOWN`` and ``wanted.columns``.

    Raises FileMissing, FileDamaged.
    """
    import pyarrow
    from pyarrow import parquet as files

    with parquet.plain_file(path) as file:
        try:
            table = files.read_table(
                file,
                columns=list(dict.fromkeys([*SHOWN, *wanted.columns])),
                filters=_condition(wanted),
                use_threads=False,
                page_checksum_verification=True,
            )
        except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
            raise parquet.damaged(path) from error
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def _condition(wanted: Wanted) -> Any:
    """As an expression; None: every row."""
    from pyarrow import compute

    parts = [compute.field(name) == value for name, value in wanted.equal.items()]
    if wanted.queue:
        own, of_type = compute.field("queue"), compute.field("event_type")
        parts.append((own == wanted.queue) | (own.is_null() & (of_type == wanted.queue)))
    if wanted.since:
        parts.append(compute.field("created_at") >= wanted.since)
    if wanted.until:
        parts.append(compute.field("created_at") < wanted.until)
    parts += _texts(wanted)
    found = None
    for part in parts:
        found = part if found is None else found & part
    return found


def _texts(wanted: Wanted) -> list[Any]:
    from pyarrow import compute

    if not wanted.text:
        return []
    found = compute.field("id") == (-1 if wanted.number is None else wanted.number)
    for name in wanted.columns:
        there = compute.match_substring(compute.field(name), wanted.text, ignore_case=True)
        found = found | there
    return [found]
