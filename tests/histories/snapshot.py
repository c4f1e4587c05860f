"""The tables as they are after a step."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.histories.contents import Content, content
from tests.histories.database import named
from tests.plain_sql import rows


class LetterRow(NamedTuple):
    id: int
    status: str
    occurrences: int
    retry_count: int
    revive_count: int
    error_reason: str
    said_category: str
    error_stacktrace: str
    same_id_as: int | None
    event_type: str
    error_category: str
    queue: str
    group_id: int
    payload: str | None
    payload_raw: Any

    @property
    def content(self) -> Content:
        return content(self.payload, self.payload_raw)


class MessageRow(NamedTuple):
    id: int
    queue: str
    status: str
    retry_count: int
    dlq_event_id: int | None
    revive_seq: int | None
    payload: str | None
    payload_raw: Any

    @property
    def content(self) -> Content:
        return content(self.payload, self.payload_raw)


class AttemptRow(NamedTuple):
    dlq_event_id: int | None
    message: str
    error_reason: str
    error_category: str
    error_stacktrace: str
    stands_for: int


@dataclass
class Snapshot:
    """``failed``: the failed attempts of each dead letter, by its id, or of a message, by its name."""

    letters: dict[int, LetterRow]
    messages: dict[int, MessageRow]
    failed: dict[int | str, list[AttemptRow]]
    versions: dict[int, list[Content]]
    forwarded: list[tuple[int, int, str]]
    archived: dict[int, Content]

    @classmethod
    def take(cls) -> Snapshot:
        """Look at all tables."""
        failed: dict[int | str, list[AttemptRow]] = defaultdict(list)
        for one in named(AttemptRow, ATTEMPTS):
            failed[one.dlq_event_id or one.message].append(one)
        versions: dict[int, list[Content]] = defaultdict(list)
        for number, text, raw in rows(
            "SELECT dlq_event_id, payload::text, payload_raw FROM payload_versions"
        ):
            versions[number].append(content(text, raw))
        return cls(
            {row.id: row for row in named(LetterRow, LETTERS)},
            {row.id: row for row in named(MessageRow, MESSAGES)},
            failed,
            versions,
            rows("SELECT dlq_event_id, revive_seq, remote_id FROM forwarded_messages"),
            {number: content(text, raw) for number, text, raw in rows(ARCHIVE)},
        )


LETTERS = (
    "SELECT id, status, occurrences, retry_count, revive_count, error_reason,"
    " coalesce(said_category, error_category), error_stacktrace, same_id_as, event_type, error_category,"
    " coalesce(queue, event_type), group_id, payload::text, payload_raw FROM dlq_events ORDER BY id"
)
MESSAGES = (
    "SELECT id, queue, status, retry_count, dlq_event_id, revive_seq, payload::text, payload_raw"
    " FROM message_queue ORDER BY id"
)
ATTEMPTS = (
    "SELECT dlq_event_id, message, error_reason, error_category, error_stacktrace, stands_for"
    " FROM dlq_attempts WHERE outcome = 'failed' ORDER BY finished_at, id"
)
VERSIONS = "SELECT dlq_event_id, payload::text, payload_raw FROM payload_versions"
ARCHIVE = "SELECT id, payload::text, payload_raw FROM message_archive"
