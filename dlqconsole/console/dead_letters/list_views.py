"""The list of dead letters."""

from collections import Counter
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.archive import finding
from dlqconsole.archive.counting import by_status
from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.letters import find_seen
from dlqconsole.console.access.permissions import can_operate, viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.dead_letters.actions import bulk_actions
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts import paging
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.tables import status_tabs
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters import come_backs, excerpts
from dlqconsole.engine.dead_letters.excerpts import among_newest
from dlqconsole.engine.dead_letters.reserved_names import LIST
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import retention
from dlqconsole.people.names import named
from dlqconsole.processing.durations import duration
from dlqconsole.retries.why import Circumstances, why_pending

WINDOW = 50_000
ONLY_NEWEST = (
    f"Looking through everything takes too long, so only the newest {WINDOW:,} dead letters were searched."
    " Add a type, a status or dates to search all of those."
)
# archived dead letters that are counted where the list has none, and the seconds that may take
MOST_ELSEWHERE, LOOK_ELSEWHERE = 99, 0.7
NOT_ELSEWHERE: dict[str, Any] = {"found": "", "many": False, "url": ""}
TOO_SLOW = "This search takes too long. Add a type, a status or dates."


@viewer_required
@require_safe
def dead_letters(request: HttpRequest) -> HttpResponseBase:
    """What the filter matches, newest first; a search with one hit opens it."""
    shown = ShownFilter.read(request.GET, request, beside=LIST)
    reach = reach_of(request)
    found, problems = _page(request, shown, reach)
    around = Circumstances.look(reach)
    handled = None if around.known is None else around.known.event_types
    rows = _rows(found, shown, around)
    if _is_direct_hit(request, shown, found):
        return redirect(rows["rows"][0]["url"])
    if not found.rows and (number := _archived_hit(request, shown, reach)):
        return redirect("dead_letter", number)
    elsewhere = NOT_ELSEWHERE if found.rows or problems else _elsewhere(request, shown, reach)
    counts = _counts(shown, reach, 1 if problems else summaries.BUDGET, handled)
    if not problems and found.start == 0 and not found.next:
        counts = _seen_whole(counts, rows["rows"], shown.parsed.status)
    context = {
        "filter": shown,
        "problems": problems,
        "not_searched": _not_searched(shown, reach),
        "fields": shown.form(suggestions(reach), can_operate(request)),
        "bulk_action_url": reverse("operation_confirm"),
        "export_urls": _export_urls(shown.querystring),
        "archived": _archived(shown, reach),
        "elsewhere": elsewhere,
        **rows,
        **counts,
    }
    context["count"] = context["count"].at_least(context["page_to"] + bool(context["next_url"]))
    context["bulk"] = bulk_actions(shown.parsed.status, context["tabs"], shown.queryset(reach))
    status = 400 if shown.errors and not wants_part(request) else 200
    return page(request, "console/dead_letters/list.html", context, part="results", status=status)


def _not_searched(shown: ShownFilter, reach: Reach) -> str:
    """What a search passes over, in a sentence."""
    if shown.errors:
        return ""
    return summaries.not_searched_words(summaries.not_searched(shown.parsed, reach))


def _is_direct_hit(request: HttpRequest, shown: ShownFilter, found: paging.Page) -> bool:
    """Whether somebody searched, and did not come back from what was found (``stay``)."""
    searched = bool(shown.parsed.q) and not wants_part(request) and "stay" not in request.GET
    return searched and "cursor" not in request.GET and len(found.rows) == 1


def _archived_hit(request: HttpRequest, shown: ShownFilter, reach: Reach) -> int:
    """The number that was searched for, where it is not in the list but in the archive; else 0."""
    text = shown.parsed.q.strip()
    if wants_part(request) or "stay" in request.GET or not (text.isascii() and text.isdigit()):
        return 0
    number = int(text) if len(text) < 19 else 0
    try:
        return number if number and find_seen(number, reach) else 0
    except ArchiveRefused:
        return number  # its page says what is wrong


def _elsewhere(request: HttpRequest, shown: ShownFilter, reach: Reach) -> dict[str, Any]:
    """What the archive has of what the list has none of, as far as a moment's look tells."""
    if shown.errors or not shown.active or "cursor" in request.GET:
        return NOT_ELSEWHERE
    try:
        found = finding.find(shown.parsed, reach, limit=MOST_ELSEWHERE, seconds=LOOK_ELSEWHERE)
    except ArchiveRefused:
        return NOT_ELSEWHERE
    if found.is_whole and not found.rows:
        return NOT_ELSEWHERE
    url = Shown(reverse("archive") + f"?{shown.querystring}")
    return {"found": found.words() if found.rows else "", "many": len(found.rows) > 1, "url": url}


