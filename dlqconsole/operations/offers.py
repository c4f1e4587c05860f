"""Where each kind of operation is offered, and over how many: the number on its button is what it acts on."""

from collections.abc import Mapping
from dataclasses import dataclass

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind

NOT_REHEARSABLE = "No worker that runs now has a handler for these that says that it can be rehearsed."
NO_HANDLER = "No worker that runs now has a handler for these: a retry would skip them all."


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


def on_group(counts: Mapping[str, Count]) -> list[Offer]:
    """What a failure group's page offers: the kinds that have something to act on there."""
    offers = (_offer(kind, counts) for kind in _in_order(kinds.asked_for()) if kind.on_group)
    return [offer for offer in offers if offer.count or offer.why_not or offer.left]


def acted_on(kind: Kind, counts: Mapping[str, Count]) -> tuple[int, str]:
    """On how many of what is counted by status it acts; why on none, where they only lack a handler.

    Nothing is asked here: what a page needs to know was counted when the rows were written.
    """
    number = kind.count({status: count.value for status, count in counts.items()})
    number = max(number - left_alone(kind, counts), 0)
    lacking = kind.count({status: _lacking(kind, count) for status, count in counts.items()})
    able = max(number - lacking, 0)
    return able, (NOT_REHEARSABLE if kind.rehearses else NO_HANDLER) if lacking and not able else ""


def left_alone(kind: Kind, counts: Mapping[str, Count]) -> int:
    """How many it leaves to a person: they keep coming back."""
    if not kind.leaves_come_backs:
        return 0
    return kind.count({status: count.coming for status, count in counts.items()})


def _lacking(kind: Kind, count: Count) -> int:
    """How many it skips because nobody has a handler for them."""
    if not kind.runs_handlers:
        return 0
    return count.unrehearsable if kind.rehearses else count.unhandled


def on_letter(status: str) -> list[Kind]:
    """What a dead letter's page shows in this state, whether it may be done or not."""
    return [kind for kind in kinds.asked_for() if DeadLetterStatus(status) in kind.on_letter]


def in_admin() -> list[Kind]:
    """What Django's admin offers as actions."""
    return [kind for kind in kinds.asked_for() if kind.in_admin]


def _in_order(found: list[Kind]) -> list[Kind]:
    return sorted(found, key=lambda kind: kind.rank)


def _offer(kind: Kind, counts: Mapping[str, Count]) -> Offer:
    states = tuple(status for status in kind.eligible() if status in counts and counts[status].value)
    number, why_not = acted_on(kind, counts)
    return Offer(kind, number, states, why_not, left_alone(kind, counts))
