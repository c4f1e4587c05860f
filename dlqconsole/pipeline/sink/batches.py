"""One batch: what in it is one event, and how its events ended."""

from collections import Counter
from collections.abc import Mapping, Sequence

from dlqconsole.processing.outcomes import Failed

from .items import Item

# (event type, how it ended) → events
type Tally = Counter[tuple[str, str]]

UNCHANGED = "unchanged"


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
