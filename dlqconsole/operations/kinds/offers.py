"""The offers of operations on the pages: the number on a button counts the dead letters that it acts on."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind


@dataclass(frozen=True, slots=True)
class KindOffer:
    """A kind, the number of dead letters that it would act on, and their states.

    ``why_not``: why it would skip all of them. ``for_people``: how many failed repeatedly and are skipped by
    default.
    """

    kind: Kind
    count: int
    states: tuple[str, ...]
    why_not: str = ""
    for_people: int = 0


def on_tab(tab: str) -> tuple[list[Kind], list[Kind]]:
    """The kinds in the bar of the list on a status tab ("": all states), and those in its menu."""
    in_order = _in_order(kinds.asked_for())
    in_bar = [kind for kind in in_order if tab in kind.first_on]
    return in_bar, [kind for kind in in_order if tab in kind.more_on]


def on_group(counts: Mapping[str, Count]) -> list[KindOffer]:
    """The offers on a failure group's page: the kinds that have something to act on there."""
    offers = (_offer(kind, counts) for kind in _in_order(kinds.asked_for()) if kind.on_group)
    return [offer for offer in offers if offer.count or offer.why_not or offer.for_people]


def acted_on(kind: Kind, counts: Mapping[str, Count]) -> tuple[int, str]:
    """Return the number of dead letters that it acts on; and a reason where all of them lack a handler.

    This makes no query: the counts were made when the rows were written.
    """
    number = kind.count({status: count.value for status, count in counts.items()})
    number = max(number - count_for_people(kind, counts), 0)
    lacking = kind.count({status: kind.count_without_handler(count) for status, count in counts.items()})
    able = max(number - lacking, 0)
    return able, kind.no_handler if lacking and not able else ""


def count_for_people(kind: Kind, counts: Mapping[str, Count]) -> int:
    """Count those that it leaves to a person because they failed repeatedly after revivals."""
    if not kind.leaves_come_backs:
        return 0
    return kind.count({status: count.coming for status, count in counts.items()})


def on_letter(status: str) -> list[Kind]:
    """The kinds on a dead letter's page in this state, allowed or not."""
    return [kind for kind in kinds.asked_for() if DeadLetterStatus(status) in kind.on_letter]


def in_admin() -> list[Kind]:
    """The kinds that Django's admin offers as actions."""
    return [kind for kind in kinds.asked_for() if kind.in_admin]


def _in_order(kinds_to_sort: list[Kind]) -> list[Kind]:
    return sorted(kinds_to_sort, key=lambda kind: kind.rank)


def _offer(kind: Kind, counts: Mapping[str, Count]) -> KindOffer:
    states = tuple(status for status in kind.eligible() if status in counts and counts[status].value)
    number, why_not = acted_on(kind, counts)
    return KindOffer(kind, number, states, why_not, count_for_people(kind, counts))
