"""Changes of a type's payloads: a path has appeared, vanished, or holds another type than before.

A change is told where an hour cannot be like the hours before it: not by their sum, not by any one of them,
and not by chance. A field that is optional comes and goes, and is never told.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dlqconsole.contrib.insight.statistics.payload_paths import HIDDEN
from dlqconsole.contrib.insight.statistics.significance import chance

# payloads that must have been looked at: now, and in all the hours before
FEWEST_NOW, FEWEST_BEFORE = 20, 60
# shares of payloads, 0 to 1: hardly any, in no hour more than few, and many
HARDLY, FEW, MANY = 0.02, 0.05, 0.3
# a path that vanishes was in at least half of them, a new type is what stands in at least half
HALF = 0.5
# one in a million: with thousands of paths looked at every few minutes, chance tells one in years
UNLIKELY = 1e-6

APPEARED, VANISHED, BECAME = "appeared", "vanished", "became"


@dataclass(slots=True)
class PathSums:
    """One path: events that have it (estimated), payloads looked at that have it, and events by type."""

    events: float = 0.0
    payloads: int = 0
    types: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Hour:
    """The payloads of one type in an hour, or in a part of it."""

    events: float = 0.0
    payloads: int = 0
    paths: defaultdict[str, PathSums] = field(default_factory=lambda: defaultdict(PathSums))

    def share(self, path: str) -> float:
        """The share of its events that have the path: 0 to 1."""
        return self.paths[path].events / self.events if self.events and path in self.paths else 0.0

    def type_share(self, path: str, kind: str) -> float:
        """The share of the events with the path in which it is of this type: 0 to 1."""
        path_sums = self.paths.get(path)
        return path_sums.types[kind] / path_sums.events if path_sums and path_sums.events else 0.0


@dataclass(frozen=True, slots=True)
class Drift:
    """``before`` and ``after`` are types, where it became another one; shares are 0 to 1."""

    path: str
    kind: str
    before: str
    after: str
    share_before: float
    share_after: float
    payloads_before: int
    payloads: int


def changes(before: Sequence[Hour], now: Hour) -> list[Drift]:
    """Return what is different now.

    ``before``: hours in which payloads were looked at. Few hours give no result.
    """
    if now.payloads < FEWEST_NOW or sum(hour.payloads for hour in before) < FEWEST_BEFORE:
        return []
    usual = pool_hours(before)
    by_path = [change for path in {*usual.paths, *now.paths} for change in _of_path(path, before, usual, now)]
    return _outermost(sorted(by_path, key=lambda change: (change.path, change.kind)))


def pool_hours(hours: Sequence[Hour]) -> Hour:
    """All of them as one, each by its shares: an hour of a flood tells no more than any other."""
    usual = Hour()
    for hour in hours:
        if not hour.events:
            continue
        scale = hour.payloads / hour.events
        usual.events += hour.payloads
        usual.payloads += hour.payloads
        for path, path_sums in hour.paths.items():
            sum_of = usual.paths[path]
            sum_of.events += path_sums.events * scale
            sum_of.payloads += path_sums.payloads
            for kind, events in path_sums.types.items():
                sum_of.types[kind] += events * scale  # type: ignore[assignment]
    return usual


def _of_path(path: str, before: Sequence[Hour], usual: Hour, now: Hour) -> Iterator[Drift]:
    was, is_now = usual.share(path), now.share(path)
    if _has_appeared(path, before, was, is_now):
        if _chance(is_now, now.payloads, was, usual.payloads) < UNLIKELY:
            yield Drift(path, APPEARED, "", _main_type(now, path), was, is_now, usual.payloads, now.payloads)
    elif _has_vanished(path, before, was, is_now):
        if _chance(1 - is_now, now.payloads, 1 - was, usual.payloads) < UNLIKELY:
            kind = _main_type(usual, path)
            yield Drift(path, VANISHED, kind, "", was, is_now, usual.payloads, now.payloads)
    elif path in usual.paths and path in now.paths:
        yield from _became(path, before, usual, now)


def _has_appeared(path: str, before: Sequence[Hour], was: float, is_now: float) -> bool:
    return was <= HARDLY and is_now >= MANY and all(hour.share(path) <= FEW for hour in before)


def _has_vanished(path: str, before: Sequence[Hour], was: float, is_now: float) -> bool:
    return was >= HALF and is_now <= HARDLY and all(hour.share(path) >= MANY for hour in before)


def _became(path: str, before: Sequence[Hour], usual: Hour, now: Hour) -> Iterator[Drift]:
    current, usual_sums = now.paths[path], usual.paths[path]
    enough = current.payloads >= FEWEST_NOW and usual_sums.payloads >= FEWEST_BEFORE
    # a value that is masked on one side only says nothing about types
    if not enough or HIDDEN in current.types or HIDDEN in usual_sums.types:
        return
    kind = _main_type(now, path)
    was, is_now = usual.type_share(path, kind), now.type_share(path, kind)
    if was > HARDLY or is_now < HALF or any(hour.type_share(path, kind) > FEW for hour in before):
        return
    if _chance(is_now, current.payloads, was, usual_sums.payloads) < UNLIKELY:
        usually = _main_type(usual, path)
        yield Drift(path, BECAME, usually, kind, was, is_now, usual_sums.payloads, current.payloads)


def _main_type(hour: Hour, path: str) -> str:
    types = hour.paths[path].types.most_common(1)
    return types[0][0] if types else ""


def _chance(share: float, payloads: int, usual: float, usual_payloads: int) -> float:
    return chance(round(share * payloads), payloads, round(usual * usual_payloads), usual_payloads)


def _outermost(candidates: list[Drift]) -> list[Drift]:
    """Leave out what is below a path that came or went together with it."""
    kinds = {change.path: change.kind for change in candidates if change.kind != BECAME}
    rest = [
        change for change in candidates if change.kind == BECAME or not any(
            kinds.get(above) == change.kind for above in _above(change.path)
        )
    ]  # fmt: skip
    # a path whose own type has changed takes along all that stood below it
    became = {change.path for change in rest if change.kind == BECAME}
    return [change for change in rest if not any(above in became for above in _above(change.path))]


def _above(path: str) -> Iterator[str]:
    """The paths that this one stands below: of ``items[].sku`` these are ``items[]`` and ``items``."""
    for place, character in enumerate(path):
        if place and character in ".[":
            yield path[:place]
