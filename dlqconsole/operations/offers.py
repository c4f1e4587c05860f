"""Where each kind of operation is offered, and over how many: the number on its button is what it acts on."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts.summaries import Count, TooSlow, time_budget
from dlqconsole.engine.known_handlers import Known
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import come_backs, kinds
from dlqconsole.operations.kinds.base import Kind

NOT_REHEARSABLE = "No worker that runs now has a handler for these that says that it can be rehearsed."
NO_HANDLER = "No worker that runs now has a handler for these: a retry would skip them all."
_LOOK_MS = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind, how many dead letters it would act on, and the states that they are in.

    ``why_not``: they are there, and it would skip them all. ``left``: so many keep coming back, and are
    skipped unless somebody asks for them.
    """

    kind: Kind
    count: int
    states: tuple[str, ...]
    why_not: str = ""
    left: int = 0


def on_tab(tab: str) -> tuple[list[Kind], list[Kind]]:
    """What the bar of the list offers on a status tab ("" is that of all), and what its menu does."""
    known = _in_order(kinds.asked_for())
    return [kind for kind in known if tab in kind.first_on], [kind for kind in known if tab in kind.more_on]


def on_group(counts: Mapping[str, Count], rows: QuerySet[DeadLetter]) -> list[Offer]:
    """What a failure group's page offers: the kinds that have something to act on there."""
    offers = (_offer(kind, counts, rows) for kind in _in_order(kinds.asked_for()) if kind.on_group)
    return [offer for offer in offers if offer.count or offer.why_not or offer.left]


def acted_on(kind: Kind, counts: Mapping[str, Count], rows: QuerySet[DeadLetter]) -> tuple[int, str]:
    """On how many of the rows, counted by status, it acts; why on none, where they only lack a handler."""
    number = kind.count({status: count.value for status, count in counts.items()})
    number = max(number - left_alone(kind, number, rows), 0)
    if kind.rehearses and (known := known_handlers.for_retries()) and known.rehearsable != known.event_types:
        return _rehearsable(kind, number, rows, known)
    lacking = kind.count({status: count.unhandled for status, count in counts.items()})
    if not (kind.runs_handlers and lacking):
        return number, ""
    able = number - lacking or _named_in_payloads(kind, rows)
    return able, "" if able else NO_HANDLER


def left_alone(kind: Kind, number: int, rows: QuerySet[DeadLetter]) -> int:
    """How many of the rows, of which it takes so many, it leaves to a person: they keep coming back."""
    if not (number and kind.leaves_come_backs):
        return 0
    return _in_time(come_backs.among(rows, kind.eligible()))


def on_letter(status: str) -> list[Kind]:
    """What a dead letter's page shows in this state, whether it may be done or not."""
    return [kind for kind in kinds.asked_for() if DeadLetterStatus(status) in kind.on_letter]


def in_admin() -> list[Kind]:
    """What Django's admin offers as actions."""
    return [kind for kind in kinds.asked_for() if kind.in_admin]


def _in_order(found: list[Kind]) -> list[Kind]:
    return sorted(found, key=lambda kind: kind.rank)


def _offer(kind: Kind, counts: Mapping[str, Count], rows: QuerySet[DeadLetter]) -> Offer:
    states = tuple(status for status in kind.eligible() if status in counts and counts[status].value)
    number, why_not = acted_on(kind, counts, rows)
    taken = kind.count({status: count.value for status, count in counts.items()})
    return Offer(kind, number, states, why_not, left_alone(kind, taken, rows))


def _rehearsable(kind: Kind, number: int, rows: QuerySet[DeadLetter], known: Known) -> tuple[int, str]:
    """On how many it acts where not every handler can be rehearsed; and why on none."""
    if not number:
        return 0, ""
    types = sorted(kind.can_run(known))
    able = rows.filter(Q(event_type__in=types) | Q(payload__type__in=types), status__in=kind.eligible())
    found = _in_time(able) if types else 0
    return found, "" if found else NOT_REHEARSABLE


def _named_in_payloads(kind: Kind, rows: QuerySet[DeadLetter]) -> int:
    """Before a refusal: a payload may name another type than its row, and that one has a handler."""
    known = known_handlers.for_retries()
    if not (known and known.event_types):
        return 0
    return _in_time(rows.filter(status__in=kind.eligible(), payload__type__in=sorted(known.event_types)))


def _in_time(rows: QuerySet[DeadLetter]) -> int:
    """How many there are; none where counting takes too long."""
    try:
        with time_budget(_LOOK_MS):
            return rows.count()
    except TooSlow:
        return 0
