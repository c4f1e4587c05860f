"""The list of dead letters."""

from collections import Counter
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.access.guard import lies_elsewhere
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.dead_letters.actions import bulk_actions
from dlqconsole.console.dead_letters.grouped_list import grouped
from dlqconsole.console.dead_letters.headings import headings
from dlqconsole.console.dead_letters.saved_views import shown_views
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts import paging
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.tables import status_tabs, tabs_of
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters import come_backs, excerpts
from dlqconsole.engine.dead_letters.excerpts import among_newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.orders import NEWEST
from dlqconsole.engine.dead_letters.part_rules import LIST
from dlqconsole.engine.dead_letters.payload_indexes import has_values
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import features
from dlqconsole.hosting.wording import format_lazy, translated
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.requests import retention
from dlqconsole.people.names import named
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.retries.why import Circumstances
from dlqconsole.retries.why.answers import of_pending

WINDOW = 50_000
# milliseconds for each way of finding a page, and for the last ways if the others have failed
PAGE_BUDGET, LAST_BUDGET = 300, 1_000
ONLY_NEWEST = format_lazy(
    _(
        "Looking through everything takes too long, so only the newest {window:,} dead"
        " letters were looked at. Add a type, a status or dates to look at all of those."
    ),
    window=WINDOW,
)
NOT_INDEXED = format_lazy(
    _(" Or an administrator has such paths indexed: {program} index {{path}}"), program=PROGRAM
)
TOO_SLOW = _("This search takes too long. Add a type, a status or dates.")
UNKNOWN_ORDER = _("There is no order {name} of these, so the newest come first.")
ONLY_IDS = format_lazy(_("{too_slow} Only ids and keys were looked up."), too_slow=TOO_SLOW)


@viewer_required
@require_safe
def dead_letters(request: HttpRequest) -> HttpResponseBase:
    """The dead letters that match the filter, in the order of the address; a search with one hit opens it."""
    search = ShownFilter.read(request.GET, request, beside=LIST)
    if search.layout.unknown and not (search.errors or wants_part(request)):
        messages.warning(request, UNKNOWN_ORDER.format(name=quoted(search.layout.unknown)))
    return _as_groups(request, search) if search.layout.is_grouped else _as_list(request, search)


def _as_groups(request: HttpRequest, search: ShownFilter) -> HttpResponse:
    """The failure groups of what matches, with the number of matches in each."""
    own = grouped(search, WINDOW)
    problems = [str(ONLY_NEWEST)] if own["counted_among"] else own["problems"]
    counts = _counts(search, Lookup(paging.LetterPage([], 0)), None)
    lists_alone = {"rows": [], "among": 0, "not_counted": False}
    return _response(request, search, own | counts | lists_alone | {"problems": problems})


def _as_list(request: HttpRequest, search: ShownFilter) -> HttpResponseBase:
    lookup = _page(request, search)
    listing, problems = lookup.page, lookup.problems
    facts = Circumstances.look()
    rows = _rows(listing, search, facts)
    if _is_direct_hit(request, search, listing):
        url = rows["rows"][0]["url"]
        # htmx would put the page of the dead letter into the list
        return HttpResponse(headers={"HX-Redirect": f"{url}"}) if wants_part(request) else redirect(url)
    if not listing.rows and (number := _number_elsewhere(request, search)):
        return redirect("dlq:dead_letter", number)
    is_empty = not (listing.rows or problems)
    counts = _counts(search, lookup, facts.handlers)
    if listing.start == 0 and not listing.next and (listing.rows or not problems):
        counts = _count_page(counts, rows["rows"], search.criteria.status, facts.handlers, bool(lookup.among))
    context = {
        "problems": problems,
        "among": lookup.among,
        "headings": headings(search),
        "not_in_payloads": bool(search.criteria.q and current_access().searches_values and not has_values()),
        "bulk_action_url": reverse("dlq:operation_confirm"),
        "empty_cards": cards("empty list", request, search=search) if is_empty else [],
        **rows,
        **counts,
    }
    least = context["page_to"] + bool(context["next_url"])
    context["not_counted"] = context["count"].value < least
    context["count"] = context["count"].at_least(least)
    context["formats"] = _formats(context["count"].value)
    context["request_key"] = uuid4()
    context["bulk"] = bulk_actions(search.criteria.status, context["tabs"])
    return _response(request, search, context)


