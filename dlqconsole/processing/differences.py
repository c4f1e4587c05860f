"""The changes between two texts, line by line, as people read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3
# Comparing takes time by the product of the lines; beyond it the whole changed part is shown as replaced.
_MOST_COMPARED = 1_000_000

type _Step = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """``kind``: same, removed, added, or gap where equal lines are left out. Numbers count from 1."""

    kind: str
    text: str = ""
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, slots=True)
class TextDifference:
    """The lines to show, and how many were added and removed in all."""

    lines: list[DifferenceLine]
    additions: int
    removals: int

    @property
    def changed(self) -> int:
        """The number of lines that are not what they were."""
        return self.additions + self.removals


def difference(before: str, after: str) -> TextDifference:
    """Compare two texts by lines; a few equal ones stay around each change."""
    old, new = before.split("\n"), after.split("\n")
    steps = list(_steps(old, new))
    removals = sum(step[2] - step[1] for step in steps if step[0] != "equal")
    additions = sum(step[4] - step[3] for step in steps if step[0] != "equal")
    return TextDifference(list(_lines(old, new, steps)), additions, removals)


def _steps(old: list[str], new: list[str]) -> Iterator[_Step]:
    """Return difflib's steps, with the equal ends taken off first."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - end, len(new) - end
    if start:
        yield "equal", 0, start, 0, start
    if (old_end - start) * (new_end - start) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            yield tag, a + start, b + start, c + start, d + start
    else:
        yield "replace", start, old_end, start, new_end
    if end:
        yield "equal", old_end, len(old), new_end, len(new)


def _common(one: list[str], other: list[str]) -> int:
    number = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        number += 1
    return number


def _lines(old: list[str], new: list[str], steps: list[_Step]) -> Iterator[DifferenceLine]:
    for place, (tag, a, b, c, d) in enumerate(steps):
        if tag == "equal":
            yield from _equal(old[a:b], a + 1, c + 1, place == 0, place == len(steps) - 1)
            continue
        yield from (DifferenceLine("removed", old[at], old=at + 1) for at in range(a, b))
        yield from (DifferenceLine("added", new[at], new=at + 1) for at in range(c, d))


def _equal(texts: list[str], old: int, new: int, is_first: bool, is_last: bool) -> Iterator[DifferenceLine]:
    """The lines next to a change; a gap for the others."""
    head = 0 if is_first else CONTEXT
    tail = 0 if is_last else CONTEXT
    gap = len(texts) - head - tail
    for place, text in enumerate(texts):
        if gap > 1 and head <= place < len(texts) - tail:
            if place == head:
                yield DifferenceLine("gap")
            continue
        yield DifferenceLine("same", text, old + place, new + place)
