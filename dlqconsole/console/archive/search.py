"""What the archive's page shows of what was searched for."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.archive import finding
from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.console.access.permissions import VIEWERS, can_operate
from dlqconsole.console.archive.text import masked
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.reach import Reach

# rows of a page, and the seconds that it may take
MOST, SECONDS = 50, 2.0


def searched(request: HttpRequest, reach: Reach) -> dict[str, Any]:
    """The search's form, and what it found; nothing is opened where nothing was asked for."""
    shown = ShownFilter.read(request.GET, request, beside={"before"})
    suggestions = {"type": summaries.event_types(reach), "queue": summaries.queue_names(reach)}
    fields = [field for field in shown.form(suggestions) if field["part"].name in finding.KNOWN]
    context: dict[str, Any] = {"filter": shown, "fields": fields, "problems": shown.errors, "found": None}
    context["chips"] = [chip | {"remove_url": _without(shown, chip["name"])} for chip in shown.active]
    if shown.errors or not shown.active:
        return context
    try:
        found = finding.find(shown.parsed, reach, limit=MOST, seconds=SECONDS)
    except ArchiveRefused as refusal:
        return context | {"problems": [str(refusal)]}
    return context | {
        "found": found,
        "rows": [_row(row) for row in found.rows],
        "restore_url": _restore_url(found),
        "why_not_restore": "" if can_operate(request) else VIEWERS,
    }


def _without(shown: ShownFilter, name: str) -> str:
    """The archive's address with the search less one part."""
    rest = shown.parsed.without(name)
    return Shown(reverse("archive") + (f"?{rest}" if rest else ""))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return masked(row) | {"url": reverse("dead_letter", args=[row["id"]])}


def _restore_url(found: finding.ArchiveMatches) -> str:
    ids = ",".join(str(row["id"]) for row in found.rows)
    return Shown(reverse("archive_restore_found") + "?" + urlencode({"ids": ids}))