def _response(request: HttpRequest, search: ShownFilter, own: dict[str, Any]) -> HttpResponse:
    """The page, or its part for htmx. ``own``: what a list and groups do not share."""
    context = own | {
        "filter": search,
        "filter_links": [
            replace(feature.filter_link, label=translated(feature.filter_link.label))
            for feature in features()
            if feature.filter_link
        ],
        "layout": search.layout,
        "fields": search.form(suggestions()),
        "feature_cards": cards("list", request, search=search),
        **shown_views(request, search),
    }
    status = 400 if search.errors and not wants_part(request) else 200
    return page(
        request,
        "console/dead_letters/list.html",
        context,
        part="console/dead_letters/results.html",
        status=status,
    )


def _is_direct_hit(request: HttpRequest, search: ShownFilter, listing: paging.LetterPage) -> bool:
    """Tell whether a search has one hit, and the person did not come back from it (``stay``)."""
    is_search = bool(search.criteria.q) and "stay" not in request.GET
    if wants_part(request):  # a pasted id leads on; where other parts are changed, the list stays
        is_search = is_search and search.criteria == DeadLetterFilter(q=search.criteria.q)
    return is_search and "cursor" not in request.GET and len(listing.rows) == 1


def _number_elsewhere(request: HttpRequest, search: ShownFilter) -> int:
    """The number that was searched for, if only another place than the list has it; else 0."""
    text = search.criteria.q.strip()
    if wants_part(request) or "stay" in request.GET or not (text.isascii() and text.isdigit()):
        return 0
    number = int(text) if len(text) < 19 else 0
    try:
        return number if number and lies_elsewhere(number) else 0
    except Http404:
        return number  # its page shows the error


@dataclass(frozen=True, slots=True)
class Lookup:
    """A page, and the range it was searched in. ``among``: the newest so many dead letters; 0: all."""

    page: paging.LetterPage
    among: int = 0
    problems: list[str] = field(default_factory=list)


def _page(request: HttpRequest, search: ShownFilter) -> Lookup:
    text = request.GET.get("cursor", "")
    cursor = paging.read_cursor(text, search.layout.order) if text else None
    if text and cursor is None:
        messages.warning(request, paging.STALE)
    return _find_page(search, cursor, paging.page_size(request.GET.get("size", "")))


def _find_page(search: ShownFilter, cursor: paging.Cursor | None, size: int) -> Lookup:
    """The page: from the newest on, or by an index that fits the filter; else of the newest alone.

    The last way takes the text as a number or an id: that works however busy the machine is.
    """
    rows, words, order = search.queryset(), _index_hint(search), search.layout.order
    ways: list[tuple[QuerySet[DeadLetter], str, int, list[str]]] = [(rows, "", 0, [])]
    by_lookup = (rows, summaries.LOOKUP, 0, list[str]())
    if search.criteria.is_search and not words:
        # words of a group have many matches, soon met from the newest on; other words are rare
        ways.insert(int(search.criteria.is_named()), by_lookup)
    elif order != NEWEST and search.criteria.text:
        # what matches may all stand at the end of the order
        ways.append(by_lookup)
    ways.append((among_newest(rows, WINDOW), summaries.WALK, WINDOW, [ONLY_NEWEST + words]))
    if search.criteria.q:
        ways.append((search.criteria.by_id(), summaries.LOOKUP, WINDOW, [ONLY_IDS]))
    for candidates, plan, among, problems in ways:
        try:
            with summaries.time_budget(LAST_BUDGET if among else PAGE_BUDGET, plan):
                return Lookup(paging.page(candidates, cursor, size, order), among, problems)
        except summaries.TooSlow:
            continue
    return Lookup(paging.LetterPage([], 0), WINDOW, [str(TOO_SLOW)])


def _index_hint(search: ShownFilter) -> str:
    """The hint that makes a search by a path into the payload quick; empty if it has its index."""
    if search.criteria.is_indexed:
        return ""
    return NOT_INDEXED.format(path=f"payload.{search.criteria.payload[0][0]}")


