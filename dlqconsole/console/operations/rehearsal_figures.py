"""A rehearsal's receipt: the predicted outcomes, and the operations for those that pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import kinds, predictions
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import OPEN, ItemStatus, Operation, Would
from dlqconsole.operations.predictions import REHEARSAL
from dlqconsole.operations.receipts.receipt import ReasonCount
from dlqconsole.operations.requests import figures
from dlqconsole.operations.requests.scope import ItemsOf

MOST_GROUPS = 20
_SKIPPED = (Would.WRITE, Would.UNKNOWN)


@dataclass(frozen=True, slots=True)
class OutcomeGroup:
    """Items with the same predicted outcome. ``url``: their list; ``reason``: one of their sentences.

    Skipped items have one reason for all, or none.
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
        """The sentence without the words of its label."""
        return self.reason.removeprefix(self.label.partition(":")[0] + ": ")


@dataclass(frozen=True, slots=True)
class RehearsalOffer:
    """A kind for the items that passed, and how many it would act on now; None: not counted in time."""

    kind: Kind
    number: int | None


def rehearsal_figures(operation: Operation, outcomes: list[ReasonCount]) -> dict[str, Any]:
    """``rehearsal``: a sentence, groups and offers; ``outcomes``: the remaining reasons of skipped items.

    None for an operation that is no rehearsal.
    """
    if not kinds.shown(operation.kind).rehearses:
        return {"rehearsal": None}
    try:
        with summaries.time_budget(summaries.BUDGET):
            groups = _groups(operation)
    except summaries.TooSlow:
        return {"rehearsal": None}
    # the groups show the reasons of failures, equal ones together, and of most skipped items
    reasons = {group.reason for group in groups[:MOST_GROUPS] if group.would in _SKIPPED}
    outcomes = [each for each in outcomes if each.status == ItemStatus.SKIPPED and each.reason not in reasons]
    return {"outcomes": outcomes, "rehearsal": _context(operation, groups)}


def _context(operation: Operation, groups: list[OutcomeGroup]) -> dict[str, Any]:
    return {
        "number": operation.pk,
        "sentence": _sentence(operation, groups),
        "groups": groups[:MOST_GROUPS],
        "more": max(len(groups) - MOST_GROUPS, 0),
        "offers": [] if operation.status in OPEN else _offers(operation),
    }


def _groups(operation: Operation) -> list[OutcomeGroup]:
    """The items that would succeed, fail, stop, and the unknown ones; of each the largest group first."""
    access = current_access()
    rows = operation.prediction_set.all()
    if access.is_limited:
        rows = rows.filter(dead_letter_id__in=access.limit(DeadLetter.objects.all()).values("pk"))
    counts = rows.values("would", "error_class", "category").annotate(
        number=Count("dead_letter_id"), reasons=Count("reason", distinct=True), reason=Min("reason")
    )
    groups = [_group(operation.pk, row) for row in counts.order_by("-number", "would", "error_class")]
    return sorted(groups, key=lambda each: Would.values.index(each.would))


def _group(number: int, row: Mapping[str, Any]) -> OutcomeGroup:
    outcome = row["error_class"] or row["would"]
    return OutcomeGroup(
        would=row["would"],
        label=str(Would(row["would"]).label),
        error_class=row["error_class"],
        category=row["category"],
        reason="" if row["would"] in _SKIPPED and row["reasons"] > 1 else row["reason"],
        number=row["number"],
        url=list_url(urlencode({"rehearsed": f"{number}:{outcome}"})),
    )


def _sentence(operation: Operation, groups: list[OutcomeGroup]) -> str:
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
    if (others := operation.skipped - writing) > 0:
        parts.append(f"{others:,} {'was' if others == 1 else 'were'} not rehearsed")
    if operation.remaining:
        parts.append(f"{operation.remaining:,} to go")
    return "; ".join(parts) + "."


def _offers(operation: Operation) -> list[RehearsalOffer]:
    """The kinds for the items that passed, each with the number that its confirm page would show."""
    able = [kind for kind in kinds.asked_for() if REHEARSAL.name in kind.option_names and operation.done]
    return [
        RehearsalOffer(kind, _number(kind, operation)) for kind in sorted(able, key=lambda kind: kind.rank)
    ]


def _number(kind: Kind, operation: Operation) -> int | None:
    rows = predictions.filter_passed(ItemsOf(operation.pk, ItemStatus.DONE).queryset(), operation.pk)
    eligible = rows.filter(status__in=kind.eligible())
    try:
        with summaries.time_budget(summaries.BUDGET):
            if not kind.leaves_come_backs:
                return eligible.count()
            return eligible.count() - figures.come_backs_among(eligible, kind.eligible()).count()
    except summaries.TooSlow:
        return None
