"""The traits that failures share and successes lack: paths, types, values and ranges, with evidence.

Both sides are samples. A value is shown only if enough failures have it (``SUPPORT``, and 5 %),
it is clearly more frequent among them (``LIFT``), and chance is excluded for all that was asked together. It
says what goes together, not what is the cause.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.contrib.insight.statistics.payload_paths import ELEMENT, HIDDEN, Path, places, type_of
from dlqconsole.contrib.insight.statistics.significance import believable, chance, lift

# fewer on either side prove nothing
FEWEST_FAILURES, FEWEST_SUCCESSES = 8, 30
SUPPORT, SUPPORT_SHARE = 5, 0.05
LIFT = 1.5
# the share of the findings that may be chance
FALSE_SHARE = 0.01
# a value that is longer is no name for anything
LONGEST_VALUE = 120
# of different numbers, from here on ranges are looked at instead of values
MANY_NUMBERS = 12
# the parts of successes at whose ends ranges begin and end
PARTS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
# of one path no more is told
OF_A_PATH = 4

# the types whose values payloads may share
_VALUED = frozenset(("text", "number", "boolean"))

PRESENT, ABSENT, TYPE, VALUE, BELOW, FROM = "present", "absent", "type", "value", "below", "from"
# the kind that says more comes first, where both are as frequent
_PLAINEST = {PRESENT: 0, ABSENT: 0, TYPE: 1, VALUE: 2, BELOW: 3, FROM: 3}


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait of a payload. ``what``: the type, the value, or the bound of the range; else None."""

    kind: str
    path: Path
    what: Any = None


@dataclass(frozen=True, slots=True)
class SharedTrait:
    """A trait, how many of the failures and of the successes have it, and how likely that is chance."""

    trait: Trait
    failures: int
    of_failures: int
    successes: int
    of_successes: int
    chance: float

    @property
    def lift(self) -> float:
        """The factor by which it is more frequent among the failures."""
        return lift(self.failures, self.of_failures, self.successes, self.of_successes)

    @property
    def share(self) -> float:
        """The share of the failures that have it: 0 to 1."""
        return self.failures / self.of_failures

    @property
    def usual_share(self) -> float:
        """The share of the successes that have it: 0 to 1."""
        return self.successes / self.of_successes


@dataclass(slots=True)
class Tally:
    """The traits of some payloads, each counted once a payload."""

    payloads: int = 0
    present: Counter[Path] = field(default_factory=Counter)
    types: Counter[tuple[Path, str]] = field(default_factory=Counter)
    values: Counter[tuple[Path, Any]] = field(default_factory=Counter)
    numbers: defaultdict[Path, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, payload: Any) -> None:
        """Count one payload."""
        self.payloads += 1
        present: set[Path] = set()
        types: set[tuple[Path, str]] = set()
        values: set[tuple[Path, Any]] = set()
        for path, value in places(payload):
            kind = type_of(value)
            types.add((path, kind))
            if kind == "number" and path not in present:
                self.numbers[path].append(value)
            present.add(path)
            # 1 is not true, and not 1.0
            if kind in _VALUED and (kind != "text" or len(value) <= LONGEST_VALUE):
                values.add((path, (type(value), value)))
        self.present.update(present)
        self.types.update(types)
        self.values.update(values)


def tally(payloads: Iterable[Any]) -> Tally:
    """Count all of these."""
    sums = Tally()
    for payload in payloads:
        sums.add(payload)
    return sums


def common_traits(failures: Tally, successes: Tally) -> list[SharedTrait]:
    """Return what the failures have in common, the most telling first; empty where too little is known."""
    if failures.payloads < FEWEST_FAILURES or successes.payloads < FEWEST_SUCCESSES:
        return []
    candidates = list(_candidates(failures, successes))
    findings = [_with_chance(finding) for finding in candidates if _is_telling(finding)]
    standing = believable([one.chance for one in findings], len(candidates), FALSE_SHARE)
    significant = [one for one, stands in zip(findings, standing, strict=True) if stands]
    return _without_echoes(sorted(significant, key=_rank))


