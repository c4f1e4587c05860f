"""Places to go, while a person types into the box on top: pages, views, failure groups and others.

A new sort is a function here and a line in SORTS. It returns at most MOST entries, those that fit best first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access import navigation
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.dead_letters.saved_views import readable_views, visible_views
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.console.parts.tables import group_rows
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups, summaries
from dlqconsole.engine.counts.suggestions import counted_groups, counted_types
from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import pgettext_lazy
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.models import STATUS_LABELS
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import echo_text

MOST = 10
EACH = 2  # entries of a sort that have a place whatever the others have
LONGEST = 200  # characters
_BUDGET = 200  # milliseconds for each statement


@dataclass(frozen=True, slots=True)
class Entry:
    """A place: its name and address. ``count``: its dead letters, exact; ``words`` tell it from others."""

    text: str
    url: str
    words: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The entries of one sort, below their title."""

    title: str
    entries: list[Entry]


@viewer_required
@require_safe
def palette(request: HttpRequest) -> HttpResponse:
    """Return the places that fit the text; without a text the pages."""
    text = echo_text(request.GET.get("text", ""), LONGEST).strip()
    parts = [Part(str(title), _within_time(find, request, text)) for title, find in SORTS]
    return page(request, "console/parts/options.html", {"parts": _fairly(parts)})


def _within_time(find: Finder, request: HttpRequest, text: str) -> list[Entry]:
    """Return the entries of a sort; none where the database is too busy to say them soon."""
    try:
        with summaries.time_budget(_BUDGET):
            return list(islice(find(request, text), MOST))
    except summaries.TooSlow:
        return []


def _fairly(parts: list[Part]) -> list[Part]:
    """Return at most MOST entries: first EACH of every sort, then more of those that stand first."""
    room = MOST
    spare = max(0, MOST - sum(min(len(part.entries), EACH) for part in parts))
    for part in parts:
        size = min(len(part.entries), EACH + spare, room)
        spare -= max(0, size - EACH)
        room -= size
        del part.entries[size:]
    return [part for part in parts if part.entries]


def _operations(_request: HttpRequest, text: str) -> Iterator[Entry]:
    number = as_id(text.removeprefix("#"))
    for row in visibility.operations().filter(pk=number) if number is not None else ():
        words = f"{kinds.shown(row.kind).label} · {STATUS_LABELS[row.status]}"
        yield Entry(f"#{row.pk}", reverse("dlq:operation", args=[row.pk]), words)


def _pages(request: HttpRequest, text: str) -> Iterator[Entry]:
    for name, label in navigation.everywhere():
        if text.casefold() in label.casefold():
            yield Entry(label, reverse(f"dlq:{name}"))


def _views(request: HttpRequest, text: str) -> Iterator[Entry]:
    views = visible_views(request).filter(name__icontains=text)[:MOST] if text else []
    for view in readable_views(views):
        yield Entry(view.name, view.url, str(_("shared")) if view.is_shared else "")


def _groups(_request: HttpRequest, text: str) -> Iterable[Entry]:
    counts = counted_groups(text, MOST) if text else {}
    names = groups.identities(counts)
    for row in group_rows([{"id": number, **names[number]} for number in counts]):
        yield Entry(row["title"], row["url"], row["event_type"], counts[row["id"]])


def _queues(_request: HttpRequest, text: str) -> Iterator[Entry]:
    for name in summaries.queue_names(MOST, text) if text else ():
        if name and current_access().sees_queue(name) and searching.contains(text, name):
            yield Entry(name, reverse("dlq:queue", args=[name]))


def _event_types(_request: HttpRequest, text: str) -> Iterator[Entry]:
    for name, letters in counted_types(text, MOST).items() if text else ():
        yield Entry(name, list_url(Shown(urlencode({"type": name}))), count=letters)


type Finder = Callable[[HttpRequest, str], Iterable[Entry]]
# in the order of the list; a number names an operation, so this one stands first
SORTS: tuple[tuple[str, Finder], ...] = (
    (_("Operations"), _operations),
    (pgettext_lazy("of the console", "Pages"), _pages),
    (_("Views"), _views),
    (_("Failure groups"), _groups),
    (_("Queues"), _queues),
    (_("Event types"), _event_types),
)