def _rows(listing: paging.LetterPage, search: ShownFilter, facts: Circumstances) -> dict[str, Any]:
    query, texts = search.address, masked_texts()
    rows = [
        row
        | {
            "error_reason": texts.beginning_of(row["reason_excerpt"], excerpts.REASON),
            "kept_for": retention.countdown(retention.time_left(row["status"], row["updated_at"])),
            "unhandled": not facts.has_handler(row["event_type"]),
            "keeps_coming": come_backs.is_for_a_person(row["come_backs"], row["status"]),
            "why": _why(row, facts),
            "max_retries": facts.max_tries(SimpleNamespace(**row)),
            "url": Shown(reverse("dlq:dead_letter", args=[row["id"]]) + (f"?{query}" if query else "")),
        }
        for row in listing.rows
    ]
    return {
        "rows": rows,
        "page_from": listing.start + 1 if rows else 0,
        "page_to": listing.start + len(rows),
        "next_url": _cursor_url(query, listing.next),
        "prev_url": _cursor_url(query, listing.previous),
    }


def _why(row: dict[str, Any], facts: Circumstances) -> str:
    """The reason why a pending one is not retried now; empty for others."""
    if row["status"] != DeadLetterStatus.PENDING or come_backs.is_for_a_person(
        row["come_backs"], row["status"]
    ):
        return ""
    return named(of_pending(SimpleNamespace(**row), facts).sentence)


def _cursor_url(query: str, cursor: str) -> str:
    if not cursor:
        return ""
    return list_url(Shown((f"{query}&" if query else "") + urlencode({"cursor": cursor})))


def _counts(search: ShownFilter, lookup: Lookup, handlers: HandlerSet | None) -> dict[str, Any]:
    if search.errors:
        return {"count": summaries.Count(0), "tabs": []}
    if lookup.among:
        rows = among_newest(search.criteria.with_status("").queryset(), WINDOW)
        # all matches stand on the page: counting them would be the same work once more
        budget = PAGE_BUDGET if lookup.page.next or lookup.page.start else 1
        counts = summaries.counts_of(rows, budget, handlers, is_least=True)
        tabs = tabs_of(search.criteria, counts)
    else:
        tabs = status_tabs(search.criteria, summaries.BUDGET, handlers)
    tabs = [tab | {"url": search.url_of(search.criteria.with_status(tab["status"]))} for tab in tabs]
    current_tabs = [tab for tab in tabs if search.criteria.status in ("", tab["status"])]
    total, is_least = sum(tab["count"] for tab in current_tabs), any(tab["is_least"] for tab in current_tabs)
    return {"count": summaries.Count(total, is_least), "tabs": tabs}


def _count_page(
    counts: dict[str, Any],
    rows: list[dict[str, Any]],
    status: str,
    handlers: HandlerSet | None,
    is_least: bool,
) -> dict[str, Any]:
    """Count the rows of the page instead, if all matches are on it."""
    if not counts["count"].is_least:
        return counts
    by_status = Counter(row["status"] for row in rows)
    without_handler = Counter(row["status"] for row in rows if row["unhandled"])
    coming = Counter(row["status"] for row in rows if row["keeps_coming"])
    unrehearsable = Counter(
        row["status"] for row in rows if handlers and row["event_type"] not in handlers.rehearsable
    )
    tabs = [
        tab
        | {
            "count": by_status[tab["status"]],
            "unhandled": without_handler[tab["status"]],
            "unrehearsable": unrehearsable[tab["status"]],
            "coming": coming[tab["status"]],
            "is_least": is_least,
            "words": str(by_status[tab["status"]]),
        }
        if status in ("", tab["status"])
        else tab
        for tab in counts["tabs"]
    ]
    return {"count": summaries.Count(len(rows), is_least), "tabs": tabs}


def suggestions() -> dict[str, list[str]]:
    """The suggestions of the filter's fields, by the part of the filter."""
    return {"type": summaries.event_types(), "queue": summaries.queue_names()}


def _formats(count: int) -> list[dict[str, str]]:
    """The formats of the menu Export, with what is to be said about so many rows, or why one is missing."""
    return [
        {
            "name": format.name,
            "label": format.label,
            "why_not": format.why_not(),
            "forecast": format.forecast(count),
        }
        for format in FORMATS.values()
    ]
