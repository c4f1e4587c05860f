"""Which offsets of which partition one worker reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Range:
    """Offsets from ``start`` up to, not with, ``end``.

    ``lost``: how many offsets before ``start`` were gone before anybody read them.
    """

    topic: str
    partition: int
    start: int
    end: int
    lost: int = 0

    @property
    def size(self) -> int:
        """How many offsets; of a compacted topic there may be fewer records."""
        return self.end - self.start


def at_most(ranges: Sequence[Range], most: int) -> list[Range]:
    """The same, of ``most`` offsets in all, in equal shares of what is there; one for each at least."""
    total = sum(each.size for each in ranges)
    if total <= most:
        return list(ranges)
    return [replace(each, end=each.start + max(1, each.size * most // total)) for each in ranges]
