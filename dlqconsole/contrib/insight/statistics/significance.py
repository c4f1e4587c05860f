"""The significance and the size of a difference between two counts. Plain arithmetic."""

from collections.abc import Sequence
from math import exp, lgamma, log

# terms of a tail that are so much smaller than its sum change nothing
_NEGLIGIBLE = 1e-12


def lift(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """Return how many times more frequent something is in the first than in the second.

    Half a case is added on each side, so that what was never seen in the second gives a large number that
    grows with what was looked at, and not infinity.
    """
    return ((hits + 0.5) / (total + 1)) / ((other_hits + 0.5) / (other_total + 1))


def chance(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """Return how likely the first has so many hits or more, if both come from one pot (Fisher, one-sided)."""
    everything, all_hits = total + other_total, hits + other_hits
    most = min(total, all_hits)
    first = _log_choose(all_hits, hits) + _log_choose(everything - all_hits, total - hits)
    term = exp(min(first - _log_choose(everything, total), 0.0))
    tail = term
    for count in range(hits, most):
        term *= (all_hits - count) * (total - count)
        term /= (count + 1) * (everything - all_hits - total + count + 1)
        tail += term
        if term < tail * _NEGLIGIBLE:
            break
    return min(tail, 1.0)


def _log_choose(of: int, part: int) -> float:
    return lgamma(of + 1) - lgamma(part + 1) - lgamma(of - part + 1)


def believable(chances: Sequence[float], questions: int, false_share: float) -> list[bool]:
    """Tell which findings stand, with this share of them by chance at most (Benjamini and Hochberg).

    ``questions``: how many questions were asked, those without a finding too.
    """
    places = sorted(range(len(chances)), key=lambda place: chances[place])
    last = 0
    for rank, place in enumerate(places, 1):
        if chances[place] <= false_share * rank / max(questions, len(chances)):
            last = rank
    standing = set(places[:last])
    return [place in standing for place in range(len(chances))]


def surprise(probability: float) -> float:
    """The same on a scale on which more is more: 3 for one in a thousand."""
    return -log(max(probability, 1e-300), 10)
