"""The archive's page: its size, its age and its files."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.responses import page
from dlqconsole.contrib.archive import counting, folder
from dlqconsole.contrib.archive.models import ArchiveFile, FileState
from dlqconsole.contrib.archive.pages.search import search_context
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import current_access

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
        "wrong": wrong if whole else wrong and "the archive cannot be read at the moment",
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
