"""A rehearsal's receipt: the predicted outcomes, and the operations for those that pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.contrib.rehearsals.kind import Rehearse
from dlqconsole.contrib.rehearsals.models import Prediction, Would
from dlqconsole.contrib.rehearsals.option import REHEARSAL
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import Card
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.operations import kinds, passed
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import OPEN, ItemStatus, Operation
from dlqconsole.operations.receipts import receipt
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
        return stored_text(self.reason.removeprefix(self.label.partition(":")[0] + ": "))


@dataclass(frozen=True, slots=True)
class RehearsalOffer:
    """A kind for the items that passed, and how many it would act on now; None: not counted in time."""

    kind: Kind
    number: int | None


def card(request: HttpRequest, operation: Operation) -> Card | None:
    """The card of a rehearsal: a sentence, groups, offers, and the reasons that no group shows.

    Within the scope of the items. None for other operations, or if it cannot be counted in time.
    """
    if operation.kind != Rehearse.name:
        return None
    try:
        with summaries.time_budget(summaries.BUDGET):
            groups = _groups(operation)
            outcomes = _other_outcomes(operation, groups)
    except summaries.TooSlow:
        return None
    context = {
        "number": operation.pk,
        "sentence": _sentence(operation, groups),
        "groups": groups[:MOST_GROUPS],
        "more": max(len(groups) - MOST_GROUPS, 0),
        "offers": [] if operation.status in OPEN else _offers(operation),
        "outcomes": outcomes,
    }
    return Card("rehearsals/receipt.html", context)


def _other_outcomes(operation: Operation, groups: list[OutcomeGroup]) -> list[ReasonCount]:
    """The outcomes of skipped items that no group tells: equal failures are a group, with their reason."""
    if not (operation.has_items and operation.skipped):
        return []
    reasons = {"", *(group.reason for group in groups[:MOST_GROUPS] if group.would in _SKIPPED)}
    outcomes = receipt.outcomes(operation.pk)
    return [each for each in outcomes if each.status == ItemStatus.SKIPPED and each.reason not in reasons]


def _groups(operation: Operation) -> list[OutcomeGroup]:
    """The items that would succeed, fail, stop, and the unknown ones; of each the largest group first."""
    access = current_access()
    rows = Prediction.objects.filter(operation=operation)
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
    would = _("{number:,} of {all:,} would succeed")
    parts = [would.format(number=numbers[Would.SUCCEED], all=operation.selected)]
    failing = [each for each in groups if each.would == Would.FAIL]
    as_class = _("{number:,} would fail as {error}")
    parts += [as_class.format(number=each.number, error=each.error_class) for each in failing[:2]]
    if rest := sum(each.number for each in failing[2:]):
        parts.append(_("{number:,} would fail otherwise").format(number=rest))
    if stops := numbers[Would.STOP]:
        words = ngettext("{number:,} would stop its process", "{number:,} would stop their process", stops)
        parts.append(words.format(number=stops))
    if writing := numbers[Would.WRITE]:
        words = ngettext(
            "{number:,} writes and cannot be rehearsed", "{number:,} write and cannot be rehearsed", writing
        )
        parts.append(words.format(number=writing))
    if (others := operation.skipped - writing) > 0:
        words = ngettext("{number:,} was not rehearsed", "{number:,} were not rehearsed", others)
        parts.append(words.format(number=others))
    if operation.remaining:
        parts.append(_("{number:,} to go").format(number=operation.remaining))
    return _("{sentence}.").format(sentence=_("; ").join(parts))


def _offers(operation: Operation) -> list[RehearsalOffer]:
    """The kinds for the items that passed, each with the number that its confirm page would show."""
    able = [kind for kind in kinds.asked_for() if REHEARSAL.name in kind.option_names and operation.done]
    return [
        RehearsalOffer(kind, _number(kind, operation)) for kind in sorted(able, key=lambda kind: kind.rank)
    ]


def _number(kind: Kind, operation: Operation) -> int | None:
    rows = passed.filter_passed(ItemsOf(operation.pk, ItemStatus.DONE).queryset(), operation.pk)
    eligible = rows.filter(status__in=kind.eligible())
    try:
        with summaries.time_budget(summaries.BUDGET):
            if not kind.leaves_come_backs:
                return eligible.count()
            return eligible.count() - figures.come_backs_among(eligible, kind.eligible()).count()
    except summaries.TooSlow:
        return None