def _archived(shown: ShownFilter, reach: Reach) -> int:
    """How many more lie in the archive, where the filter is one that the archive can count."""
    given = shown.parsed.canonical()
    if shown.errors or given.keys() - {"status", "type", "queue"}:
        return 0
    counts = by_status(reach, given.get("type", ""), given.get("queue", ""))
    return counts.get(given["status"], 0) if "status" in given else sum(counts.values())


def _page(request: HttpRequest, shown: ShownFilter, reach: Reach) -> tuple[paging.Page, list[str]]:
    text = request.GET.get("cursor", "")
    cursor = paging.read_cursor(text) if text else None
    if text and cursor is None:
        messages.warning(request, paging.STALE)
    return _in_time(shown.queryset(reach), cursor, paging.page_size(request.GET.get("size", "")))


def _in_time(
    rows: QuerySet[DeadLetter], cursor: paging.Cursor | None, size: int
) -> tuple[paging.Page, list[str]]:
    """The page, or what of it stands among the newest, with a sentence that says so."""
    try:
        with summaries.time_budget(2 * summaries.BUDGET):
            return paging.page(rows, cursor, size), []
    except summaries.TooSlow:
        pass
    try:
        with summaries.time_budget(2 * summaries.BUDGET):
            return paging.page(among_newest(rows, WINDOW), cursor, size), [ONLY_NEWEST]
    except summaries.TooSlow:
        return paging.Page([], 0), [TOO_SLOW]


def _rows(found: paging.Page, shown: ShownFilter, around: Circumstances) -> dict[str, Any]:
    query, texts = shown.querystring, masked_texts()
    rows = [
        row
        | {
            "error_reason": texts.beginning_of(row["reason_excerpt"], excerpts.REASON),
            "kept_for": _kept_for(row),
            "unhandled": not around.has_handler(row["event_type"]),
            "keeps_coming": come_backs.is_for_a_person(row["come_backs"], row["status"]),
            "why": _why(row, around),
            "max_retries": around.allowed(SimpleNamespace(**row)),
            "url": Shown(reverse("dead_letter", args=[row["id"]]) + (f"?{query}" if query else "")),
        }
        for row in found.rows
    ]
    return {
        "rows": rows,
        "page_from": found.start + 1 if rows else 0,
        "page_to": found.start + len(rows),
        "next_url": _cursor_url(query, found.next),
        "prev_url": _cursor_url(query, found.previous),
    }


def _why(row: dict[str, Any], around: Circumstances) -> str:
    """Why it is not retried now, for who rests on its status; of what is open only."""
    if row["status"] != DeadLetterStatus.PENDING or come_backs.is_for_a_person(
        row["come_backs"], row["status"]
    ):
        return ""
    return named(why_pending(SimpleNamespace(**row), around))


def _kept_for(row: dict[str, Any]) -> str:
    """How long retention still keeps it; empty for what is kept for ever."""
    left = retention.left(row["status"], row["updated_at"])
    return "" if left is None else duration(left.total_seconds())


def _cursor_url(query: str, cursor: str) -> str:
    if not cursor:
        return ""
    return list_url(Shown((f"{query}&" if query else "") + urlencode({"cursor": cursor})))


def _counts(shown: ShownFilter, reach: Reach, budget: int, handled: Collection[str] | None) -> dict[str, Any]:
    if shown.errors:
        return {"count": summaries.Count(0), "tabs": []}
    tabs = status_tabs(shown.parsed, reach, budget, handled)
    if shown.parsed.status:
        here = next(tab for tab in tabs if tab["current"])
        return {"count": summaries.Count(here["count"], here["approximate"]), "tabs": tabs}
    total = sum(tab["count"] for tab in tabs)
    return {"count": summaries.Count(total, any(tab["approximate"] for tab in tabs)), "tabs": tabs}


def _seen_whole(counts: dict[str, Any], rows: list[dict[str, Any]], status: str) -> dict[str, Any]:
    """Where all that matches stands on one page no estimate is told: it is counted there."""
    if not counts["count"].approximate:
        return counts
    by_status = Counter(row["status"] for row in rows)
    unhandled = Counter(row["status"] for row in rows if row["unhandled"])
    tabs = [
        tab
        | {
            "count": by_status[tab["status"]],
            "unhandled": unhandled[tab["status"]],
            "approximate": False,
        }
        if status in ("", tab["status"])
        else tab
        for tab in counts["tabs"]
    ]
    return {"count": summaries.Count(len(rows)), "tabs": tabs}


def suggestions(reach: Reach) -> dict[str, list[str]]:
    """What the filter's fields propose, by the part of the filter."""
    return {"type": summaries.event_types(reach), "queue": summaries.queue_names(reach)}


def _export_urls(querystring: str) -> dict[str, str]:
    query = f"?{querystring}" if querystring else ""
    return {kind: Shown(reverse("export", args=[kind]) + query) for kind in ("csv", "jsonl")}
