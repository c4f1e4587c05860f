"""The archive's page: its size, its age, its files, and its search."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import VIEWERS, can_operate, viewer_required
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.contrib.archive import counting, finding, folder
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.letters import mask_row
from dlqconsole.contrib.archive.models import ArchiveFile, FileState
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.wording import translated

PAGE = 50


@viewer_required
@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """The figures, the last run and the files, newest first; a person with a scope gets only counts."""
    whole = not current_access().is_limited
    counts = counting.by_status()
    wrong = folder.problem()
    context = {
        "statuses": [(DeadLetterStatus(status), rows) for status, rows in sorted(counts.items())],
        "total": sum(counts.values()),
        "figures": counting.figures() if whole else [],
        "after_days": settings.DLQ_ARCHIVE_AFTER_DAYS,
        "folder": settings.DLQ_ARCHIVE_DIR if whole else "",
        "wrong": wrong if whole else wrong and _("the archive cannot be read at the moment"),
        "last_run": counting.last_run() if whole else None,
        **(_files(request.GET.get("before", ""), wrong) if whole else {}),
        **search_context(request),
    }
    return page(request, "archive/panel.html", context)


def _files(before: str, wrong: str) -> dict[str, Any]:
    """A page of files, newest first, and the problem of each."""
    files = ArchiveFile.objects.filter(state=FileState.KEPT).order_by("-id")
    if before.isascii() and before.isdigit() and len(before) < 19:
        files = files.filter(pk__lt=int(before))
    rows = list(files[: PAGE + 1])
    more, rows = rows[PAGE:], rows[:PAGE]
    return {
        "files": [_file(row) | {"missing": wrong or folder.missing(row)} for row in rows],
        "next_url": "?" + urlencode({"before": rows[-1].pk}) if more else "",
        # then no file can be checked
        "is_away": wrong == folder.AWAY,
        "is_later": bool(before),
    }


def _file(row: ArchiveFile) -> dict[str, Any]:
    texts = masked_texts()
    return {
        "id": row.pk,
        "kind": row.kind.replace("_", " "),
        "day": row.day,
        "event_type": texts.text(row.event_type),
        "path": texts.text(row.path),
        "rows": row.rows,
        "bytes": row.bytes,
        "first": row.ids and row.ids.lower,
        "last": row.ids and row.ids.upper - 1,
        "archived_at": row.archived_at,
        "sha256": row.sha256,
    }


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
        return context | {"problems": [translated(refusal)]}
    return context | {
        "found": result,
        "rows": [_row(row) for row in result.rows],
        "restore_url": _restore_url(result),
        "why_not_restore": "" if can_operate(request) else VIEWERS,
    }


def _without(search: ShownFilter, name: str) -> str:
    """The archive's address with one part of the search removed."""
    rest = search.criteria.without(name).querystring
    return Shown(reverse("dlq:archive") + (f"?{rest}" if rest else ""))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return mask_row(row) | {"url": reverse("dlq:dead_letter", args=[row["id"]])}


def _restore_url(result: finding.ArchiveMatches) -> str:
    ids = ",".join(str(row["id"]) for row in result.rows)
    return Shown(reverse("dlq:archive_restore_found") + "?" + urlencode({"ids": ids}))
