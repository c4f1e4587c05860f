"""The rate at which failed events may be tried again: additive increase, multiplicative decrease.

Pure: what is known, and what a window of time has shown, make the next rate. The rule is TCP's (RFC 5681:
half of what was really under way, not half of what was allowed; then a fixed step more each time), because it
needs to know nothing of the other side, gives up load quickly and takes it back slowly, and lets several who
share one side come to terms. Latency is judged by its gradient against a slow average of itself, as Netflix's
concurrency-limits do (Gradient2Limit), because what "slow" is differs between handlers by a factor of ten
thousand. What fails again says how slow is slow enough: only what is hopeless is held to the floor.
docs/retries.md, "Pace", tells it with the numbers.
"""

import math
from dataclasses import dataclass, replace

from dlqconsole.processing.inputs.sentences import Sentence, gettext_noop, stored

# a rate changes at most once in so long
INTERVAL_SECONDS = 10.0
# a window that has seen too little by then begins anew
LONGEST_WINDOW_SECONDS = 60.0
# outcomes that are evidence; fewer are at a slow rate, which lets fewer through
ENOUGH, LEAST = 20, 3
# outcomes that are evidence before the window is over, while nothing is slowed yet
CLEAR = 50
DECREASE = 0.5
# from the floor to the ceiling by the additive steps alone
STEPS = 60
# latency: so much above its baseline is noise, and so is what no person would notice
TOLERANCE = 2.0
NOISE_SECONDS = 0.05
# the part of the way to the latest latency that the baseline goes in a window. Downwards soon; upwards so
# slowly that getting used to ten times as slow takes it some ten minutes
FALL, RISE = 0.2, 0.02

SHARE = stored("{percent:d} % of {attempts:,} failed again")
SLOW = stored("its handler takes {latency}, {usual} is usual")
_UNITS = (
    (1.0, gettext_noop("{number:,} a second")), (60.0, gettext_noop("{number:,} a minute")),
    (3_600.0, gettext_noop("{number:,} an hour")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bounds:
    """``floor`` and ``ceiling``: events a second; above the ceiling nothing is held back. ``come_back``: the
    share, 0 to 1, of what is tried again that may fail again before it is slowed."""

    floor: float
    ceiling: float
    come_back: float

    @property
    def step(self) -> float:
        """The additive increase of a window."""
        return (self.ceiling - self.floor) / STEPS

    def lowest(self, share: float) -> float:
        """The slowest where such a share fails again: the floor where all does, the ceiling where no more
        than may, and evenly in between on a scale of factors. Slower would waste what succeeds."""
        if share >= 1 or self.come_back >= 1:
            return self.floor
        excess = max(share - self.come_back, 0.0) / (1 - self.come_back)
        return float(self.ceiling * (self.floor / self.ceiling) ** excess)


# 60 and 30,000 events a minute
DEFAULT_BOUNDS = Bounds(floor=1.0, ceiling=500.0, come_back=0.2)


@dataclass(frozen=True, slots=True)
class PaceState:
    """``rate``: events a second, None while nothing is held back. Latencies are typical ones, in seconds."""

    rate: float | None = None
    baseline_seconds: float | None = None
    recent_seconds: float | None = None
    share: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of a window of ``seconds``: how many were tried again, and failed again.

    ``log_seconds`` is the sum of the logarithms of the latencies of ``latency_count`` successes: their
    geometric mean is not moved by a few that hang, and the sums of several processes add up.
    """

    attempts: int
    came_back: int
    latency_count: int
    log_seconds: float
    seconds: float

    @property
    def share(self) -> float:
        return self.came_back / self.attempts

    @property
    def latency(self) -> float | None:
        return math.exp(self.log_seconds / self.latency_count) if self.latency_count else None


def enough(rate: float | None) -> int:
    """Return the number of outcomes that a window must have."""
    return ENOUGH if rate is None else max(min(ENOUGH, int(rate * INTERVAL_SECONDS)), LEAST)


def is_bad(state: PaceState, evidence: Evidence, bounds: Bounds) -> bool:
    """Tell whether it is clear before the window is over: nothing succeeded, or too much failed again."""
    if state.rate is not None:
        return False
    is_hopeless = evidence.came_back == evidence.attempts >= ENOUGH
    return is_hopeless or (evidence.attempts >= CLEAR and evidence.share > bounds.come_back)


def judge(state: PaceState, evidence: Evidence, bounds: Bounds) -> PaceState:
    """Return the state after a window in which at least one outcome was seen."""
    latency = evidence.latency
    next_state = replace(
        state,
        baseline_seconds=_baseline(state.baseline_seconds, latency),
        recent_seconds=latency or state.recent_seconds,
        share=evidence.share,
    )
    slower, why = _slower(state, evidence, bounds)
    if why:
        is_evidence = evidence.attempts >= enough(state.rate)
        return replace(next_state, rate=slower, why=why) if is_evidence else next_state
    return _faster(next_state, bounds) if evidence.share <= bounds.come_back / 2 else next_state


def _slower(state: PaceState, evidence: Evidence, bounds: Bounds) -> tuple[float, str]:
    """The next rate and why it is slower; no reason where nothing is wrong.

    Of what was really tried: a limit that nobody reached says nothing about what can be borne.
    """
    actual = evidence.attempts / max(evidence.seconds, 1.0)
    base, most = (actual, bounds.ceiling) if state.rate is None else (min(state.rate, actual), state.rate)
    rate, why, latency, usual = most, "", evidence.latency, state.baseline_seconds
    if usual and latency and latency - usual > NOISE_SECONDS and latency > TOLERANCE * usual:
        rate = base * max(TOLERANCE * usual / latency, DECREASE)
        why = slow_words(latency, usual)
    if evidence.share > bounds.come_back:
        gentle = 0.0 if evidence.share >= 1 else base * DECREASE
        rate = min(rate, max(gentle, bounds.lowest(evidence.share)))
        why = share_words(evidence.came_back, evidence.attempts)
    return max(min(rate, most), bounds.floor), why


def _faster(state: PaceState, bounds: Bounds) -> PaceState:
    """A step more, but never more than twice as fast: from a slow floor a step would be a leap."""
    if state.rate is None:
        return state
    rate = max(state.rate, bounds.floor) + min(bounds.step, state.rate)
    return replace(state, rate=None, why="") if rate >= bounds.ceiling else replace(state, rate=rate)


def _baseline(baseline: float | None, latency: float | None) -> float | None:
    """Make what lasts the usual."""
    if baseline is None or latency is None:
        return latency or baseline
    return float(baseline * (latency / baseline) ** (FALL if latency < baseline else RISE))


def rate_words(per_second: float) -> str:
    """Return a rate in the largest unit that has ten of them: ``120 an hour``."""
    units = ((seconds, words) for seconds, words in _UNITS if per_second * seconds >= 10)
    seconds, words = next(units, _UNITS[-1])
    return Sentence(words, number=round(per_second * seconds))


def share_words(came_back: int, attempts: int) -> str:
    """``34 % of 212 failed again``."""
    return SHARE.format(percent=came_back * 100 // attempts, attempts=attempts)


def latency_words(seconds: float) -> str:
    """``480 ms``, ``2.1 s``."""
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def slow_words(latency: float, baseline: float) -> str:
    """Return the reason: it is slowed by latency."""
    return SLOW.format(latency=latency_words(latency), usual=latency_words(baseline))