def _rank(finding: SharedTrait) -> tuple[float, int, int, str]:
    """First what covers much of the failures and little of the successes."""
    plainest, depth = _PLAINEST[finding.trait.kind], len(finding.trait.path)
    return (finding.usual_share - finding.share, plainest, depth, repr(finding.trait))


def _candidates(failures: Tally, successes: Tally) -> Iterator[SharedTrait]:
    """Every question that enough failures answer with yes."""
    fewest = max(SUPPORT, failures.payloads * SUPPORT_SHARE)
    for trait, hits, usual in _traits(failures, successes):
        if hits >= fewest:
            yield SharedTrait(trait, hits, failures.payloads, usual, successes.payloads, 1.0)


def _traits(failures: Tally, successes: Tally) -> Iterator[tuple[Trait, int, int]]:
    for path, hits in failures.present.items():
        yield Trait(PRESENT, path), hits, successes.present[path]
    for path, usual in successes.present.items():
        yield Trait(ABSENT, path), failures.payloads - failures.present[path], successes.payloads - usual
    opaque = {path for tallies in (failures, successes) for path, kind in tallies.types if kind == HIDDEN}
    for (path, kind), hits in failures.types.items():
        if path not in opaque:
            yield Trait(TYPE, path, kind), hits, successes.types[path, kind]
    for (path, name), hits in failures.values.items():
        yield Trait(VALUE, path, name[1]), hits, successes.values[path, name]
    for path, numbers in failures.numbers.items():
        yield from _ranges(path, numbers, successes.numbers.get(path, []))


def _ranges(path: Path, numbers: list[float], usual: list[float]) -> Iterator[tuple[Trait, int, int]]:
    """Half-lines that begin or end where a part of the successes does."""
    usual_numbers = sorted(usual)
    if len(set(usual_numbers)) < MANY_NUMBERS:
        return
    failing = sorted(numbers)
    for limit in {usual_numbers[int(part * len(usual_numbers))] for part in PARTS}:
        low, usual_low = bisect_left(failing, limit), bisect_left(usual_numbers, limit)
        yield Trait(BELOW, path, limit), low, usual_low
        yield Trait(FROM, path, limit), len(numbers) - low, len(usual_numbers) - usual_low


def _is_telling(finding: SharedTrait) -> bool:
    return finding.lift >= LIFT


def _with_chance(finding: SharedTrait) -> SharedTrait:
    likely = chance(finding.failures, finding.of_failures, finding.successes, finding.of_successes)
    return SharedTrait(
        finding.trait, finding.failures, finding.of_failures, finding.successes, finding.of_successes, likely
    )


def _without_echoes(findings: Sequence[SharedTrait]) -> list[SharedTrait]:
    """Leave out the findings that an earlier one says better."""
    kept_findings: list[SharedTrait] = []
    for finding in findings:
        of_path = [one for one in kept_findings if one.trait.path == finding.trait.path]
        if len(of_path) < OF_A_PATH and not any(_echoes(finding, one) for one in kept_findings):
            kept_findings.append(finding)
    return kept_findings


def _echoes(finding: SharedTrait, earlier: SharedTrait) -> bool:
    """Tell whether both describe the same rows: at the same path, or at one above or below it."""
    path, other = finding.trait.path, earlier.trait.path
    if path == other and finding.trait.kind == earlier.trait.kind == VALUE:
        return False  # no payload has both, but in a list
    if path == other and _is_range(finding) and _is_range(earlier):
        return True  # of one path the range that tells most
    near = path[: len(other)] == other or other[: len(path)] == path or _are_beside(path, other)
    alike = (finding.failures, finding.successes) == (earlier.failures, earlier.successes)
    if near and alike:
        return True
    # the path or its type says it, and a value of it would only repeat that
    plainer = _PLAINEST[earlier.trait.kind] < _PLAINEST[finding.trait.kind]
    return path[: len(other)] == other and plainer and finding.lift < earlier.lift * 1.25


def _are_beside(path: Path, other: Path) -> bool:
    """An element and its list: ``items`` and ``items[]``."""
    return tuple(name for name in path if name != ELEMENT) == tuple(name for name in other if name != ELEMENT)


def _is_range(finding: SharedTrait) -> bool:
    return finding.trait.kind in (BELOW, FROM)
