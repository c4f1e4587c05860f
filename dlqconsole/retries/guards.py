"""What holds a lane back though something of it is due: its pace, and a run that began late."""

from dlqconsole.engine.pacing import Pace
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.retries.lines import Line
from dlqconsole.retries.rates import Rate, gentle_rate

# what was refused is not asked for again before
REFUSED_SECONDS = 0.25


class Guards:
    """Asked by one worker before each claim, and told what came of each attempt.

    ``late``: the run began so late that what has piled up is let through gently.
    """

    def __init__(self, late: bool) -> None:
        self._pace = Pace()
        self._late = late
        self._gentle = Rate(gentle_rate(0.0, 1)) if late else Rate(None)

    def look(self, seconds: float, workers: int) -> None:
        """So long after the run began, with so many workers in it."""
        if self._late:
            self._gentle.follow(gentle_rate(seconds, workers))

    def room(self, line: Line, wanted: int) -> int:
        """How many of the wanted may be claimed. What is not used is given back by ``took``."""
        allowed = self._pace.allowed(line.lane.event_type, min(wanted, self._gentle.room()))
        if allowed < wanted:
            line.hold_back(REFUSED_SECONDS)
        return allowed

    def took(self, line: Line, allowed: int, taken: int) -> None:
        """So many were allowed, and so many taken."""
        self._gentle.took(taken)
        self._pace.give_back(line.lane.event_type, allowed - taken)

    def note(self, line: Line, outcome: Outcome, seconds: float) -> None:
        """What came of an attempt of the lane, after so long."""
        self._pace.note(line.lane.event_type, seconds, isinstance(outcome, Failed))

    def flush(self, *, now: bool = False) -> None:
        """Tell the fleet what was noted, about once a second."""
        self._pace.flush(now=now)
