"""The messages on a queue: looked at, never touched."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.masking.revelations import RevealState, note_download
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.responses import page, payload_download
from dlqconsole.console.parts.reveal_form import RevealForm
from dlqconsole.console.parts.shown_payload import headers_text, shown_payload
from dlqconsole.console.queues.detail_views import check_known
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import waiting_messages as queued_messages
from dlqconsole.transports.queue_overview import is_attached

_TABS = {
    "live": ("In order", "Claimable or in flight, in the order in which they are claimed."),
    "scheduled": ("Scheduled", "For later, the next due first."),
    "waiting": ("In groups", "Each behind an earlier message of its group, or a dead letter of it."),
    "held": ("Held back", "Revived, and held back until the undo window of their operation has passed."),
}


@viewer_required
@require_safe
def messages(request: HttpRequest, name: str) -> HttpResponse:
    """Some of the queue's messages, in the order of their turn."""
    check_known(name)
    tab = request.GET.get("list", "live")
    if tab not in _TABS:
        raise Http404("There are four lists: live, scheduled, waiting and held.")
    listing = queued_messages.page(name, tab, after=request.GET.get("after", "")[:400])
    texts = masked_texts()
    for row in listing.rows:
        row["preview"] = texts.beginning(row["preview"] or "")
        row["last_error"] = texts.beginning_of(row["last_error"], 300)
    context = {
        "name": name,
        "is_attached": is_attached(name),
        "rows": listing.rows,
        "tabs": _tabs(name, tab),
        "about": _TABS[tab][1],
        "listed": tab,
        "next_url": "?" + urlencode({"list": tab, "after": listing.next}) if listing.next else "",
        "begun": bool(request.GET.get("after")),
    }
    return page(request, "console/queues/messages.html", context, part="")


def _tabs(name: str, current: str) -> list[dict[str, Any]]:
    figures = queue_metrics.live_of(name)
    counts = {
        "live": figures["visible"] + figures["in_flight"],
        "scheduled": figures["scheduled"],
        "waiting": figures["waiting"],
        "held": figures["held"],
    }
    return [
        {"label": label, "count": counts[tab], "url": f"?list={tab}", "current": tab == current}
        for tab, (label, _about) in _TABS.items()
    ]


@viewer_required
@require_safe
def message(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """One message: its owner, its time, its payload."""
    row = queued_messages.message(name, number)
    if row is None:
        raise Http404(
            f"Message {number} is not on this queue: it was completed, dead-lettered or never here."
        )
    reveal = RevealState(request, f"message:{number}")
    context = {
        "name": name,
        "message": row | {"last_error": reveal.texts.cut(row["last_error"], 4_000)},
        "reveal": reveal,
        "reveal_url": reverse("queue_message_reveal", args=[name, number]),
        "reveal_form": RevealForm(),
        "payload": shown_payload(row, reveal.texts, reverse("queue_message_raw", args=[name, number])),
        "headers_text": headers_text(row, reveal.texts),
    }
    return page(request, "console/queues/message.html", context, part="")


@viewer_required
@require_safe
def raw(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The payload to save: exact bytes for a person who has revealed it, else masked."""
    whole = queued_messages.whole_payload(name, number)
    if whole is None:
        raise Http404(f"Message {number} is not on this queue.")
    content, is_json = whole
    reveal = RevealState(request, f"message:{number}")
    body = reveal.texts.content(content)
    note_download(request, f"message:{number}", reveal)
    return payload_download(f"message-{number}", body, is_json=is_json, is_masked=body != content)
