"""What differs between two versions of the handlers, input by input."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from dlqconsole.engine.handling import Unhandled
from dlqconsole.processing.isolation import HandlerProcesses
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded
from dlqconsole.processing.texts import one_line
from dlqconsole.rehearsals.cases import Case
from dlqconsole.rehearsals.versions import handled_by_both

MOST_EXAMPLES = 5
REASON_LIMIT = 300
_NONE = object()


class Verdict(StrEnum):
    """What became of one input, in the order in which people want to know it."""

    BROKEN = "newly broken"
    REVIVED = "revived"
    CHANGED = "another record"
    OTHERWISE = "fails otherwise"
    UNCHANGED = "unchanged"
    # it succeeded before, and now something did not answer: no word about the handler
    UNDECIDED = "undecided"
    NOT_REHEARSED = "not rehearsed"


@dataclass(frozen=True, slots=True)
class Example:
    """One input by its number, and why."""

    sort: str
    id: int
    event_type: str
    said: str


@dataclass(slots=True)
class Comparison:
    """How many of each sort have each verdict, and the first few of each."""

    numbers: Counter[tuple[Verdict, str]] = field(default_factory=Counter)
    examples: dict[Verdict, list[Example]] = field(default_factory=dict)

    def add(self, case: Case, verdict: Verdict, said: str) -> None:
        """Count one."""
        self.numbers[verdict, case.sort] += 1
        kept = self.examples.setdefault(verdict, [])
        if verdict != Verdict.UNCHANGED and len(kept) < MOST_EXAMPLES:
            kept.append(Example(case.sort, case.id, case.event_type, one_line(said, REASON_LIMIT)))

    def total(self, sort: str) -> int:
        """How many of a sort were looked at."""
        return sum(number for (_verdict, each), number in self.numbers.items() if each == sort)

    @property
    def broken(self) -> int:
        return sum(number for (verdict, _sort), number in self.numbers.items() if verdict == Verdict.BROKEN)


def compare(cases: Iterable[Case], now: HandlerProcesses, before: HandlerProcesses) -> Comparison:
    """Run both versions on each."""
    found = Comparison()
    for case in cases:
        new, old = handled_by_both(now, before, case.stored)
        found.add(case, *judged(case, old.outcome, new.outcome))
    return found


def judged(case: Case, old: Outcome | Unhandled, new: Outcome | Unhandled) -> tuple[Verdict, str]:
    """The verdict and why. Where the old version cannot be rehearsed, what happened then counts instead."""
    failed = case.failed if isinstance(old, Unhandled) else isinstance(old, Failed)
    if isinstance(new, Succeeded):
        return _passes(failed, old, new, case)
    if isinstance(new, Failed):
        return _fails(failed, old, new, case)
    if type(new) is Unhandled and not failed:
        return Verdict.BROKEN, new.reason
    return Verdict.NOT_REHEARSED, new.reason


def _passes(failed: bool, old: Outcome | Unhandled, new: Succeeded, case: Case) -> tuple[Verdict, str]:
    if failed:
        return Verdict.REVIVED, f"it failed as {_class_of(old, case) or 'it was reported'}"
    if isinstance(old, Succeeded) and json.loads(old.record_json) != json.loads(new.record_json):
        return Verdict.CHANGED, _difference(json.loads(old.record_json), json.loads(new.record_json))
    return Verdict.UNCHANGED, ""


def _fails(failed: bool, old: Outcome | Unhandled, new: Failed, case: Case) -> tuple[Verdict, str]:
    if not failed:
        return (Verdict.UNDECIDED if new.says_away else Verdict.BROKEN), new.reason
    if new.error_class == _class_of(old, case):
        return Verdict.UNCHANGED, ""
    return Verdict.OTHERWISE, new.reason


def _class_of(old: Outcome | Unhandled, case: Case) -> str:
    return old.error_class if isinstance(old, Failed) else case.error_class


def _difference(old: object, new: object) -> str:
    """Which of the record's own keys differ; no values: they may be personal."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return "a record where there was none" if isinstance(new, dict) else "no record any more"
    differ = (key for key in old.keys() | new.keys() if old.get(key, _NONE) != new.get(key, _NONE))
    keys = sorted(map(str, differ))
    return f"it differs in {', '.join(keys)}"
