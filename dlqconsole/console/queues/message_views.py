"""The messages on a queue, ours or attached: in lists, each whole, made due or deleted by a person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dlqconsole.console.access.permissions import actor, asks_for, can_operate, viewer_required
from dlqconsole.console.masking.revelations import RevealState, note_download
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.forms import RevealForm
from dlqconsole.console.parts.message_place import MessagePlace
from dlqconsole.console.parts.responses import page, payload_download
from dlqconsole.console.parts.shown_payload import headers_text, shown_payload
from dlqconsole.console.queues import actions
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.console.queues.forms import ConfirmForm
from dlqconsole.console.queues.message_words import about_actions, warning
from dlqconsole.core.errors import EngineError, InvalidQueue
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.queues.waiting_messages import MessagePage
from dlqconsole.hosting.wording import translated
from dlqconsole.transports import message_actions
from dlqconsole.transports.message_actions import is_browsed
from dlqconsole.transports.queue_overview import is_attached

LOOK_MS = 3_000
# before the lists of messages that are still ours, on a page of an attached queue
_HERE = "here-"

type View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class _Tab:
    """A list of the page. ``list_name``: its name among the lists of its place."""

    key: str
    label: str
    about: str
    place: MessagePlace
    list_name: str


@viewer_required
@require_safe
def messages(request: HttpRequest, name: str) -> HttpResponse:
    """Some of the queue's messages, in the order of their turn."""
    check_known(name)
    tabs = _tabs(name)
    key = request.GET.get("list", tabs[0].key)
    tab = next((each for each in tabs if each.key == key), None)
    if tab is None:
        raise Http404(
            _("There is no such list. These are: {names}.").format(names=", ".join(each.key for each in tabs))
        )
    listing, counts, problem = _look(tabs, tab, request.GET.get("after", "")[:400])
    context = {
        "name": name,
        "is_attached": is_attached(name),
        "is_browsed": is_browsed(name),
        "problem": problem,
        "rows": [_row(tab.place, row) for row in listing.rows],
        "tabs": [
            _link(each, counts.get(each.key), each is tab) for each in tabs if _is_shown(each, tab, counts)
        ],
        "about": tab.about,
        "listed": key,
        "next_url": "?" + urlencode({"list": key, "after": listing.next}) if listing.next else "",
        "begun": bool(request.GET.get("after")),
    }
    return page(request, "console/queues/messages.html", context)


def _tabs(name: str) -> list[_Tab]:
    tabs: list[_Tab] = []
    if is_browsed(name):
        place = MessagePlace.of(name)
        tabs += [_Tab(key, each.label, each.about, place, key) for key, each in place.browser.lists.items()]
    if is_attached(name):
        place = MessagePlace.of(name, on_the_way=True)
        tabs += [
            _Tab(
                f"{_HERE}{key}",
                _("On the way: {lower}").format(lower=each.label.lower()),
                _("Still ours. {about}").format(about=each.about),
                place,
                key,
            )
            for key, each in place.browser.lists.items()
        ]
    return tabs


