"""The archive's search: its form, and its results."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.access.permissions import VIEWERS, can_operate
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.contrib.archive import finding
from dlqconsole.contrib.archive.errors import ArchiveRefused
from dlqconsole.contrib.archive.text import mask_row
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.gate import Shown

# rows of a page, and the seconds that a search may take
MOST, SECONDS = 50, 2.0


def search_context(request: HttpRequest) -> dict[str, Any]:
    """The search's form and results; without a filter no file is opened."""
    search = ShownFilter.read(request.GET, request, beside={"before"})
    suggestions = {"type": summaries.event_types(), "queue": summaries.queue_names()}
    fields = [field for field in search.form(suggestions) if field["part"].name in finding.KNOWN]
    context: dict[str, Any] = {"filter": search, "fields": fields, "problems": search.errors, "found": None}
    context["chips"] = [chip | {"remove_url": _without(search, chip["name"])} for chip in search.active]
    if search.errors or not search.active:
        return context
    try:
        result = finding.find(search.criteria, limit=MOST, seconds=SECONDS)
    except ArchiveRefused as refusal:
        return context | {"problems": [str(refusal)]}
    return context | {
        "found": result,
        "rows": [_row(row) for row in result.rows],
        "restore_url": _restore_url(result),
        "why_not_restore": "" if can_operate(request) else VIEWERS,
    }


def _without(search: ShownFilter, name: str) -> str:
    """The archive's address with one part of the search removed."""
    rest = search.criteria.without(name)
    return Shown(reverse("dlq:archive") + (f"?{rest}" if rest else ""))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return mask_row(row) | {"url": reverse("dlq:dead_letter", args=[row["id"]])}


def _restore_url(result: finding.ArchiveMatches) -> str:
    ids = ",".join(str(row["id"]) for row in result.rows)
    return Shown(reverse("dlq:archive_restore_found") + "?" + urlencode({"ids": ids}))
