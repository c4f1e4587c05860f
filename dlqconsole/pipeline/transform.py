"""From a line to a row: decode it strictly, run its handler, and say which table it belongs to."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import md5
from random import random

import orjson

from dlqconsole.processing.decoded import Decoded
from dlqconsole.processing.errors import MalformedEvent, PayloadTooLarge
from dlqconsole.processing.events import Event
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded
from dlqconsole.processing.payloads import decode

from .hands import Attempt
from .sources.files import SourceFile
from .sources.lines import Line

UNDECODABLE = "undecodable"
TYPE_LIMIT = 255
# the first retries of one ingest are spread over this many times the schedule's first backoff
SPREAD = 10

type EnrichedRow = tuple[str, str, str, datetime | None, str]
type DeadLetterRow = tuple[
    str, str, str, int | None, str | None, bytes | None, str, str, str, str, str, datetime
]  # fmt: skip


@dataclass(slots=True)
class Item:
    """One event on its way: who it is, what it brought, and, once its handler ran, what came of it."""

    file: SourceFile
    line: Line
    event_type: str
    source: str
    key: str
    # known by where it stood, because it does not name itself
    by_position: bool
    event: Event | None
    payload: str | None
    raw: bytes | None
    outcome: Outcome | None = None
    # the dead letter under whose source and id it came, with other bytes
    same_id_as: int | None = None

    @property
    def digest(self) -> str:
        """What tells two lines at one position apart."""
        return md5(self.line.content, usedforsecurity=False).hexdigest()


def read_item(line: Line, file: SourceFile, limits: Limits) -> Item:
    """Read who a line is. Never raises for what a line may hold: its item then has failed already."""
    if line.size > limits.payload_bytes:
        problem = f"the payload is {line.size:,} bytes long, more than {limits.payload_bytes:,}"
        return _undecodable(line, file, None, PayloadTooLarge(problem))
    decoded = decode(line.content, limits)
    try:
        event = _event(decoded, line, file)
    except (MalformedEvent, PayloadTooLarge) as error:
        return _undecodable(line, file, decoded.json_text, error)
    by_position = bool(event.headers)
    raw = line.content if by_position else decoded.raw
    kind = event.type[:TYPE_LIMIT]
    return Item(file, line, kind, event.source, event.id, by_position, event, decoded.json_text, raw)


def handle(item: Item, attempt: Attempt) -> None:
    """Run the handler of an item that can be read."""
    if item.outcome is None and item.event is not None:
        item.outcome = attempt(item.event)


def poison(item: Item, error: Exception) -> None:
    """The database refused this one row: keep its bytes, and the refusal as its reason."""
    item.outcome = Failed.from_error(error)
    item.payload, item.raw = None, item.line.content


def enriched_row(item: Item, success: Succeeded) -> EnrichedRow:
    """The columns of copy_enriched."""
    occurred_at = item.event.time if item.event else None
    return (item.event_type, item.source, item.key, occurred_at, success.record_json)


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
    )


def broken_file(file: SourceFile, problem: str, line: Line) -> Item:
    """The one dead letter of a file that cannot be read at all; `line` holds the file's bytes."""
    item = _undecodable(line, file, None, MalformedEvent(problem), place="")
    item.key = "file"
    return item


def _event(decoded: Decoded, line: Line, file: SourceFile) -> Event:
    value = decoded.require()
    if isinstance(value, dict) and "specversion" in value:
        return Event.from_payload(value, None, queue="", message_id="")
    # the data of an event that does not name itself: its position does
    named = {"ce_source": file.source, "ce_id": str(line.number)}
    return Event.from_payload(value, named, queue=file.stem, message_id=line.number)


def _undecodable(
    line: Line, file: SourceFile, payload: str | None, error: Exception, place: str | None = None
) -> Item:
    place = f"line {line.number}: " if place is None else place
    # the payload is one line: its own line number would only confuse
    problem = str(error).replace(" at line 1, ", " at ", 1)
    failure = Failed.from_error(type(error)(f"{place}{problem}"))
    key = str(line.number)
    return Item(file, line, UNDECODABLE, file.source, key, True, None, payload, line.content, failure)


def _until_retry(base: float) -> timedelta:
    """Not all at once: a thousand events that wait for one table must not come due together."""
    return timedelta(seconds=base * (1 + (SPREAD - 1) * random()))  # noqa: S311


def _headers(item: Item) -> str:
    """Where the event was found; these names stay behind when the dead letter is revived."""
    headers: dict[str, str | int] = {"dlq_file": item.file.name}
    if item.line.number:
        headers["dlq_line"] = item.line.number
    if item.event and len(item.event.type) > TYPE_LIMIT:
        headers["dlq_event_type"] = item.event.type
    if item.line.sha256:
        headers |= {"dlq_sha256": item.line.sha256, "dlq_bytes": item.line.size}
    return orjson.dumps(headers).decode()
