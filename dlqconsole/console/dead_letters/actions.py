"""Actions on one dead letter, and the reasons why some are not possible."""

from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import VIEWERS
from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.kinds import offers
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.edit import Edit

_EDIT = Edit()


def bulk_actions(status: str, tabs: list[dict[str, Any]]) -> dict[str, list[tuple[Kind, Count, str]]]:
    """The actions of the list's bar on a status tab, ``first`` and in a menu ``more``, each with its number.

    The number is how many matching dead letters it acts on, as the tabs count them; and why it acts on none.
    """
    current_tabs = [tab for tab in tabs if status in ("", tab["status"])]
    counts = {tab["status"]: _count_of(tab) for tab in current_tabs}
    is_least = any(tab["is_least"] for tab in current_tabs)

    def make_offer(kind: Kind) -> tuple[Kind, Count, str]:
        number, why_not = offers.acted_on(kind, counts)
        return kind, Count(number, is_least), why_not

    first, more = ([make_offer(kind) for kind in kinds] for kinds in offers.on_tab(status))
    return {"first": first, "more": more}


def _count_of(tab: dict[str, Any]) -> Count:
    return Count(
        tab["count"],
        unhandled=tab["unhandled"],
        unrehearsable=tab["unrehearsable"],
        coming=tab["coming"],
    )


def actions(letter: DeadLetter, may_operate: bool) -> list[dict[str, Any]]:
    """One entry a kind of operation: ``kind``, ``enabled``, ``why_not``."""
    return [_action(kind, letter, may_operate) for kind in offers.on_letter(letter.status)]


def edit_action(letter: DeadLetter, may_operate: bool) -> dict[str, Any]:
    """The same for editing it, on a page of its own."""
    return _action(_EDIT, letter, may_operate)


def _action(kind: Kind, letter: DeadLetter, may_operate: bool) -> dict[str, Any]:
    reason = kind.why_not().get(letter.status, "")
    sentence = (
        _("This dead letter {reason}.").format(reason=translated(reason))
        if reason
        else _no_handler(kind, letter)
    )
    if not may_operate:
        sentence = VIEWERS
    return {"kind": kind, "enabled": not sentence, "why_not": sentence}


def _no_handler(kind: Kind, letter: DeadLetter) -> str:
    handlers = known_handlers.for_retries()
    if not kind.runs_handlers or handlers is None or letter.event_type in kind.can_run(handlers):
        return ""
    return kind.no_handler_for_one
