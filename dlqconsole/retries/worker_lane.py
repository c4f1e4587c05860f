"""One lane in one worker: its claims, running handlers, use of handler time, and room for more."""

import math
import time
from collections import deque
from collections.abc import Mapping, Sequence

from django.conf import settings

from dlqconsole.core.dead_letters.claims import Claim, ClaimRequest
from dlqconsole.core.flow.pace import PaceKey
from dlqconsole.retries.policies import RetryPartition
from dlqconsole.retries.rates import Rate

# claims are taken ahead for this time
AHEAD_SECONDS = 1.0
# the guess for a handler that has not run yet
FIRST_GUESS_SECONDS = 0.5
# the wait before a lane without due dead letters is queried again, while others go on
REST_SECONDS = 0.5
# the weight of the newest attempt in the mean
NEWEST = 0.2


class WorkerLane:
    """A worker's claims of one lane, and its use of handler time."""

    def __init__(self, lane: RetryPartition) -> None:
        self.lane = lane
        self.waiting: deque[Claim] = deque()
        self.running = 0
        # seconds of handlers, and what one takes
        self.used, self.mean = 0.0, FIRST_GUESS_SECONDS
        # the breaker that nobody may try for a while
        self.blocked_by = ""
        # of a lane that is revived: the messages without an outcome, and whether nobody takes them
        self.under_way, self.is_full = 0, False
        self._rests_until = self._held_back_until = self._paced_until = 0.0
        self._rate = Rate(lane.policy.rate)

    def follow(self, lane: RetryPartition, workers: int) -> None:
        """Follow the present policy; each worker has a part of its rate."""
        self.lane = lane
        if math.isinf(self._rests_until):  # it could not run for a while
            self._rests_until = 0.0
        self._rate.follow(None if lane.policy.rate is None else lane.policy.rate / workers)

    @property
    def share(self) -> tuple[int, float]:
        """The lane's use of its share, in handlers and in their time: the least comes first."""
        return self.running, self.used

    @property
    def may_have_more(self) -> bool:
        """Tell whether it has claims, or may get some."""
        return bool(self.waiting or self.running) or time.monotonic() >= self._rests_until

    @property
    def rests(self) -> bool:
        """Tell whether the last claim found no more due dead letters."""
        return time.monotonic() < self._rests_until

    @property
    def is_held_back(self) -> bool:
        """Tell whether only a rate holds it, or a part of it, back."""
        return self.is_slowed or self._rate.room() == 0 or time.monotonic() < self._held_back_until

    @property
    def is_slowed(self) -> bool:
        """Tell whether a failure group of it waits for its pace."""
        return time.monotonic() < self._paced_until

    def has(self, key: PaceKey) -> bool:
        """Tell whether events of this failure group are in the lane."""
        lane = self.lane
        return (
            key.event_type == lane.event_type
            and (lane.only_groups is None or key.group_id in lane.only_groups)
            and (lane.but_groups is None or key.group_id not in lane.but_groups)
        )

    def room(self, handlers: float) -> int:
        """The number to claim now, if ``handlers`` are the lane's share: few at once, and not too often."""
        if time.monotonic() < max(self._rests_until, self._held_back_until):
            return 0
        ahead = math.ceil(handlers * AHEAD_SECONDS / max(self.mean, 0.001))
        most = min(max(ahead, math.ceil(handlers)), settings.DLQ_RETRY_BATCH_SIZE)
        waiting = len(self.waiting)
        return min(most - waiting, self._rate.room()) if waiting <= most // 2 else 0

    def request(self, room: int, lease: float, group_limits: Mapping[int, int] | None = None) -> ClaimRequest:
        """The request for a claim of ``room`` dead letters of it."""
        policy = self.lane.policy
        return ClaimRequest(
            self.lane.event_type,
            room,
            policy.max_retries,
            lease,
            self.lane.categories,
            self.lane.only_groups,
            self.lane.but_groups,
            group_limits or {},
            self.lane.only_queues,
        )

    def page(self) -> int:
        """The number to revive now: no handler is waited for."""
        if time.monotonic() < max(self._rests_until, self._held_back_until):
            return 0
        return min(int(settings.DLQ_RETRY_BATCH_SIZE), self._rate.room())

    def add_claims(self, claims: Sequence[Claim], room: int) -> None:
        """Add the claims that a request for ``room`` brought. Fewer: no more are due for now."""
        self.waiting.extend(claims)
        self.note_taken(len(claims), room)

    def note_taken(self, number: int, room: int) -> None:
        """Note that so many were taken of the room."""
        self._rate.took(number)
        if number < room:
            self.rest(REST_SECONDS)

    def rest(self, seconds: float) -> None:
        """Claim no more of it for a while."""
        self._rests_until = max(self._rests_until, time.monotonic() + seconds)

    def hold_back(self, seconds: float) -> None:
        """Claim no more of it for a while, because of a rate outside the lane."""
        self._held_back_until = time.monotonic() + seconds

    def wait_for_pace(self, seconds: float) -> None:
        """Note that a slowed failure group of it may have no more for a while; the others go on."""
        self._paced_until = time.monotonic() + seconds

    def take(self, suspects: int) -> Claim | None:
        """Return the next claim to begin; while a suspect runs, the next that is no suspect."""
        for claim in self.waiting:
            if not (suspects and claim.crash_count):
                self.waiting.remove(claim)
                return claim
        return None

    def note_end(self, seconds: float) -> None:
        """Note that one of its handlers has ended after so many seconds."""
        self.running -= 1
        self.used += seconds
        self.mean += NEWEST * (seconds - self.mean)

    def put_down(self) -> list[Claim]:
        """Return all waiting claims, to give back."""
        claims = list(self.waiting)
        self.waiting.clear()
        return claims
