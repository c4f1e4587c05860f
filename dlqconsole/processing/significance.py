"""Whether a difference between two counts is more than chance, and how large it is. Plain arithmetic."""

from collections.abc import Sequence
from math import exp, lgamma, log

# terms of a tail that are so much smaller than its sum change nothing
_NEGLIGIBLE = 1e-12


def lift(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """How many times more frequent something is in the first than in the second.

    Half a case is added on each side, so that what was never seen in the second gives a large number that
    grows with what was looked at, and not infinity.
    """
    return ((hits + 0.5) / (total + 1)) / ((other_hits + 0.5) / (other_total + 1))


def chance(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """How likely the first has at least so many hits, if both were drawn from one pot (Fisher, one-sided)."""
    everything, marked = total + other_total, hits + other_hits
    most = min(total, marked)
    first = _log_choose(marked, hits) + _log_choose(everything - marked, total - hits)
    term = exp(min(first - _log_choose(everything, total), 0.0))
    tail = term
    for found in range(hits, most):
        term *= (marked - found) * (total - found)
        term /= (found + 1) * (everything - marked - total + found + 1)
        tail += term
        if term < tail * _NEGLIGIBLE:
            break
    return min(tail, 1.0)


def _log_choose(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)


def believable(chances: Sequence[float], tried: int, false_share: float) -> list[bool]:
    """Which of some findings stand, so that at most this share of them is chance (Benjamini and Hochberg).

    ``tried``: how many questions were asked, those without a finding too.
    """
    ranked = sorted(range(len(chances)), key=lambda place: chances[place])
    last = 0
    for rank, place in enumerate(ranked, 1):
        if chances[place] <= false_share * rank / max(tried, len(chances)):
            last = rank
    standing = set(ranked[:last])
    return [place in standing for place in range(len(chances))]


def surprise(probability: float) -> float:
    """The same on a scale on which more is more: 3 for one in a thousand."""
    return -log(max(probability, 1e-300), 10)
