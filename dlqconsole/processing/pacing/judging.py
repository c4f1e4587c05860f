"""How fast what failed may be tried again: additive increase, multiplicative decrease.

Pure: what is known, and what a window of time has shown, make the next rate. The rule is TCP's (RFC 5681:
half of what was really under way, not half of what was allowed; then a fixed step more each time), because it
needs to know nothing of the other side, gives up load quickly and takes it back slowly, and lets several who
share one side come to terms. Latency is judged by its gradient against a slow average of itself, as Netflix's
concurrency-limits do (Gradient2Limit), because what "slow" is differs between handlers by a factor of ten
thousand. docs/retries.md, "Pace", tells it with the numbers.
"""

import math
from dataclasses import dataclass, replace

from .words import share_words, slow_words

# a rate changes at most once in so long
INTERVAL_SECONDS = 10.0
# a window that has seen too little by then begins anew
LONGEST_WINDOW_SECONDS = 60.0
# so many outcomes are evidence; at a slow rate that lets fewer through, fewer are
ENOUGH, LEAST = 20, 3
DECREASE = 0.5
# from the floor to the ceiling by the additive steps alone
STEPS = 60
# latency: so much above its baseline is noise, and so is what no person would notice
TOLERANCE = 2.0
NOISE_SECONDS = 0.05
# how much of the way to what is seen the baseline goes in a window. Downwards soon; upwards so slowly that
# getting used to ten times as slow takes it some ten minutes
FALL, RISE = 0.2, 0.02


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


@dataclass(frozen=True, slots=True)
class Known:
    """``rate``: events a second, None while nothing is held back. Latencies are typical ones, in seconds."""

    rate: float | None = None
    baseline_seconds: float | None = None
    recent_seconds: float | None = None
    share: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a window of ``seconds`` has shown: how many were tried again, and failed again.

    ``log_seconds`` is the sum of the logarithms of the latencies of ``timed`` successes: their geometric mean
    is not moved by a few that hang, and the sums of several processes add up.
    """

    tried: int
    came_back: int
    timed: int
    log_seconds: float
    seconds: float

    @property
    def share(self) -> float:
        return self.came_back / self.tried

    @property
    def latency(self) -> float | None:
        return math.exp(self.log_seconds / self.timed) if self.timed else None


def enough(rate: float | None) -> int:
    """How many outcomes a window must have."""
    return ENOUGH if rate is None else max(min(ENOUGH, int(rate * INTERVAL_SECONDS)), LEAST)


def judge(known: Known, seen: Evidence, bounds: Bounds) -> Known:
    """What is known after a window in which at least one outcome was seen."""
    latency = seen.latency
    noted = replace(
        known,
        baseline_seconds=_baseline(known.baseline_seconds, latency),
        recent_seconds=latency or known.recent_seconds,
        share=seen.share,
    )
    factor, why = _pressure(known.baseline_seconds, seen, bounds)
    if factor < 1:
        is_evidence = seen.tried >= enough(known.rate)
        return _slower(noted, seen, bounds, factor, why) if is_evidence else noted
    return _faster(noted, bounds) if seen.share <= bounds.come_back / 2 else noted


def _pressure(baseline: float | None, seen: Evidence, bounds: Bounds) -> tuple[float, str]:
    """What the rate is to be multiplied by, and why; 1 where nothing is wrong."""
    by_latency, latency = 1.0, seen.latency
    if baseline and latency and latency - baseline > NOISE_SECONDS:
        by_latency = max(min(TOLERANCE * baseline / latency, 1.0), DECREASE)
    if seen.share > bounds.come_back:
        return min(DECREASE, by_latency), share_words(seen.came_back, seen.tried)
    return by_latency, slow_words(latency, baseline) if by_latency < 1 and latency and baseline else ""


def _slower(known: Known, seen: Evidence, bounds: Bounds, factor: float, why: str) -> Known:
    """Of what was really tried: a limit that nobody reached says nothing about what can be borne."""
    tried = seen.tried / max(seen.seconds, 1.0)
    base = tried if known.rate is None else min(known.rate, tried)
    return replace(known, rate=min(max(base * factor, bounds.floor), bounds.ceiling), why=why)


def _faster(known: Known, bounds: Bounds) -> Known:
    """A step more, but never more than twice as fast: from a slow floor a step would be a leap."""
    if known.rate is None:
        return known
    rate = max(known.rate, bounds.floor) + min(bounds.step, known.rate)
    return replace(known, rate=None, why="") if rate >= bounds.ceiling else replace(known, rate=rate)


def _baseline(baseline: float | None, latency: float | None) -> float | None:
    """What lasts becomes the usual."""
    if baseline is None or latency is None:
        return latency or baseline
    return float(baseline * (latency / baseline) ** (FALL if latency < baseline else RISE))
