"""One dead letter: its failures, its payload, its history, and its actions."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import actor, can_operate, viewer_required
from dlqconsole.console.dead_letters.actions import actions, edit_action
from dlqconsole.console.dead_letters.copies import Copy, copies
from dlqconsole.console.dead_letters.history import same_event
from dlqconsole.console.dead_letters.links import source_link, trace_link
from dlqconsole.console.dead_letters.story import story
from dlqconsole.console.masking.revelations import RevealState, note_download
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.forms import RevealForm
from dlqconsole.console.parts.responses import page, payload_download
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.shown_payload import headers_text, payload_behind, shown_payload
from dlqconsole.console.parts.tables import group_rows
from dlqconsole.console.parts.visitors import names_visitors
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.dead_letters.cascades import Cascade, cascade
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.groups import classification
from dlqconsole.engine.groups.classification import Factor
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues.obstacles import behind_letter
from dlqconsole.features import features
from dlqconsole.operations.receipts import past_actions
from dlqconsole.operations.requests import retention
from dlqconsole.retries.why import Circumstances, answer
from dlqconsole.triage.claims import claims


@viewer_required
@require_safe
@names_visitors
def dead_letter(request: HttpRequest, letter_id: int) -> HttpResponse:
    """The whole story of one dead letter; one that lies elsewhere has a page there."""
    letter = excerpts.letter(letter_id)
    if letter is None:
        return page_elsewhere(request, letter_id)
    facts = Circumstances.look()
    why = answer(letter, facts)
    letter.max_retries = facts.max_tries(letter)
    search = ShownFilter.read(request.GET, request)
    reveal = RevealState(request, f"dead_letter:{letter_id}")
    same = same_event(letter)
    nearby = neighbours(letter, search)
    letter_story = story(letter, reveal.texts, same)
    behind = _behind(letter)
    _mask(letter, reveal.texts)
    limit = excerpts.BEHIND if "whole" in request.GET else excerpts.AT_ONCE
    payload = excerpts.payload(letter_id, limit)
    payload_part = _payload(request, letter_id, payload, limit, reveal.texts)
    headers = headers_text(payload, reveal.texts, limit)
    group = group_figures.group(letter.group_id)
    context = {
        "letter": letter,
        "filter": search,
        "list_url": _back_to_list(search),
        "payload": payload_part,
        "headers_text": headers,
        "story": letter_story,
        "others_with_its_id": _letters_of_same_id(letter_id),
        "reveal": reveal,
        "reveal_url": reverse("dlq:dead_letter_reveal", args=[letter_id]),
        "reveal_form": RevealForm(),
        "group": group_rows([group])[0] if group else None,
        "grouping": reveal.texts.parts(_grouping(letter_id, group)),
        "why_not_retried": reveal.texts.text(why.sentence),
        "same_event": same.means if same else "",
        "behind": behind,
        "claim": claims([letter.group_id]).get(letter.group_id),
        "me": actor(request),
        "next_retry": why.next,
        "kept_for": retention.countdown(retention.remaining(letter)),
        "cascade": _cascade(payload["ids"], reveal.texts),
        "past": past_actions.best(letter.group_id) if letter.group_id else [],
        "actions": actions(letter, can_operate(request)),
        "feature_cards": cards("dead letter", request, letter=letter),
        "trace_url": trace_link(headers),
        "source_url": source_link(letter.error_stacktrace),
        "copies": _copies(request, letter, payload_part, headers),
        "edit": edit_action(letter, can_operate(request)),
        **nearby,
    }
    return page(request, "console/dead_letters/detail.html", context)


def _payload(
    request: HttpRequest, letter_id: int, payload: dict[str, Any], limit: int, texts: ShownTexts
) -> dict[str, Any]:
    download_url = reverse("dlq:dead_letter_raw", args=[letter_id])
    if "whole" in request.GET or max(payload["text_size"] or 0, payload["raw_size"] or 0) < limit:
        return shown_payload(payload, texts, download_url, limit)
    query = request.GET.copy()
    query["whole"] = "1"
    return payload_behind(payload, Shown(f"?{query.urlencode()}"), download_url)


def _behind(letter: DeadLetter) -> dict[str, Any] | None:
    """The messages that wait for it: their number, and the page of the first; None where none does."""
    if not (letter.group_key and letter.queue and current_access().sees_queue(letter.queue)):
        return None
    row = behind_letter(letter.pk)
    if not row["messages"]:
        return None
    return row | {"url": reverse("dlq:queue_message", args=[letter.queue, row["first"]])}


def _copies(request: HttpRequest, letter: DeadLetter, payload: dict[str, Any], headers: str) -> list[Copy]:
    """The texts to take along, ours and those of features; none of a long payload, or of no JSON."""
    if payload.get("state") != "json" or payload["also_raw"] or payload["truncated"]:
        return []
    given = {"letter": letter, "payload": payload["text"], "headers": headers}
    ours = copies(letter, payload["text"], headers)
    theirs = [row["card"] for row in cards("dead letter copies", request, **given)] if ours else []
    return [*ours, *(Copy(**card.context) for card in theirs if card)]


def _cascade(ids: list[str], texts: ShownTexts) -> Cascade | None:
    if not ids:
        return None
    try:
        with summaries.time_budget(summaries.BUDGET, summaries.LOOKUP):
            rows = cascade(ids)
    except summaries.TooSlow:
        return None
    for row in rows.rows if rows else ():
        row["reason"] = texts.beginning_of(row["reason"], excerpts.REASON)
    return rows


def _mask(letter: DeadLetter, texts: ShownTexts) -> None:
    for name in ("error_reason", "error_stacktrace"):
        setattr(letter, name, texts.cut(getattr(letter, name), excerpts.LONG))
    for name in ("event_type", "error_class", "queue", "source", "source_key"):
        setattr(letter, name, texts.text(getattr(letter, name)))


def _grouping(letter_id: int, group: dict[str, Any] | None) -> list[Factor]:
    return classification.explain(letter_id, is_whole=group is None or group["is_whole"])


def _letters_of_same_id(letter_id: int) -> list[int]:
    """The dead letters with its source and id but other bytes, at most ten."""
    others = current_access().limit(DeadLetter.objects.filter(same_id_as=letter_id)).order_by("id")
    return list(others.values_list("id", flat=True)[:10])


def _back_to_list(search: ShownFilter) -> str:
    """The list, with a flag not to open its only hit again."""
    query = search.address
    return list_url(Shown(f"{query}&stay=1") if search.criteria.q else query)


@viewer_required
@require_safe
def dead_letter_raw(request: HttpRequest, letter_id: int) -> HttpResponse:
    """The payload to save: exact bytes for a person who has revealed it, else masked."""
    content, is_json = excerpts.whole_payload(letter_id) or payload_elsewhere(request, letter_id)
    reveal = RevealState(request, f"dead_letter:{letter_id}")
    body = reveal.texts.content(content)
    note_download(request, f"dead_letter:{letter_id}", reveal)
    return payload_download(f"dead-letter-{letter_id}", body, is_json=is_json, is_masked=body != content)


def neighbours(letter: DeadLetter, search: ShownFilter) -> dict[str, str]:
    """``next_url`` and ``prev_url`` in the list's order; empty at the ends, or if the query is too slow."""
    order, rows = search.layout.order, search.queryset()
    here = order.place(vars(letter))
    return {
        "next_url": _url(order.after(rows, here), search),
        "prev_url": _url(order.before(rows, here), search),
    }


def _url(rows: QuerySet[DeadLetter], search: ShownFilter) -> str:
    try:
        with summaries.time_budget(summaries.BUDGET):
            letter_id = rows.values_list("pk", flat=True).first()
    except summaries.TooSlow:
        return ""
    query = f"?{search.address}" if search.address else ""
    return Shown(reverse("dlq:dead_letter", args=[letter_id]) + query) if letter_id else ""


def page_elsewhere(request: HttpRequest, letter_id: int) -> HttpResponse:
    """The page of a dead letter that is not in the list. Raises Http404."""
    answer: HttpResponse = _first("page", request, letter_id)
    return answer


def payload_elsewhere(request: HttpRequest, letter_id: int) -> tuple[bytes, bool]:
    """Its payload, and whether that is JSON. Raises Http404."""
    answer: tuple[bytes, bool] = _first("payload", request, letter_id)
    return answer


def _first(name: str, request: HttpRequest, letter_id: int) -> Any:
    for place in [feature.other_place for feature in features() if feature.other_place]:
        if (answer := import_string(getattr(place, name))(request, letter_id)) is not None:
            return answer
    raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
