"""The comparison of two versions of the handlers, input by input; as a table, and as JSON."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from dlqconsole.contrib.rehearsals.comparison.cases import DEAD_LETTER, SAMPLE, Case
from dlqconsole.contrib.rehearsals.comparison.versions import handle_with_both
from dlqconsole.core.handling import Unhandled
from dlqconsole.processing.isolation import HandlerProcesses
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded
from dlqconsole.processing.texts import one_line

MOST_EXAMPLES = 5
REASON_LIMIT = 300
_NONE = object()
_SORTS = (DEAD_LETTER, SAMPLE)


class CaseVerdict(StrEnum):
    """The verdict on one input, the most urgent first."""

    BROKEN = "newly broken"
    REVIVED = "revived"
    CHANGED = "another record"
    OTHERWISE = "fails otherwise"
    UNCHANGED = "unchanged"
    # it succeeded before, and now a dependency did not answer: this says nothing about the handler
    UNDECIDED = "undecided"
    NOT_REHEARSED = "not rehearsed"


@dataclass(frozen=True, slots=True)
class Example:
    """One input by its number. ``said``: the reason of its verdict."""

    sort: str
    id: int
    event_type: str
    said: str


@dataclass(slots=True)
class Comparison:
    """The number of inputs of each sort with each verdict, and the first few as examples."""

    numbers: Counter[tuple[CaseVerdict, str]] = field(default_factory=Counter)
    examples: dict[CaseVerdict, list[Example]] = field(default_factory=dict)

    def add(self, case: Case, verdict: CaseVerdict, reason: str) -> None:
        """Count one input."""
        self.numbers[verdict, case.sort] += 1
        examples = self.examples.setdefault(verdict, [])
        if verdict != CaseVerdict.UNCHANGED and len(examples) < MOST_EXAMPLES:
            examples.append(Example(case.sort, case.id, case.event_type, one_line(reason, REASON_LIMIT)))

    def total(self, sort: str) -> int:
        """Count the inputs of a sort."""
        return sum(number for (_verdict, each), number in self.numbers.items() if each == sort)

    @property
    def newly_broken(self) -> int:
        return sum(
            number for (verdict, _sort), number in self.numbers.items() if verdict == CaseVerdict.BROKEN
        )


def compare(cases: Iterable[Case], now: HandlerProcesses, before: HandlerProcesses) -> Comparison:
    """Run both versions on each input."""
    comparison = Comparison()
    for case in cases:
        new, old = handle_with_both(now, before, case.stored)
        comparison.add(case, *judge(case, old.outcome, new.outcome))
    return comparison


def judge(case: Case, old: Outcome | Unhandled, new: Outcome | Unhandled) -> tuple[CaseVerdict, str]:
    """Return the verdict and its reason. If the old version cannot be rehearsed, the past outcome counts."""
    has_failed = case.has_failed if isinstance(old, Unhandled) else isinstance(old, Failed)
    if isinstance(new, Succeeded):
        return _passes(has_failed, old, new, case)
    if isinstance(new, Failed):
        return _fails(has_failed, old, new, case)
    if type(new) is Unhandled and not has_failed:
        return CaseVerdict.BROKEN, new.reason
    return CaseVerdict.NOT_REHEARSED, new.reason


def _passes(
    has_failed: bool, old: Outcome | Unhandled, new: Succeeded, case: Case
) -> tuple[CaseVerdict, str]:
    if has_failed:
        return CaseVerdict.REVIVED, f"it failed as {_class_of(old, case) or 'it was reported'}"
    if isinstance(old, Succeeded) and json.loads(old.record_json) != json.loads(new.record_json):
        return CaseVerdict.CHANGED, _difference(json.loads(old.record_json), json.loads(new.record_json))
    return CaseVerdict.UNCHANGED, ""


def _fails(has_failed: bool, old: Outcome | Unhandled, new: Failed, case: Case) -> tuple[CaseVerdict, str]:
    if not has_failed:
        return (CaseVerdict.UNDECIDED if new.says_away else CaseVerdict.BROKEN), new.reason
    if new.error_class == _class_of(old, case):
        return CaseVerdict.UNCHANGED, ""
    return CaseVerdict.OTHERWISE, new.reason


def _class_of(old: Outcome | Unhandled, case: Case) -> str:
    return old.error_class if isinstance(old, Failed) else case.error_class


def _difference(old: object, new: object) -> str:
    """Name the record's own keys that differ; no values: they may be personal."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return "a record where there was none" if isinstance(new, dict) else "no record any more"
    differ = (key for key in old.keys() | new.keys() if old.get(key, _NONE) != new.get(key, _NONE))
    keys = sorted(map(str, differ))
    return f"it differs in {', '.join(keys)}"


def lines(comparison: Comparison, masked_count: int, more: int) -> Iterator[str]:
    """The table, the numbers that were left out, and some examples of each verdict."""
    yield f"{'':16}{'dead letters':>14}{'samples':>10}"
    for verdict in CaseVerdict:
        numbers = [comparison.numbers[verdict, sort] for sort in _SORTS]
        yield f"{verdict:16}{numbers[0]:>14,}{numbers[1]:>10,}"
    if masked_count:
        yield f"{masked_count:,} masked samples are left out: they are not as they came."
    if more:
        yield f"{more:,} older ones are left out; --limit takes more."
    for verdict in CaseVerdict:
        if examples := comparison.examples.get(verdict):
            yield f"{verdict}, for example:"
            for each in examples:
                yield f"  {each.sort} {each.id} ({each.event_type}): {each.said}"


def as_object(comparison: Comparison, masked_count: int, more: int) -> dict[str, Any]:
    """The same comparison for programs."""
    return {
        "verdicts": {
            str(verdict): {sort: comparison.numbers[verdict, sort] for sort in _SORTS}
            for verdict in CaseVerdict
        },
        "masked_samples_left_out": masked_count,
        "older_left_out": more,
        "examples": {
            str(verdict): list(map(asdict, comparison.examples.get(verdict, []))) for verdict in CaseVerdict
        },
    }
