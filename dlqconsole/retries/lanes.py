"""Lanes: partitions of the schedule's work, so that none can hold up another.

A lane is an event type under one policy. Each is claimed by itself, and a free handler goes to the lane with
the least use of its share: the fewest running handlers, then the least time of its handlers. So a lane of
slow events uses up only its own share, and a lane that is alone has all handlers.
"""

import math
from collections.abc import Iterator, Sequence

from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.retries.policies import RetryPartition
from dlqconsole.retries.worker_lane import WorkerLane

Key = tuple[str, tuple[str, ...], tuple[int, ...] | None, tuple[int, ...] | None]


class WorkerLanes:
    """The lanes of one worker, and their turns. ``handlers`` run at once."""

    def __init__(self, handlers: int) -> None:
        self._handlers = handlers
        self._lanes: dict[Key, WorkerLane] = {}

    def __iter__(self) -> Iterator[WorkerLane]:
        return iter(self._lanes.values())

    def follow(self, lanes: Sequence[RetryPartition], workers: int) -> list[Claim]:
        """Follow the lanes that may run now, in so many workers; return other lanes' claims to give back."""
        now = {_key(lane): lane for lane in lanes}
        for key, lane in now.items():
            self._lanes.setdefault(key, WorkerLane(lane)).follow(lane, workers)
        to_give_back: list[Claim] = []
        for key in self._lanes.keys() - now.keys():
            to_give_back += self._lanes[key].put_down()
            # its running handlers finish; nothing more is claimed until it may run again
            self._lanes[key].rest(math.inf)
            if not self._lanes[key].running:
                del self._lanes[key]
        return to_give_back

    def put_down(self) -> list[Claim]:
        """Return all waiting claims, to give back."""
        return [claim for lane in self for claim in lane.put_down()]

    @property
    def waiting(self) -> int:
        """The number of claims that have not begun."""
        return sum(len(lane.waiting) for lane in self)

    def hungry(self) -> list[tuple[WorkerLane, int]]:
        """The lanes that need claims, each with the number."""
        lanes = sum(lane.may_have_more for lane in self) or 1
        rooms = ((lane, lane.room(self._handlers / lanes)) for lane in self)
        return [(lane, room) for lane, room in rooms if room > 0]

    def next(self, number: int, suspects: int) -> list[tuple[WorkerLane, Claim]]:
        """Choose up to ``number`` claims to begin, each of the lane with the least use of its share.

        Claims that have killed workers before begin one at a time: ``suspects`` run already.
        """
        choices: list[tuple[WorkerLane, Claim]] = []
        while len(choices) < number:
            lanes = sorted((lane for lane in self if lane.waiting), key=lambda lane: lane.share)
            choice = next(((lane, claim) for lane in lanes if (claim := lane.take(suspects))), None)
            if choice is None:
                break
            self._mark_running(*choice)
            suspects += choice[1].crash_count > 0
            choices.append(choice)
        return choices

    def _mark_running(self, lane: WorkerLane, claim: Claim) -> None:
        """Mark a claim as running.

        An idle lane begins at the others' level: it does not catch up their time.
        """
        if not lane.running:
            lane.used = max(lane.used, min((other.used for other in self if other.running), default=0.0))
        lane.running += 1


def _key(lane: RetryPartition) -> Key:
    return lane.event_type, lane.categories, lane.only_groups, lane.but_groups