def _look(tabs: list[_Tab], tab: _Tab, after: str) -> tuple[MessagePage, dict[str, int | None], str]:
    """Return a page of a list, the counts by list, and why they are not known, if so."""
    counts: dict[str, int | None] = {}
    listing, problem = MessagePage([], ""), ""
    for place in {each.place.queue: each.place for each in tabs}.values():
        try:
            with time_budget(LOOK_MS):
                by_list = place.browser.counts(place.queue)
                counts |= {each.key: by_list[each.list_name] for each in tabs if each.place == place}
                if tab.place == place:
                    listing = place.browser.page(place.queue, tab.list_name, after=after)
        except EngineError as error:
            problem = translated(error)
        except TooSlow:
            problem = _("Looking at them took longer than {look_ms} s.").format(look_ms=LOOK_MS // 1000)
    return listing, counts, problem


def _is_shown(tab: _Tab, current: _Tab, counts: Mapping[str, int | None]) -> bool:
    """Tell whether a list has a tab: one of what is on the way only where something is."""
    return tab is current or not tab.place.on_the_way or bool(counts.get(tab.key))


def _link(tab: _Tab, count: int | None, is_current: bool) -> dict[str, Any]:
    return {"label": tab.label, "count": count, "url": f"?list={tab.key}", "current": is_current}


def _row(place: MessagePlace, row: Mapping[str, Any]) -> dict[str, Any]:
    texts = masked_texts()
    return {
        **row,
        "url": place.url("queue_message", row["id"]),
        "preview": texts.beginning(row["preview"] or ""),
        "last_error": texts.beginning_of(row["last_error"], 300),
    }


def _list_url(place: MessagePlace) -> str:
    return reverse("dlq:queue_messages", args=[place.name]) + (
        f"?list={_HERE}live" if place.on_the_way else ""
    )


def _says_where_away(view: View) -> View:
    """Send a person to the queue's page with the reason why its system does not answer."""

    @wraps(view)
    def shown(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
        try:
            return view(request, name, number)
        except EngineError as problem:
            notices.error(request, translated(problem))
            return redirect("dlq:queue", name)

    return shown


@viewer_required
@require_safe
@_says_where_away
def message(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """One message: its owner, its time, its payload, its actions."""
    place = MessagePlace.asked_for(request, name)
    row = place.message(number)
    reveal = RevealState(request, place.target(number))
    context = {
        "name": name,
        "list_url": _list_url(place),
        "message": row | {"last_error": reveal.texts.cut(row["last_error"], 4_000)},
        "actions": about_actions(place, row, can_operate(request)),
        "behind_url": place.url("queue_message", row["behind"]) if row["behind"] else "",
        "reveal": reveal,
        "reveal_url": place.url("queue_message_reveal", number),
        "reveal_form": RevealForm(),
        "payload": shown_payload(row, reveal.texts, place.url("queue_message_raw", number)),
        "headers_text": headers_text(row, reveal.texts),
    }
    return page(request, "console/queues/message.html", context)


@viewer_required
@require_safe
@_says_where_away
def raw(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The payload to save: exact bytes for a person who has revealed it, else masked."""
    place = MessagePlace.asked_for(request, name)
    whole = place.browser.whole_payload(place.queue, number)
    if whole is None:
        raise Http404(_("Message {number} is not on this queue.").format(number=number))
    content, is_json = whole
    reveal = RevealState(request, place.target(number))
    body = reveal.texts.content(content)
    note_download(request, place.target(number), reveal)
    return payload_download(f"message-{number}", body, is_json=is_json, is_masked=body != content)


@asks_for(actions.MAKE_DUE)
@require_http_methods(["GET", "HEAD", "POST"])
@_says_where_away
def make_due(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Make a scheduled message due now."""
    return _confirm(request, name, number, "make due", message_actions.make_due)


@asks_for(actions.DELETE)
@require_http_methods(["GET", "HEAD", "POST"])
@_says_where_away
def delete(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Remove one message."""
    return _confirm(request, name, number, "delete", message_actions.delete)


def _confirm(
    request: HttpRequest, name: str, number: int, kind: str, act: Callable[..., None]
) -> HttpResponseBase:
    """Show the effect; a POST with a reason does it and goes back to the messages."""
    place = MessagePlace.asked_for(request, name)
    form = ConfirmForm.from_request(request)
    if form.is_valid():
        why = {"actor": actor(request), "reason": form.cleaned_data["reason"]}
        try:
            act(name, number, on_the_way=place.on_the_way, **why)
        except InvalidQueue as refusal:
            form.add_error(None, translated(refusal))
        else:
            is_gone = kind == "delete"
            sentence = _("Message {number} is deleted.") if is_gone else _("Message {number} is due now.")
            notices.success(request, sentence.format(number=number))
            return redirect(_list_url(place) if is_gone else place.url("queue_message", number))
    row = place.message(number)
    context = {
        "kind": kind,
        "act": _("Delete") if kind == "delete" else _("Make due now"),
        "is_final": kind == "delete",
        "name": name,
        "number": number,
        "form": form,
        "back_url": place.url("queue_message", number),
        "revives": row["dlq_event_id"],
        "warning": warning(place, row),
    }
    return page(request, "console/queues/message_confirm.html", context, status=form.status)
