"""One lane in one worker: what it has claimed, what runs, what it has used, and how much more it may have."""

import math
import time
from collections import deque
from collections.abc import Mapping, Sequence

from dlqconsole.engine.dead_letters.claims import Claim, ClaimRequest
from dlqconsole.engine.pacing import PaceKey
from dlqconsole.retries.policies import Lane
from dlqconsole.retries.rates import Rate

# as much is claimed as can begin within this time
AHEAD_SECONDS = 1.0
# of a handler that nobody has seen yet
FIRST_GUESS_SECONDS = 0.5
# how soon a lane that had nothing due is asked again, while others go on
REST_SECONDS = 0.5
# the newest attempt's part in what is thought of the handler
NEWEST = 0.2


class WorkerLane:
    """What a worker holds of one lane, and what it has used."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.waiting: deque[Claim] = deque()
        self.running = 0
        # seconds of handlers, and what one takes
        self.used, self.mean = 0.0, FIRST_GUESS_SECONDS
        # the breaker that nobody may try for a while
        self.blocked_by = ""
        self._rests_until = self._held_back_until = self._paced_until = 0.0
        self._rate = Rate(lane.policy.rate)

    def follow(self, lane: Lane, workers: int) -> None:
        """Its policy as it is now; of a rate each worker has a part."""
        self.lane = lane
        if math.isinf(self._rests_until):  # it could not run for a while
            self._rests_until = 0.0
        self._rate.follow(None if lane.policy.rate is None else lane.policy.rate / workers)

    @property
    def weight(self) -> float:
        return float(self.lane.policy.weight)

    @property
    def share(self) -> tuple[float, float]:
        """How much of its share the lane has, in handlers and in their time: who has least comes first."""
        return self.running / self.weight, self.used / self.weight

    @property
    def may_have_more(self) -> bool:
        """Whether it has something, or may have."""
        return bool(self.waiting or self.running) or time.monotonic() >= self._rests_until

    @property
    def rests(self) -> bool:
        """Whether the last claim said that no more of it was due."""
        return time.monotonic() < self._rests_until

    @property
    def is_held_back(self) -> bool:
        """Whether only a rate keeps it, or a part of it, from going on."""
        return self.is_slowed or self._rate.room() == 0 or time.monotonic() < self._held_back_until

    @property
    def is_slowed(self) -> bool:
        """Whether a failure group of it waits for its pace."""
        return time.monotonic() < self._paced_until

    def has(self, key: PaceKey) -> bool:
        """Whether events of this failure group are in the lane."""
        lane = self.lane
        return (
            key.event_type == lane.event_type
            and (lane.only_groups is None or key.group_id in lane.only_groups)
            and (lane.but_groups is None or key.group_id not in lane.but_groups)
        )

    def room(self, handlers: float) -> int:
        """How many to claim now, where so many handlers are the lane's: few at once, and not too often."""
        if time.monotonic() < max(self._rests_until, self._held_back_until):
            return 0
        ahead = math.ceil(handlers * AHEAD_SECONDS / max(self.mean, 0.001))
        most = min(max(ahead, math.ceil(handlers)), self.lane.policy.batch)
        held = len(self.waiting)
        return min(most - held, self._rate.room()) if held <= most // 2 else 0

    def wanted(self, room: int, more_lease: float, slowed: Mapping[int, int] | None = None) -> ClaimRequest:
        """So many of it, for a claim."""
        policy = self.lane.policy
        return ClaimRequest(
            self.lane.event_type,
            room,
            policy.max_retries,
            policy.lease_seconds + more_lease,
            self.lane.categories,
            self.lane.only_groups,
            self.lane.but_groups,
            policy.parallelism,
            slowed or {},
        )

    def claimed(self, claims: Sequence[Claim], room: int) -> None:
        """What asking for so many brought. Fewer: for now no more of it is due."""
        self.waiting.extend(claims)
        self._rate.took(len(claims))
        if len(claims) < room:
            self.rest(REST_SECONDS)

    def rest(self, seconds: float) -> None:
        """Claim no more of it for a while."""
        self._rests_until = max(self._rests_until, time.monotonic() + seconds)

    def hold_back(self, seconds: float) -> None:
        """Somebody else's rate lets no more of it through for a while."""
        self._held_back_until = time.monotonic() + seconds

    def wait_for_pace(self, seconds: float) -> None:
        """A failure group of it is slowed and may have no more for a while; the others go on."""
        self._paced_until = time.monotonic() + seconds

    def take(self, suspects: int) -> Claim | None:
        """The next to begin; while a suspect runs, the next that is none."""
        for claim in self.waiting:
            if not (suspects and claim.crash_count):
                self.waiting.remove(claim)
                return claim
        return None

    def ended(self, seconds: float) -> None:
        """One of its handlers has ended after so long."""
        self.running -= 1
        self.used += seconds
        self.mean += NEWEST * (seconds - self.mean)

    def put_down(self) -> list[Claim]:
        """What waits, which is to be given back."""
        left = list(self.waiting)
        self.waiting.clear()
        return left
