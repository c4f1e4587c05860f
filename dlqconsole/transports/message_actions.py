"""The actions of a person on one message of a queue: make it due, or remove it. Each has its audit row."""

from collections.abc import Callable, Mapping, Sequence

from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.transports import foreign_rows
from dlqconsole.transports.browser import GONE, Browser, Keep
from dlqconsole.transports.queue_overview import is_attached
from dlqconsole.transports.registry import OURS, parts, systems


def browser_of(name: str, *, on_the_way: bool = False) -> tuple[Browser, str]:
    """Return who shows the messages of a queue, and the queue's name there.

    ``on_the_way``: those that are still ours, of an attached queue. Raises UnknownQueue where its system
    shows none.
    """
    if on_the_way or not is_attached(name):
        system, queue = systems()[OURS], name
    else:
        system, queue = parts(name)
    if system.browser is None:
        raise UnknownQueue(
            _("The messages on {name} cannot be looked at here, one by one.").format(name=name)
        )
    return system.browser(), queue


def is_browsed(name: str) -> bool:
    """Tell whether the messages of the queue are shown, and removed, here."""
    return not is_attached(name) or parts(name)[0].browser is not None


def make_due(name: str, number: int, *, actor: str, reason: str, on_the_way: bool = False) -> None:
    """Make a scheduled message claimable now. Raises InvalidQueue where there is nothing to do."""
    browser, queue = browser_of(name, on_the_way=on_the_way)
    browser.make_due(queue, number, _noted(name, number, "make due", actor, reason))


def delete(name: str, number: int, *, actor: str, reason: str, on_the_way: bool = False) -> None:
    """Remove one message. A dead letter that it revived returns to its former state.

    Raises InvalidQueue for a message that a consumer holds, or that has left.
    """
    browser, queue = browser_of(name, on_the_way=on_the_way)
    why = f"its message was deleted from {name} by {actor}"

    def settle(removed: Sequence[int]) -> None:
        if not on_the_way:
            foreign_rows.take_back(name, removed, why)

    keep = _noted(name, number, "delete message", actor, reason, settle)
    browser.remove(queue, [number], keep, also_held=not browser.knows_holders)


def _noted(
    name: str,
    number: int,
    action: str,
    actor: str,
    reason: str,
    settle: Callable[[Sequence[int]], None] = lambda _removed: None,
) -> Keep:
    """Return what writes the audit row, or refuses with the reason why nothing was changed."""

    def keep(changed: Sequence[int], left: Mapping[int, str]) -> None:
        if not changed:
            raise InvalidQueue(
                _("Nothing was changed: message {number} of {name} {state}.").format(
                    number=number, name=name, state=left.get(number, GONE)
                )
            )
        with transaction.atomic():
            settle(changed)
            audit.record(actor, action, f"queue:{name}", reason=reason, detail={"message": number})

    return keep
