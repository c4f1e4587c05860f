"""Where each kind of operation is offered, and over how many: the number on its button is what it acts on."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind, how many dead letters it would act on, and the states that they are in."""

    kind: Kind
    count: int
    states: tuple[str, ...]


def on_tab(tab: str) -> tuple[list[Kind], list[Kind]]:
    """What the bar of the list offers on a status tab ("" is that of all), and what its menu does."""
    known = _in_order(kinds.asked_for())
    return [kind for kind in known if tab in kind.first_on], [kind for kind in known if tab in kind.more_on]


def on_group(by_status: Mapping[str, int]) -> list[Offer]:
    """What a failure group's page offers: the kinds that have something to act on there."""
    offers = (_offer(kind, by_status) for kind in _in_order(kinds.asked_for()) if kind.on_group)
    return [offer for offer in offers if offer.count]


def on_letter(status: str) -> list[Kind]:
    """What a dead letter's page shows in this state, whether it may be done or not."""
    return [kind for kind in kinds.asked_for() if DeadLetterStatus(status) in kind.on_letter]


def in_admin() -> list[Kind]:
    """What Django's admin offers as actions."""
    return [kind for kind in kinds.asked_for() if kind.in_admin]


def _in_order(found: list[Kind]) -> list[Kind]:
    return sorted(found, key=lambda kind: kind.rank)


def _offer(kind: Kind, by_status: Mapping[str, int]) -> Offer:
    states = tuple(status for status in kind.eligible() if by_status.get(status))
    return Offer(kind, kind.count(by_status), states)
