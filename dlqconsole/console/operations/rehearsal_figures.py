"""A rehearsal's receipt: what would become of how many, and what can be done with those that pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import come_backs, kinds, predictions
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import OPEN, ItemStatus, Operation, Would
from dlqconsole.operations.predictions import REHEARSAL
from dlqconsole.operations.receipts import ReasonCount
from dlqconsole.operations.scope import ItemsOf

MOST_GROUPS = 20
_SKIPPED = (Would.WRITE, Would.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Group:
    """So many would end like this. ``url``: the list of them; ``reason``: one of their sentences.

    What was skipped says why in one sentence for all, or in none.
    """

    would: str
    label: str
    error_class: str
    category: str
    reason: str
    number: int
    url: str

    @property
    def example(self) -> str:
        """The sentence without what its label says already."""
        return self.reason.removeprefix(self.label.partition(":")[0] + ": ")


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind that can take what passed, and how many it would act on now; None: not counted in time."""

    kind: Kind
    number: int | None


def rehearsal_figures(operation: Operation, reach: Reach, outcomes: list[ReasonCount]) -> dict[str, Any]:
    """``rehearsal``: a sentence, groups and offers; ``outcomes``: of the reasons those why some were skipped.

    None for what is no rehearsal.
    """
    if not kinds.shown(operation.kind).rehearses:
        return {"rehearsal": None}
    try:
        with summaries.time_budget(summaries.BUDGET):
            groups = _groups(operation, reach)
    except summaries.TooSlow:
        return {"rehearsal": None}
    # why each would fail stands in the groups, where alike ones are one; so does why most were skipped
    said = {group.reason for group in groups[:MOST_GROUPS] if group.would in _SKIPPED}
    outcomes = [each for each in outcomes if each.status == ItemStatus.SKIPPED and each.reason not in said]
    return {"outcomes": outcomes, "rehearsal": _shown(operation, reach, groups)}


def _shown(operation: Operation, reach: Reach, groups: list[Group]) -> dict[str, Any]:
    return {
        "number": operation.pk,
        "sentence": _sentence(operation, groups),
        "groups": groups[:MOST_GROUPS],
        "more": max(len(groups) - MOST_GROUPS, 0),
        "offers": [] if operation.status in OPEN else _offers(operation, reach),
    }


def _groups(operation: Operation, reach: Reach) -> list[Group]:
    """What would succeed, fail, stop, and what is not known; of each the largest first.

    ``reach``: what the items are limited to.
    """
    rows = operation.prediction_set.all()
    if reach.is_limited:
        rows = rows.filter(dead_letter_id__in=reach.limit(DeadLetter.objects.all()).values("pk"))
    found = rows.values("would", "error_class", "category").annotate(
        number=Count("dead_letter_id"), reasons=Count("reason", distinct=True), reason=Min("reason")
    )
    groups = [_group(operation.pk, row) for row in found.order_by("-number", "would", "error_class")]
    return sorted(groups, key=lambda each: Would.values.index(each.would))


def _group(number: int, row: Mapping[str, Any]) -> Group:
    said = row["error_class"] or row["would"]
    return Group(
        would=row["would"],
        label=str(Would(row["would"]).label),
        error_class=row["error_class"],
        category=row["category"],
        reason="" if row["would"] in _SKIPPED and row["reasons"] > 1 else row["reason"],
        number=row["number"],
        url=list_url(urlencode({"rehearsed": f"{number}:{said}"})),
    )


def _sentence(operation: Operation, groups: list[Group]) -> str:
    """``48,213 of 48,550 would succeed; 301 would fail as AirportUnknown``."""
    numbers = {would: sum(each.number for each in groups if each.would == would) for would in Would.values}
    parts = [f"{numbers[Would.SUCCEED]:,} of {operation.selected:,} would succeed"]
    failing = [each for each in groups if each.would == Would.FAIL]
    parts += [f"{each.number:,} would fail as {each.error_class}" for each in failing[:2]]
    if rest := sum(each.number for each in failing[2:]):
        parts.append(f"{rest:,} would fail otherwise")
    if numbers[Would.STOP]:
        its = "its process" if numbers[Would.STOP] == 1 else "their process"
        parts.append(f"{numbers[Would.STOP]:,} would stop {its}")
    if writing := numbers[Would.WRITE]:
        parts.append(f"{writing:,} {'writes' if writing == 1 else 'write'} and cannot be rehearsed")
    if (left := operation.skipped - writing) > 0:
        parts.append(f"{left:,} {'was' if left == 1 else 'were'} not rehearsed")
    if operation.remaining:
        parts.append(f"{operation.remaining:,} to go")
    return "; ".join(parts) + "."


def _offers(operation: Operation, reach: Reach) -> list[Offer]:
    """The number on the button is what it acts on, by the rule of its confirm page."""
    able = [kind for kind in kinds.asked_for() if REHEARSAL.name in kind.option_names and operation.done]
    return [Offer(kind, _number(kind, operation, reach)) for kind in sorted(able, key=lambda kind: kind.rank)]


def _number(kind: Kind, operation: Operation, reach: Reach) -> int | None:
    rows = predictions.filter_passed(ItemsOf(operation.pk, ItemStatus.DONE).queryset(reach), operation.pk)
    taken = rows.filter(status__in=kind.eligible())
    try:
        with summaries.time_budget(summaries.BUDGET):
            left = come_backs.among(taken, kind.eligible()).count() if kind.leaves_come_backs else 0
            return taken.count() - left
    except summaries.TooSlow:
        return None
