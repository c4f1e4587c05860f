"""What a recipe would do, tried on some of the dead letters it is meant for. Changes nothing."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Max

from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown, distinct_json
from dlqconsole.engine.limits import limits
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.kinds.edit import Edit
from dlqconsole.operations.patched_payloads import Refused, patched
from dlqconsole.operations.scope import ItemsOf, LetterScope, Matching, Rows
from dlqconsole.operations.sql import sql
from dlqconsole.processing.differences import Difference, difference
from dlqconsole.processing.json_text import pretty
from dlqconsole.processing.patching import Recipe

SAMPLE = 300
SHOWN_EACH = 5
SECONDS = 2.0
# Longer payloads are tried, but their differences are not shown.
LONGEST_SHOWN = 64 * 1024
_PLACES = 3
_READ_AT_ONCE = 25
_EDIT = Edit()


@dataclass(frozen=True, slots=True)
class Sample:
    """One dead letter of the sample, and what would change in it."""

    id: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class Reason:
    """So many of the sample are refused for this; one of them to look at."""

    sentence: str
    count: int
    example: int


@dataclass(slots=True)
class RecipePreview:
    """``looked`` dead letters were tried; ``all``: they are all there are."""

    looked: int = 0
    all: bool = False
    would_change: int = 0
    refusals: list[Reason] = field(default_factory=list)
    random: list[Sample] = field(default_factory=list)
    most: list[Sample] = field(default_factory=list)

    @property
    def shown(self) -> list[Sample]:
        """All whose differences are shown."""
        return [*self.random, *self.most]

    @property
    def refused(self) -> int:
        """How many of the sample would stay as they are."""
        return self.looked - self.would_change


def preview(recipe: Recipe, scope: LetterScope, reach: Reach, *, masked: bool = True) -> RecipePreview:
    """Try the recipe on a random sample, for a moment: five of it, and the five that change most.

    Who shows them unmasked has said in the audit why.
    """
    until = time.monotonic() + SECONDS
    chosen, is_all = _sample(scope, reach)
    found = RecipePreview(all=is_all)
    shown: list[Sample] = []
    refused: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for start in range(0, len(chosen), _READ_AT_ONCE):
        if time.monotonic() > until:
            found.all = False
            break
        for row in _rows(chosen[start : start + _READ_AT_ONCE]):
            found.looked += 1
            try:
                shown += _changed(row, recipe, distinct_json if masked else Shown)
                found.would_change += 1
            except Refused as problem:
                refused[str(problem)] += 1
                examples.setdefault(str(problem), row["id"])
    found.refusals = [
        Reason(sentence, count, examples[sentence]) for sentence, count in refused.most_common(10)
    ]
    found.random = shown[:SHOWN_EACH]
    rest = sorted(shown[SHOWN_EACH:], key=lambda each: each.difference.changed, reverse=True)
    found.most = rest[:SHOWN_EACH]
    return found


def _changed(row: Mapping[str, Any], recipe: Recipe, gated: Callable[[str], str]) -> list[Sample]:
    """The difference, where it is not too long to show. Raises Refused."""
    if not row["able"]:
        raise Refused(_EDIT.why_not()[row["status"]])
    made = patched(row, recipe)
    after = made.after.json_text or ""
    if max(len(made.before), len(after)) > LONGEST_SHOWN:
        return []
    found = difference(pretty(gated(made.before)), pretty(gated(after)))
    lines = [replace(line, text=Shown(line.text)) for line in found.lines]
    return [Sample(row["id"], replace(found, lines=lines))]


def _rows(ids: list[int]) -> list[dict[str, Any]]:
    values = {"ids": ids, "eligible": _EDIT.eligible(), "longest": limits().stored_characters}
    found = fetch_dicts(sql("editing.sample"), values)
    random.shuffle(found)
    return found


def _sample(scope: LetterScope, reach: Reach) -> tuple[list[int], bool]:
    """Ids in random order, and whether they are all."""
    if isinstance(scope, Matching):
        found, is_all = _of_filter(scope.filter, reach)
    else:
        found = _named(scope, reach)
        is_all = len(found) <= SAMPLE
    random.shuffle(found)
    return found[:SAMPLE], is_all


def _named(scope: Rows | ItemsOf, reach: Reach) -> list[int]:
    """Ticked rows, or items; where somebody is limited those that they see."""
    if reach.is_limited:
        return list(scope.queryset(reach).values_list("pk", flat=True)[: 10 * SAMPLE])
    if isinstance(scope, Rows):
        return list(scope.ids)
    return list(scope.items().values_list("dead_letter_id", flat=True)[: 10 * SAMPLE])


def _of_filter(filter: DeadLetterFilter, reach: Reach) -> tuple[list[int], bool]:
    """A few neighbours from several random places; all, where there are no more than the sample."""
    rows = filter.queryset(reach)
    try:
        with time_budget(500):
            first = list(rows.values_list("pk", flat=True)[: SAMPLE + 1])
    except TooSlow:
        first = []
    if 0 < len(first) <= SAMPLE:
        return first, True
    found: set[int] = set()
    newest = DeadLetter.objects.aggregate(newest=Max("pk"))["newest"] or 1
    for _place in range(_PLACES):
        start = random.randint(1, newest)  # noqa: S311  (a sample, not a secret)
        try:
            with time_budget(500):
                near = rows.filter(pk__gte=start).order_by("pk").values_list("pk", flat=True)
                found.update(near[: SAMPLE // _PLACES])
        except TooSlow:
            continue
    return list(found) or first[:SAMPLE], False
