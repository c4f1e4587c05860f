"""A dead letter as a rehearsal reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.headers import read_headers


@dataclass(slots=True)
class LetterToRehearse:
    """A dead letter that nobody holds. ``version``: of its payload."""

    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    source_key: str
    version: int


def letter_of(row: Mapping[str, Any]) -> LetterToRehearse:
    """Return the dead letter of a row of ``ranges.next``."""
    raw = row["payload_raw"]
    return LetterToRehearse(
        row["id"],
        row["event_type"],
        row["payload"],
        None if raw is None else bytes(raw),
        read_headers(row["headers"]),
        row["source"],
        row["source_key"],
        row["payload_version"],
    )
