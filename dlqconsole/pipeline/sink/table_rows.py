"""The columns of an item in the table where it belongs."""

from datetime import datetime, timedelta
from random import random
from typing import Any

import orjson

from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.processing.texts import sanitise_text

from .items import Item, long_type

# the first retries of one ingest are spread over this many times the schedule's first backoff
SPREAD = 10

type EnrichedRow = tuple[str, str, str, datetime | None, str, str]
type DeadLetterRow = tuple[
    str, str, str, int | None, str | None, bytes | None, str, str, str, str, str, datetime, str | None
]  # fmt: skip


def enriched_row(item: Item, success: Succeeded) -> EnrichedRow:
    """The columns of copy_enriched."""
    occurred_at = item.event.time if item.event else None
    return (item.event_type, item.source, item.key, occurred_at, success.record_json, item.digest)


def dead_letter_row(item: Item, failure: Failed, now: datetime, backoff_base: float) -> DeadLetterRow:
    """The columns of copy_dead_letters. `now` is the database's."""
    return (
        item.event_type,
        item.source,
        item.key,
        item.same_id_as,
        item.payload,
        item.raw,
        _headers(item),
        failure.reason,
        failure.category,
        failure.stacktrace,
        "QUARANTINED" if failure.fatal else failure.status,
        now + _until_retry(backoff_base),
        item.queue,
    )


def _until_retry(base: float) -> timedelta:
    """Draw the wait: a thousand events that wait for one table must not come due together."""
    return timedelta(seconds=base * (1 + (SPREAD - 1) * random()))  # noqa: S311


def _headers(item: Item) -> str:
    """The message's own, and where the event was found, by names that stay behind at a revive."""
    headers: dict[str, Any] = {_storable(name): _storable(value) for name, value in item.headers.items()}
    headers |= {**item.origin.headers, **item.line.position}
    if item.came_as:
        headers["dlq_same_id"] = item.came_as
    if whole := long_type(item):
        headers["dlq_event_type"] = whole
    if item.line.sha256:
        headers |= {"dlq_sha256": item.line.sha256, "dlq_bytes": item.line.size}
    return orjson.dumps(headers).decode()


def _storable(value: Any) -> Any:
    return sanitise_text(value) if isinstance(value, str) else value
