"""Lanes: what the schedule retries, cut so that no part of it can hold up another.

A lane is an event type under one policy. Each is claimed by itself, and a free handler goes to the lane that
has the least of its share: the fewest handlers that run, then the least time that its handlers have had. So a
lane of slow events uses up only its own share, and a lane that is alone has them all.
"""

import math
from collections.abc import Iterator, Sequence

from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.retries.lines import Line
from dlqconsole.retries.policies import Lane

Key = tuple[str, tuple[str, ...], tuple[int, ...] | None, tuple[int, ...] | None]


class Lines:
    """The lanes of one worker, and whose turn it is. ``handlers`` run at once."""

    def __init__(self, handlers: int) -> None:
        self._handlers = handlers
        self._lines: dict[Key, Line] = {}

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines.values())

    def follow(self, lanes: Sequence[Lane], workers: int) -> list[Claim]:
        """These may run now, in so many workers. What was claimed of others, and is to be given back."""
        now = {_key(lane): lane for lane in lanes}
        for key, lane in now.items():
            self._lines.setdefault(key, Line(lane)).follow(lane, workers)
        left: list[Claim] = []
        for key in self._lines.keys() - now.keys():
            left += self._lines[key].put_down()
            # what still runs of it is finished; nothing more is claimed until it may run again
            self._lines[key].rest(math.inf)
            if not self._lines[key].running:
                del self._lines[key]
        return left

    def put_down(self) -> list[Claim]:
        """All that waits, which is to be given back."""
        return [claim for line in self for claim in line.put_down()]

    @property
    def waiting(self) -> int:
        """How many are claimed and not begun."""
        return sum(len(line.waiting) for line in self)

    def hungry(self) -> list[tuple[Line, int]]:
        """The lanes of which something is to be claimed, and how much."""
        weights = sum(line.weight for line in self if line.may_have_more) or 1.0
        rooms = ((line, line.room(self._handlers * line.weight / weights)) for line in self)
        return [(line, room) for line, room in rooms if room > 0]

    def next(self, number: int, suspects: int) -> list[tuple[Line, Claim]]:
        """Up to so many that begin now, each of the lane that has the least of its share; marked as running.

        What workers have died of before is begun one at a time: ``suspects`` run already.
        """
        chosen: list[tuple[Line, Claim]] = []
        while len(chosen) < number:
            lines = sorted((line for line in self if line.waiting), key=lambda line: line.share)
            found = next(((line, claim) for line in lines if (claim := line.take(suspects))), None)
            if found is None:
                break
            self._begun(*found)
            suspects += found[1].crash_count > 0
            chosen.append(found)
        return chosen

    def _begun(self, line: Line, claim: Claim) -> None:
        """One that had nothing for a while has no claim to all the time that the others had meanwhile."""
        if not line.running:
            busy = [other.used / other.weight for other in self if other.running]
            line.used = max(line.used, min(busy, default=0.0) * line.weight)
        line.running += 1


def _key(lane: Lane) -> Key:
    return lane.event_type, lane.categories, lane.only_groups, lane.but_groups
