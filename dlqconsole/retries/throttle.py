"""The throttle of a lane with due dead letters: its breaker, its pace, the gentle start of a late run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.flow.breakers import Blocked, Gate
from dlqconsole.core.flow.outcomes import note_retry
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.processing.outcomes import Outcome
from dlqconsole.retries.rates import Rate, gentle_rate
from dlqconsole.retries.worker_lane import WorkerLane

# the wait after a refusal
REFUSED_SECONDS = 0.25
# the interval of looks at a lane whose breaker is open
STOPPED_SECONDS = 1.0
# a run waits for a breaker that allows a probe within this time
SOON_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Room:
    """The number that may be claimed of a lane; ``group_limits``: at most these of slowed failure groups."""

    number: int
    group_limits: Mapping[int, int] = field(default_factory=dict)


class InGroup(Protocol):
    """A dead letter that was taken, of this failure group."""

    @property
    def group_id(self) -> int: ...


class Throttle:
    """One worker's throttle: it allows claims, and hears the outcome of each attempt.

    ``late``: the run began so late that its backlog must start gently.
    """

    def __init__(self, late: bool) -> None:
        self._gate = Gate()
        # lanes with a probe under way
        self._probing: set[WorkerLane] = set()
        # lanes that may probe once they have a claim
        self._asking: set[WorkerLane] = set()
        self._pace = Pace()
        # event types whose breaker was open at the last look
        self._types_seen_open: set[str] = set()
        self._late = late
        self._gentle = Rate(gentle_rate(0.0, 1)) if late else Rate(None)

    def look(self, seconds: float, workers: int) -> None:
        """Adjust the gentle rate to the seconds since the run began and its number of workers."""
        if self._late:
            self._gentle.follow(gentle_rate(seconds, workers))

    def room(self, lane: WorkerLane, demand: int, *, revives: bool = False) -> Room:
        """Return the number that may be claimed, of ``demand``. ``took`` gives back the unused rest.

        ``revives``: they are put on their queue, whose consumers probe an open breaker themselves.
        """
        lane.blocked_by = ""
        event_type = lane.lane.event_type
        if not (lane.waiting or lane.running):  # the probe was lost, or left to others
            self._probing.discard(lane)
        if breaker := self._gate.blocked(event_type):
            self._leave_to_breaker(event_type)
            return Room(_for_a_probe(lane, breaker) if revives else self._probes(lane, breaker))
        self._types_seen_open.discard(event_type)
        most = min(demand, self._gentle.room())
        if most < demand:
            lane.hold_back(REFUSED_SECONDS)
        keys = {key: most for key in self._pace.slowed() if lane.has(key)}
        if not keys or not most:
            return Room(most)
        group_limits = {key.group_id: number for key, number in self._pace.allowed(keys).items()}
        if not all(group_limits.values()):
            lane.wait_for_pace(REFUSED_SECONDS)
        return Room(most, group_limits)

    def stops(self, lane: WorkerLane) -> bool:
        """Tell whether claims of the lane must not begin: a breaker has opened since."""
        return lane not in self._probing and self._gate.blocked(lane.lane.event_type) is not None

    def took(self, lane: WorkerLane, room: Room, claims: Sequence[InGroup]) -> None:
        """Note the claims that were taken of the allowed room. ``stops`` tells whether they may begin."""
        # only a lane with a claim may take the breaker's probe: all processes share one
        if claims and lane in self._asking and self._gate.may_probe(lane.lane.event_type):
            self._probing.add(lane)
        self._asking.discard(lane)
        self._gentle.took(len(claims))
        numbers = Counter(claim.group_id for claim in claims)
        unused = {
            PaceKey(lane.lane.event_type, group): number - numbers[group]
            for group, number in room.group_limits.items()
        }
        self._pace.give_back(unused)

    def note(self, lane: WorkerLane, claim: Claim, outcome: Outcome, seconds: float) -> None:
        """Note the outcome of an attempt of the lane, and its seconds."""
        was_probe = lane in self._probing
        self._probing.discard(lane)
        if was_probe:  # a probe's failure counts for the breaker, not for the pace
            self._gate.note(claim.event_type, outcome, first=False, which=str(claim.id))
            return
        key = PaceKey(claim.event_type, claim.group_id)
        note_retry(self._gate, self._pace, claim.event_type, key, claim.id, outcome, seconds)

    def note_revived(self, event_type: str, group_id: int, came_back: bool) -> None:
        """Note the outcome of a revived message: its consumer tells the breaker, if it has one."""
        self._pace.note_many(PaceKey(event_type, group_id), 1, int(came_back), at_once=came_back)

    def flush(self, *, now: bool = False) -> None:
        """Write the notes for the fleet, about once a second."""
        self._gate.flush()
        self._pace.flush(now=now)

    def _leave_to_breaker(self, event_type: str) -> None:
        """Forget the pace of a type when its breaker opens: an outage is no reason to be slow after it."""
        if event_type not in self._types_seen_open:
            self._types_seen_open.add(event_type)
            self._pace.forget([event_type])

    def _probes(self, lane: WorkerLane, breaker: Blocked) -> int:
        """Return 1 if the lane may probe now; else hold it back and return 0."""
        soon = breaker.next_probe_seconds
        if lane not in self._probing:
            if soon == 0:
                self._asking.add(lane)
                return 1
            if soon is None or soon > SOON_SECONDS:
                lane.blocked_by = breaker.key
        lane.hold_back(max(min(soon or STOPPED_SECONDS, STOPPED_SECONDS), REFUSED_SECONDS))
        return 0


def _for_a_probe(lane: WorkerLane, breaker: Blocked) -> int:
    """Return 1 if a consumer may probe and has no message for it; else hold the lane back and return 0."""
    soon = breaker.next_probe_seconds
    if soon == 0 and not lane.under_way:
        return 1
    if soon is None or soon > SOON_SECONDS:
        lane.blocked_by = breaker.key
    lane.hold_back(STOPPED_SECONDS)
    return 0
