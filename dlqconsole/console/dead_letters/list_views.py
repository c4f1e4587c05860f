"""The list of dead letters."""

from collections import Counter
from dataclasses import dataclass, field
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
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.dead_letters.actions import bulk_actions
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts import paging
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.console.parts.tables import status_tabs, tabs_of
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.dead_letters import come_backs, excerpts
from dlqconsole.engine.dead_letters.excerpts import among_newest
from dlqconsole.engine.dead_letters.payload_indexes import has_values
from dlqconsole.engine.dead_letters.reserved_names import LIST
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.known_handlers import Known
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import retention
from dlqconsole.people.names import named
from dlqconsole.processing.durations import duration
from dlqconsole.retries.why import Circumstances
from dlqconsole.retries.why.answers import of_pending

WINDOW = 50_000
# milliseconds for each way of finding a page, and for what is left where they have failed
PAGE_BUDGET, LAST_BUDGET = 300, 1_000
ONLY_NEWEST = (
    f"Looking through everything takes too long, so only the newest {WINDOW:,} dead letters were looked at."
    " Add a type, a status or dates to look at all of those."
)
NOT_INDEXED = " Or an administrator has such paths indexed: manage.py index {path}"
# archived dead letters that are counted where the list has none, and the seconds that may take
MOST_ELSEWHERE, LOOK_ELSEWHERE = 99, 0.7
NOT_ELSEWHERE: dict[str, Any] = {"found": "", "many": False, "url": ""}
TOO_SLOW = "This search takes too long. Add a type, a status or dates."
ONLY_IDS = f"{TOO_SLOW} Only ids and keys were looked up."


@viewer_required
@require_safe
def dead_letters(request: HttpRequest) -> HttpResponseBase:
    """What the filter matches, newest first; a search with one hit opens it."""
    shown = ShownFilter.read(request.GET, request, beside=LIST)
    reach = reach_of(request)
    looked = _page(request, shown, reach)
    found, problems = looked.page, looked.problems
    around = Circumstances.look(reach)
    rows = _rows(found, shown, around)
    if _is_direct_hit(request, shown, found):
        return redirect(rows["rows"][0]["url"])
    if not found.rows and (number := _archived_hit(request, shown, reach)):
        return redirect("dead_letter", number)
    elsewhere = NOT_ELSEWHERE if found.rows or problems else _elsewhere(request, shown, reach)
    counts = _counts(shown, reach, looked, around.handlers)
    if found.start == 0 and not found.next and (found.rows or not problems):
        counts = _seen_whole(counts, rows["rows"], shown.parsed.status, around.handlers, bool(looked.among))
    context = {
        "filter": shown,
        "problems": problems,
        "among": looked.among,
        "not_in_payloads": bool(shown.parsed.q and reach.searches_values and not has_values()),
        "fields": shown.form(suggestions(reach)),
        "bulk_action_url": reverse("operation_confirm"),
        "export_urls": _export_urls(shown.querystring),
        "archived": _archived(shown, reach),
        "elsewhere": elsewhere,
        **rows,
        **counts,
    }
    seen = context["page_to"] + bool(context["next_url"])
    context["not_counted"] = context["count"].value < seen
    context["count"] = context["count"].at_least(seen)
    context["bulk"] = bulk_actions(shown.parsed.status, context["tabs"])
    status = 400 if shown.errors and not wants_part(request) else 200
    return page(request, "console/dead_letters/list.html", context, part="results", status=status)


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


@dataclass(frozen=True, slots=True)
class Looked:
    """A page, and what of all dead letters was looked at for it. ``among``: the newest so many; 0: all."""

    page: paging.Page
    among: int = 0
    problems: list[str] = field(default_factory=list)


def _page(request: HttpRequest, shown: ShownFilter, reach: Reach) -> Looked:
    text = request.GET.get("cursor", "")
    cursor = paging.read_cursor(text) if text else None
    if text and cursor is None:
        messages.warning(request, paging.STALE)
    return _in_time(shown, reach, cursor, paging.page_size(request.GET.get("size", "")))


