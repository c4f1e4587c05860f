"""The preview of a recipe, tried on some of its dead letters. Changes nothing."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Max

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.settings import limits
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import Shown, distinct_json
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.kinds.edit import Edit
from dlqconsole.operations.pages.editing import PayloadRefused, patch_payload
from dlqconsole.operations.requests.scope import ItemsOf, LetterScope, Matching, Rows
from dlqconsole.operations.sql import sql
from dlqconsole.processing.differences import TextDifference, difference
from dlqconsole.processing.exact_json import pretty
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
class RecipeSample:
    """One dead letter of the sample, and the difference that the recipe would make."""

    id: int
    difference: TextDifference


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of refusals in the sample, their number, and one of them as an example."""

    sentence: str
    count: int
    example: int


@dataclass(slots=True)
class RecipePreview:
    """The result of a trial on ``tries`` dead letters; ``all``: there are no others."""

    tries: int = 0
    all: bool = False
    would_change: int = 0
    refusals: list[Reason] = field(default_factory=list)
    random: list[RecipeSample] = field(default_factory=list)
    most: list[RecipeSample] = field(default_factory=list)

    @property
    def shown_samples(self) -> list[RecipeSample]:
        """The samples whose differences are shown."""
        return [*self.random, *self.most]

    @property
    def refusal_count(self) -> int:
        """The number of the sample that would stay as they are."""
        return self.tries - self.would_change


def preview(recipe: Recipe, scope: LetterScope, *, is_masked: bool = True) -> RecipePreview:
    """Try the recipe on a random sample, for at most SECONDS; keep five of it, and the five that change most.

    A caller that shows them unmasked has noted the reason in the audit log.
    """
    until = time.monotonic() + SECONDS
    ids, is_all = _sample(scope)
    result = RecipePreview(all=is_all)
    samples: list[RecipeSample] = []
    counts: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for start in range(0, len(ids), _READ_AT_ONCE):
        if time.monotonic() > until:
            result.all = False
            break
        for row in _rows(ids[start : start + _READ_AT_ONCE]):
            result.tries += 1
            try:
                samples += _difference(row, recipe, distinct_json if is_masked else Shown)
                result.would_change += 1
            except PayloadRefused as problem:
                counts[str(problem)] += 1
                examples.setdefault(str(problem), row["id"])
    result.refusals = [
        Reason(sentence, count, examples[sentence]) for sentence, count in counts.most_common(10)
    ]
    result.random = samples[:SHOWN_EACH]
    rest = sorted(samples[SHOWN_EACH:], key=lambda each: each.difference.changed, reverse=True)
    result.most = rest[:SHOWN_EACH]
    return result


def _difference(row: Mapping[str, Any], recipe: Recipe, gate: Callable[[str], str]) -> list[RecipeSample]:
    """Return the difference, if it is not too long to show. Raises PayloadRefused."""
    if not row["able"]:
        raise PayloadRefused(_EDIT.why_not()[row["status"]])
    payload = patch_payload(row, recipe)
    after = payload.after.json_text or ""
    if max(len(payload.before), len(after)) > LONGEST_SHOWN:
        return []
    change = difference(pretty(gate(payload.before)), pretty(gate(after)))
    lines = [replace(line, text=Shown(line.text)) for line in change.lines]
    return [RecipeSample(row["id"], replace(change, lines=lines))]


def _rows(ids: list[int]) -> list[dict[str, Any]]:
    values = {"ids": ids, "eligible": _EDIT.eligible(), "longest": limits().stored_characters}
    rows = fetch_dicts(sql("editing.sample"), values)
    random.shuffle(rows)
    return rows


def _sample(scope: LetterScope) -> tuple[list[int], bool]:
    """Return ids in random order, and whether they are all."""
    if isinstance(scope, Matching):
        ids, is_all = _of_filter(scope.filter)
    else:
        ids = _ids_of(scope)
        is_all = len(ids) <= SAMPLE
    random.shuffle(ids)
    return ids[:SAMPLE], is_all


def _ids_of(scope: Rows | ItemsOf) -> list[int]:
    """The ids of ticked rows, or of items, within the scope."""
    if current_access().is_limited:
        return list(scope.queryset().values_list("pk", flat=True)[: 10 * SAMPLE])
    if isinstance(scope, Rows):
        return list(scope.ids)
    return list(scope.items().values_list("dead_letter_id", flat=True)[: 10 * SAMPLE])


def _of_filter(filter: DeadLetterFilter) -> tuple[list[int], bool]:
    """Return a few neighbours from several random places; or all, if they are no more than the sample."""
    rows = filter.queryset()
    try:
        with time_budget(500):
            first = list(rows.values_list("pk", flat=True)[: SAMPLE + 1])
    except TooSlow:
        first = []
    if 0 < len(first) <= SAMPLE:
        return first, True
    ids: set[int] = set()
    newest = DeadLetter.objects.aggregate(newest=Max("pk"))["newest"] or 1
    for _place in range(_PLACES):
        start = random.randint(1, newest)  # noqa: S311  (a sample, not a secret)
        try:
            with time_budget(500):
                near = rows.filter(pk__gte=start).order_by("pk").values_list("pk", flat=True)
                ids.update(near[: SAMPLE // _PLACES])
        except TooSlow:
            continue
    return list(ids) or first[:SAMPLE], False
