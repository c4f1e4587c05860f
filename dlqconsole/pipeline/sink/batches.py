"""One batch: what in it is one event, which events the tables know already, and how its events ended."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.outcomes import Failed

from .items import Item

# (event type, how it ended) → events
type Tally = Counter[tuple[str, str]]
UNCHANGED = "unchanged"
type Connection = psycopg.Connection[Any]


def first_of_each(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Split off what brings the bytes of its event's first line; the rest may be other events."""
    contents: dict[tuple[str, str], bytes] = {}
    first: list[Item] = []
    others: list[Item] = []
    for item in items:
        same = contents.setdefault((item.source, item.key), item.line.value) == item.line.value
        (first if same else others).append(item)
    return first, others


def once(items: Sequence[Item]) -> list[Item]:
    """Keep one of each event: two of one name in a batch are one event."""
    return list({(item.source, item.key): item for item in reversed(items)}.values())[::-1]


def tally(items: Sequence[Item], new: Sequence[Item], endings: Mapping[int, str]) -> Tally:
    """Count how many events of each type ended how; ``endings``: of those written before, by place."""
    sums: Tally = Counter((item.event_type, _ending(item)) for item in new)
    fresh = set(map(id, new))
    sums.update(
        (item.event_type, endings.get(place, UNCHANGED))
        for place, item in enumerate(items)
        if id(item) not in fresh
    )
    return sums


def _ending(item: Item) -> str:
    return item.outcome.error_class if isinstance(item.outcome, Failed) else "enriched"


@dataclass(frozen=True, slots=True)
class _StoredEvent:
    """An event that is in a table. ``digest``: of what the success brought, where that is known."""

    is_dead: bool
    digest: str | None

    def may_be_another(self, item: Item) -> bool:
        """Tell whether what the item brings may be something else."""
        if self.digest == item.digest:
            return False
        return self.is_dead or self.digest is not None


def new_items(connection: Connection, items: list[Item]) -> list[Item]:
    """The items that neither table knows. Other bytes than what is known are another event."""
    known_items = _stored_events(connection, items)
    doubtful = {index: one for index, one in known_items.items() if one.may_be_another(items[index])}
    other_events = _with_other_bytes(connection, [(items[index], one) for index, one in doubtful.items()])
    new = [item for index, item in enumerate(items) if index not in known_items]
    if not other_events:
        return new
    known_again = _stored_events(connection, other_events)
    return new + [item for index, item in enumerate(other_events) if index not in known_again]


def stored_before(connection: Connection, run_id: int, items: Sequence[Item]) -> dict[int, str]:
    """Return what a worker of this run had stored before it died: by its place in the list, how it ended."""
    return dict(connection.execute(sql("sink.stored_before"), {"id": run_id, **_names(items)}).fetchall())


def _stored_events(connection: Connection, items: Sequence[Item]) -> dict[int, _StoredEvent]:
    """Return which are known, by index."""
    rows = connection.execute(sql("sink.known"), _names(items))
    return {index: _StoredEvent(bool(is_dead), digest) for index, is_dead, digest in rows}


def _with_other_bytes(connection: Connection, pairs: list[tuple[Item, _StoredEvent]]) -> list[Item]:
    """Return items that are another event than the known one of their name, under keys of their own."""
    if not pairs:
        return []
    items = [item for item, _ in pairs]
    values = {
        **_names(items),
        "payloads": [item.payload for item in items],
        "raws": [item.raw for item in items],
        "digests": [item.line_digest for item in items],
        "differ": [one.digest is not None for _, one in pairs],
    }
    other_events = []
    for index, key, same_id_as in connection.execute(sql("sink.other_bytes"), values):
        item = items[index]
        item.came_as, item.key, item.same_id_as = item.key, key, same_id_as
        other_events.append(item)
    return other_events


def _names(items: Sequence[Item]) -> dict[str, list[str]]:
    return {"sources": [item.source for item in items], "keys": [item.key for item in items]}
