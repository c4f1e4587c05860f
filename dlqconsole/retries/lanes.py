"""Lanes: what the schedule retries, cut so that no part of it can hold up another.

A lane is an event type under one policy. Each is claimed by itself, and a free handler goes to the lane that
has the least of its share: the fewest handlers that run, then the least time that its handlers have had. So a
lane of slow events uses up only its own share, and a lane that is alone has them all.
"""

import math
from collections.abc import Iterator, Sequence

from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.retries.policies import Lane
from dlqconsole.retries.worker_lane import WorkerLane

Key = tuple[str, tuple[str, ...], tuple[int, ...] | None, tuple[int, ...] | None]


class WorkerLanes:
    """The lanes of one worker, and whose turn it is. ``handlers`` run at once."""

    def __init__(self, handlers: int) -> None:
        self._handlers = handlers
        self._lanes: dict[Key, WorkerLane] = {}

    def __iter__(self) -> Iterator[WorkerLane]:
        return iter(self._lanes.values())

    def follow(self, lanes: Sequence[Lane], workers: int) -> list[Claim]:
        """These may run now, in so many workers. What was claimed of others, and is to be given back."""
        now = {_key(lane): lane for lane in lanes}
        for key, lane in now.items():
            self._lanes.setdefault(key, WorkerLane(lane)).follow(lane, workers)
        left: list[Claim] = []
        for key in self._lanes.keys() - now.keys():
            left += self._lanes[key].put_down()
            # what still runs of it is finished; nothing more is claimed until it may run again
            self._lanes[key].rest(math.inf)
            if not self._lanes[key].running:
                del self._lanes[key]
        return left

    def put_down(self) -> list[Claim]:
        """All that waits, which is to be given back."""
        return [claim for lane in self for claim in lane.put_down()]

    @property
    def waiting(self) -> int:
        """How many are claimed and not begun."""
        return sum(len(lane.waiting) for lane in self)

    def hungry(self) -> list[tuple[WorkerLane, int]]:
        """The lanes of which something is to be claimed, and how much."""
        weights = sum(lane.weight for lane in self if lane.may_have_more) or 1.0
        rooms = ((lane, lane.room(self._handlers * lane.weight / weights)) for lane in self)
        return [(lane, room) for lane, room in rooms if room > 0]

    def next(self, number: int, suspects: int) -> list[tuple[WorkerLane, Claim]]:
        """Up to so many that begin now, each of the lane that has the least of its share; marked as running.

        What workers have died of before is begun one at a time: ``suspects`` run already.
        """
        chosen: list[tuple[WorkerLane, Claim]] = []
        while len(chosen) < number:
            lanes = sorted((lane for lane in self if lane.waiting), key=lambda lane: lane.share)
            found = next(((lane, claim) for lane in lanes if (claim := lane.take(suspects))), None)
            if found is None:
                break
            self._begun(*found)
            suspects += found[1].crash_count > 0
            chosen.append(found)
        return chosen

    def _begun(self, lane: WorkerLane, claim: Claim) -> None:
        """One that had nothing for a while has no claim to all the time that the others had meanwhile."""
        if not lane.running:
            busy = [other.used / other.weight for other in self if other.running]
            lane.used = max(lane.used, min(busy, default=0.0) * lane.weight)
        lane.running += 1


def _key(lane: Lane) -> Key:
    return lane.event_type, lane.categories, lane.only_groups, lane.but_groups
