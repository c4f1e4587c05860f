"""Items from records: an event for a handler, or somebody else's dead letter and where its revive goes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.sink.items import EventLine, EventOrigin, Item, item_of
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.limits import Limits

from .dialects import ForeignFailure, recognise, without_notes
from .records import GROUP, TOMBSTONE, Record, as_json, is_topic

RETRY, ORIGIN = "retry", "origin"

# the notes that a revived record carries, by the names of the relay
REVIVED, SEQUENCE = "x-dlq-event-id", "x-dlq-revive-seq"

# the record at a place, if it is still there
type Fetch = Callable[[str, int, int], Record | None]


@dataclass(frozen=True, slots=True)
class Destinations:
    """The queue of a revive: to who failed, never to every reader of a topic.

    ``choice``: ``retry``, the failing group's retry topic where there is one, else the topic of origin;
    ``origin``, always that; or a name with {topic} and {group} in it. ``topics``: those that there are.
    """

    choice: str = RETRY
    topics: frozenset[str] = field(default_factory=frozenset)

    def of(self, dead_letter_topic: str, foreign: ForeignFailure) -> str:
        """The queue of a dead letter: kafka:<topic>."""
        origin = foreign.topic or dead_letter_topic
        if self.choice == ORIGIN:
            return f"kafka:{origin}"
        if self.choice == RETRY:
            return f"kafka:{self._retry_topic(origin, foreign.group) or origin}"
        topic = self.choice.replace("{topic}", origin).replace("{group}", foreign.group or "")
        return f"kafka:{topic if is_topic(topic) else origin}"

    def _retry_topic(self, origin: str, group: str | None) -> str | None:
        """Spring's names: orders-retry, or orders-retry-0 and on, of which the first waits for the least."""
        for stem in [f"{origin}-{group}-retry", f"{origin}-retry"] if group else [f"{origin}-retry"]:
            if stem in self.topics:
                return stem
            numbered = [name for name in self.topics if re.fullmatch(rf"{re.escape(stem)}-\d{{1,9}}", name)]
            if numbered:
                return min(numbered, key=lambda name: int(name.rpartition("-")[2]))
        return None


def check_choice(choice: str, name: str = "--revive-to") -> str:
    """The choice, if it is one. Raises BadRequest."""
    if choice in (RETRY, ORIGIN):
        return choice
    plain = choice.replace("{topic}", "").replace("{group}", "")
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,200}", plain):
        raise BadRequest(f"{name} is retry, origin, or a topic's name with {{topic}} and {{group}} in it")
    return choice


def item_of_record(
    record: Record, limits: Limits, to: Destinations, fetch: Fetch, event_type: str | None = None
) -> Item | None:
    """The item of a record; None for a tombstone, in which there is no event.

    ``event_type``: of what names no type of its own; None: its topic's name is that.
    """
    foreign = recognise(record.headers)
    if foreign is not None:
        return _dead_letter(record, foreign, limits, to, fetch, event_type)
    return None if record.value is None else _event(record, limits, event_type)


def revival_of(item: Item) -> tuple[int, int] | None:
    """The dead letter, and which revival of it, that a record's headers name."""
    numbers = as_id(str(item.headers.get(REVIVED, ""))), as_id(str(item.headers.get(SEQUENCE, "")))
    return None if numbers[0] is None or numbers[1] is None else (numbers[0], numbers[1])


def place_of(item: Item) -> str:
    """Return the place of its record: kafka:orders/3-17."""
    return str(item.line.position["dlq_record"])


def _event(record: Record, limits: Limits, event_type: str | None) -> Item:
    headers = as_json(record.headers, record.key)
    line = EventLine(record.value or b"", _position(record), f"{record.topic} {_key(record)}")
    item = item_of(line, _origin(record.topic, event_type), _key(record), headers, limits)
    if (revival := revival_of(item)) is not None:
        # our own revive, read as any other record: it is tried again, and is no second copy of what failed
        item.key = f"{item.key} revived {revival[0]}-{revival[1]}"
    return item


def _dead_letter(
    record: Record,
    foreign: ForeignFailure,
    limits: Limits,
    to: Destinations,
    fetch: Fetch,
    event_type: str | None,
) -> Item:
    topic, partition, offset = foreign.place or (record.topic, record.partition, record.offset)
    whole = _whole(record, foreign, fetch)
    headers = as_json(without_notes(whole.headers), whole.key)
    if whole.value is None:
        headers[TOMBSTONE] = "true"
    if foreign.group:
        headers[GROUP] = foreign.group
    line = EventLine(whole.value or b"", {**_position(record), **_facts(foreign, whole is record)}, "")
    origin = _origin(foreign.topic or topic, event_type)
    item = item_of(line, origin, f"{partition}-{offset}", headers, limits, foreign.failure)
    item.queue = to.of(record.topic, foreign)
    return item


def _whole(record: Record, foreign: ForeignFailure, fetch: Fetch) -> Record:
    """Return the record with payload, key and headers of the one that failed, where they were not copied."""
    if record.value is not None or not foreign.payload_left_out or foreign.place is None:
        return record
    origin = fetch(*foreign.place)
    return record if origin is None else replace(origin, headers=(*origin.headers, *record.headers))


def _origin(topic: str, event_type: str | None) -> EventOrigin:
    return EventOrigin(f"kafka:{topic}", f"kafka:{topic}", event_type or topic)


def _key(record: Record) -> str:
    return f"{record.partition}-{record.offset}"


def _position(record: Record) -> Mapping[str, Any]:
    moment = {} if record.timestamp is None else {"dlq_timestamp": _moment(record.timestamp)}
    return {"dlq_record": record.place, **moment}


def _facts(foreign: ForeignFailure, has_payload: bool) -> Mapping[str, Any]:
    """Return the facts of the failure for people, by names that stay behind at a revive."""
    facts = {
        "dlq_noted_by": foreign.dialect,
        "dlq_original": foreign.place and "kafka:{}/{}-{}".format(*foreign.place),
        "dlq_original_timestamp": foreign.timestamp is not None and _moment(foreign.timestamp),
        "dlq_group": foreign.group,
        "dlq_deliveries": foreign.deliveries,
        "dlq_payload": "" if has_payload else "fetched from where it failed",
    }
    return {name: value for name, value in facts.items() if value}


def _moment(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)
