"""One batch: what in it is one event, and how its events ended."""

from collections import Counter
from collections.abc import Mapping, Sequence

from dlqconsole.processing.outcomes import Failed

from .items import Item

# (event type, how it ended) → events
type Tally = Counter[tuple[str, str]]

UNCHANGED = "unchanged"


def first_of_each(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """What brings the bytes of its event's first line; the rest may be other events, and comes after it."""
    contents: dict[tuple[str, str], bytes] = {}
    first: list[Item] = []
    others: list[Item] = []
    for item in items:
        same = contents.setdefault((item.source, item.key), item.line.value) == item.line.value
        (first if same else others).append(item)
    return first, others


def once(items: Sequence[Item]) -> list[Item]:
    """An event that stands twice in the batch is one event."""
    return list({(item.source, item.key): item for item in reversed(items)}.values())[::-1]


def tally(items: Sequence[Item], new: Sequence[Item], stored: Mapping[int, str]) -> Tally:
    """How many events of each type ended how; ``stored``: those that were written before, by place."""
    found: Tally = Counter((item.event_type, _ending(item)) for item in new)
    fresh = set(map(id, new))
    found.update(
        (item.event_type, stored.get(place, UNCHANGED))
        for place, item in enumerate(items)
        if id(item) not in fresh
    )
    return found


def _ending(item: Item) -> str:
    return item.outcome.error_class if isinstance(item.outcome, Failed) else "enriched"