def _in_time(shown: ShownFilter, reach: Reach, cursor: paging.Cursor | None, size: int) -> Looked:
    """The page: from the newest on, or by what an index knows of the filter; else of the newest alone.

    At last what the text is the number or an id of: that is found however busy the machine is.
    """
    rows, words = shown.queryset(reach), _how_to_index(shown)
    ways: list[tuple[QuerySet[DeadLetter], str, int, list[str]]] = [(rows, "", 0, [])]
    if shown.parsed.is_search and not words:
        # what a group says has many, and the newest are soon met; what none says is rare
        ways.insert(int(shown.parsed.is_named(reach)), (rows, summaries.LOOKUP, 0, []))
    ways.append((among_newest(rows, WINDOW), summaries.WALK, WINDOW, [ONLY_NEWEST + words]))
    if shown.parsed.q:
        ways.append((shown.parsed.by_id(reach), summaries.LOOKUP, WINDOW, [ONLY_IDS]))
    for wanted, by, among, said in ways:
        try:
            with summaries.time_budget(LAST_BUDGET if among else PAGE_BUDGET, by):
                return Looked(paging.page(wanted, cursor, size), among, said)
        except summaries.TooSlow:
            continue
    return Looked(paging.Page([], 0), WINDOW, [TOO_SLOW])


def _how_to_index(shown: ShownFilter) -> str:
    """What makes a search by a path into the payload quick, where nobody has done it."""
    if shown.parsed.is_indexed:
        return ""
    return NOT_INDEXED.format(path=f"payload.{shown.parsed.payload[0][0]}")


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
            "max_retries": around.max_tries(SimpleNamespace(**row)),
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
    return named(of_pending(SimpleNamespace(**row), around).sentence)


def _kept_for(row: dict[str, Any]) -> str:
    """How long retention still keeps it; empty for what is kept for ever."""
    left = retention.time_left(row["status"], row["updated_at"])
    return "" if left is None else duration(left.total_seconds())


def _cursor_url(query: str, cursor: str) -> str:
    if not cursor:
        return ""
    return list_url(Shown((f"{query}&" if query else "") + urlencode({"cursor": cursor})))


def _counts(shown: ShownFilter, reach: Reach, looked: Looked, known: Known | None) -> dict[str, Any]:
    if shown.errors:
        return {"count": summaries.Count(0), "tabs": []}
    if looked.among:
        rows = among_newest(shown.parsed.without_status().queryset(reach), WINDOW)
        # all that was found stands on the page: counting it would be the same work once more
        budget = PAGE_BUDGET if looked.page.next or looked.page.start else 1
        found = summaries.counts_of(rows, budget, known, is_least=True)
        tabs = tabs_of(shown.parsed, found)
    else:
        tabs = status_tabs(shown.parsed, reach, summaries.BUDGET, known)
    meant = [tab for tab in tabs if shown.parsed.status in ("", tab["status"])]
    total, is_least = sum(tab["count"] for tab in meant), any(tab["is_least"] for tab in meant)
    return {"count": summaries.Count(total, is_least), "tabs": tabs}


def _seen_whole(
    counts: dict[str, Any], rows: list[dict[str, Any]], status: str, known: Known | None, is_least: bool
) -> dict[str, Any]:
    """Where all that was found stands on one page it is counted there."""
    if not counts["count"].is_least:
        return counts
    by_status = Counter(row["status"] for row in rows)
    unhandled = Counter(row["status"] for row in rows if row["unhandled"])
    coming = Counter(row["status"] for row in rows if row["keeps_coming"])
    unrehearsable = Counter(
        row["status"] for row in rows if known and row["event_type"] not in known.rehearsable
    )
    tabs = [
        tab
        | {
            "count": by_status[tab["status"]],
            "unhandled": unhandled[tab["status"]],
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


def suggestions(reach: Reach) -> dict[str, list[str]]:
    """What the filter's fields propose, by the part of the filter."""
    return {"type": summaries.event_types(reach), "queue": summaries.queue_names(reach)}


def _export_urls(querystring: str) -> dict[str, str]:
    query = f"?{querystring}" if querystring else ""
    return {kind: Shown(reverse("export", args=[kind]) + query) for kind in ("csv", "jsonl")}
