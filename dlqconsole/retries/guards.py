"""What holds a lane back though something of it is due: its breaker, its pace, and a run that began late."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dlqconsole.engine.breakers import Blocked, Gate
from dlqconsole.engine.dead_letters.claims import Claim
from dlqconsole.engine.pacing import Pace, PaceKey
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.retries.rates import Rate, gentle_rate
from dlqconsole.retries.worker_lane import WorkerLane

# what was refused is not asked for again before
REFUSED_SECONDS = 0.25
# while a breaker is open its lane is looked at about so often
STOPPED_SECONDS = 1.0
# a breaker that lets somebody try within this time is waited for
SOON_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Room:
    """How many of a lane may be claimed; no more of the ``slowed`` failure groups than so many each."""

    number: int
    slowed: Mapping[int, int] = field(default_factory=dict)


class Guards:
    """Asked by one worker before each claim, and told what came of each attempt.

    ``late``: the run began so late that what has piled up is let through gently.
    """

    def __init__(self, late: bool) -> None:
        self._gate = Gate()
        # lanes of which one tries whether an outage is over
        self._probing: set[WorkerLane] = set()
        # lanes of which one would try, if they have one
        self._asking: set[WorkerLane] = set()
        self._pace = Pace()
        # event types whose breaker was seen open
        self._stopped: set[str] = set()
        self._late = late
        self._gentle = Rate(gentle_rate(0.0, 1)) if late else Rate(None)

    def look(self, seconds: float, workers: int) -> None:
        """So long after the run began, with so many workers in it."""
        if self._late:
            self._gentle.follow(gentle_rate(seconds, workers))

    def room(self, lane: WorkerLane, wanted: int) -> Room:
        """How many of the wanted may be claimed. What is not used is given back by ``took``."""
        lane.blocked_by = ""
        event_type = lane.lane.event_type
        if not (lane.waiting or lane.running):  # the one that tried was lost, or left to others
            self._probing.discard(lane)
        if blocked := self._gate.blocked(event_type):
            self._leave_to_breaker(event_type)
            return Room(self._probes(lane, blocked))
        self._stopped.discard(event_type)
        most = min(wanted, self._gentle.room())
        if most < wanted:
            lane.hold_back(REFUSED_SECONDS)
        keys = {key: most for key in self._pace.slowed() if lane.has(key)}
        if not keys or not most:
            return Room(most)
        slowed = {key.group_id: number for key, number in self._pace.allowed(keys).items()}
        if not all(slowed.values()):
            lane.wait_for_pace(REFUSED_SECONDS)
        return Room(most, slowed)

    def stops(self, lane: WorkerLane) -> bool:
        """Whether what was claimed of the lane must not begin: a breaker has opened since."""
        return lane not in self._probing and self._gate.blocked(lane.lane.event_type) is not None

    def took(self, lane: WorkerLane, room: Room, claims: Sequence[Claim]) -> None:
        """So much was allowed, and these were taken. ``stops`` says whether they may begin."""
        # only who has something to run may take the breaker's turn: it is one for all processes
        if claims and lane in self._asking and self._gate.may_probe(lane.lane.event_type):
            self._probing.add(lane)
        self._asking.discard(lane)
        self._gentle.took(len(claims))
        taken = Counter(claim.group_id for claim in claims)
        unused = {PaceKey(lane.lane.event_type, group): n - taken[group] for group, n in room.slowed.items()}
        self._pace.give_back(unused)

    def note(self, lane: WorkerLane, claim: Claim, outcome: Outcome, seconds: float) -> None:
        """What came of an attempt of the lane, after so long."""
        tried = lane in self._probing
        self._probing.discard(lane)
        self._gate.note(claim.event_type, outcome, first=False, which=str(claim.id))
        if tried:  # what an outage does to those that try is the breaker's
            return
        came_back = isinstance(outcome, Failed)
        away = isinstance(outcome, Failed) and outcome.says_away
        self._pace.note(PaceKey(claim.event_type, claim.group_id), seconds, came_back, away=away)

    def flush(self, *, now: bool = False) -> None:
        """Tell the fleet what was noted, about once a second."""
        self._gate.flush()
        self._pace.flush(now=now)

    def _leave_to_breaker(self, event_type: str) -> None:
        """What an outage did is no reason to be slow once it is over."""
        if event_type not in self._stopped:
            self._stopped.add(event_type)
            self._pace.forget([event_type])

    def _probes(self, lane: WorkerLane, blocked: Blocked) -> int:
        """One that would try, where it is time; else the lane is left alone."""
        soon = blocked.next_probe_seconds
        if lane not in self._probing:
            if soon == 0:
                self._asking.add(lane)
                return 1
            if soon is None or soon > SOON_SECONDS:
                lane.blocked_by = blocked.key
        lane.hold_back(max(min(soon or STOPPED_SECONDS, STOPPED_SECONDS), REFUSED_SECONDS))
        return 0
