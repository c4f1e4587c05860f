"""The offsets of one partition that one worker reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets from ``start`` up to, not with, ``end``.

    ``lost_count``: how many offsets before ``start`` were gone before anybody read them.
    """

    topic: str
    partition: int
    start: int
    end: int
    lost_count: int = 0

    @property
    def size(self) -> int:
        """The number of offsets; of a compacted topic there may be fewer records."""
        return self.end - self.start


def at_most(ranges: Sequence[OffsetRange], most: int) -> list[OffsetRange]:
    """The same, of ``most`` offsets in all, in equal shares of what is there; one for each at least."""
    total = sum(each.size for each in ranges)
    if total <= most:
        return list(ranges)
    return [replace(each, end=each.start + max(1, each.size * most // total)) for each in ranges]
