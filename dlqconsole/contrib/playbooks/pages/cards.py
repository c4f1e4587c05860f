"""The parts that playbooks add to other pages: cards, and words of the audit log."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.audit.subjects import Words, changes, number
from dlqconsole.contrib.playbooks import principal
from dlqconsole.contrib.playbooks.pages.page import lines, recent_activity
from dlqconsole.features import Card
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.people.names import named
from dlqconsole.processing.texts import visible

_LONGEST = 140


def on_group(request: HttpRequest, group_id: int) -> Card:
    """The standing rules of a failure group."""
    context = {
        "playbooks": lines(group_id=group_id),
        "playbook_filter": urlencode({"group": group_id}),
    }
    return Card("playbooks/group.html", context)


def on_overview(request: HttpRequest) -> Card | None:
    """The latest actions of playbooks, and those that wait for a person to look."""
    figures = recent_activity()
    if not figures:
        return None
    actions = [
        {
            "text": _("Look at the playbook {name}: {look}").format(
                name=_short(row["playbook"].name), look=_short(stored_text(named(row["playbook"].look)))
            ),
            "url": row["url"],
            "tone": "danger",
        }
        for row in figures["looks"]
    ]
    return Card("playbooks/told.html", {"playbooks": figures}, actions)


def actor_address(actor: str) -> str:
    """The page of the playbook that acts, where it is still there and seen."""
    number = principal.playbook_of(actor)
    is_seen = number is not None and principal.exists(number)
    return reverse("dlq:playbook", args=[number]) if is_seen else ""


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _described(detail: Mapping[str, Any]) -> str:
    name, when, does, to, budget = (detail.get(part, "") for part in ("name", "when", "does", "to", "budget"))
    return f"{name}: {when}, {does}: {to}; {budget}"


WORDS: dict[str, Words] = {
    "playbook": {
        "create": _described,
        "change": changes,
        "resume": lambda detail: _("resumed it after a look"),
        "act": lambda detail: _("asked for an operation on {expected}: {why}").format(
            expected=number(detail.get("expected")), why=stored_text(str(detail.get("why", "")))
        ),
        "stop": lambda detail: _("stopped until somebody has looked: {why}").format(
            why=stored_text(named(str(detail.get("why", ""))))
        ),
        "delete": lambda detail: f"deleted: {_described(detail)}",
    },
}
