"""One queue: its figures, its policy, its last hour, its actions; and its archive."""

from operator import itemgetter
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import VIEWERS, role_of, viewer_required
from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.later import with_later
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.tables import minute_rows, operation_rows, queue_row
from dlqconsole.console.queues.actions import why_not
from dlqconsole.console.queues.forms import ArchiveForm
from dlqconsole.console.queues.text import describe
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.models import AuditEntry
from dlqconsole.engine.queues import archive as archived_messages
from dlqconsole.engine.queues import known as known_queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import topics
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import kinds, visibility
from dlqconsole.operations.models import Operation
from dlqconsole.operations.outcomes import to_queue
from dlqconsole.operations.receipts.outlook import outlook
from dlqconsole.people.roles import may
from dlqconsole.transports.queue_overview import is_attached, standing

_ADMINS = gettext_lazy("Only an admin may drop a queue. Ask one.")
_HISTORY, _OPERATIONS = 20, 5
_NO_QUEUE = gettext_lazy("There is no queue of this name, or it was dropped.")


@viewer_required
@require_safe
def queue(request: HttpRequest, name: str) -> HttpResponse:
    """The messages on the queue, and its pace."""
    check_known(name)
    [row] = with_later([standing(name)])
    context = {
        "queue": queue_row(row),
        "handed_over": _handed_over(name),
        "policy": describe(row["policy"], topics.patterns(name)),
        "hour": minute_rows(queue_metrics.minutes(name)),
        "actions": _actions(row, role_of(request)),
        "history": _history(name),
        "archives": row["policy"].get("retention") == "archive" or archived_messages.has_any(name),
    }
    return page(request, "console/queues/detail.html", context)


def _handed_over(name: str) -> list[Operation]:
    """The newest operations whose messages there are still to be handled, with their outlook."""
    rows = to_queue(visibility.operations().order_by("-id"), name)[:_OPERATIONS]
    operations = operation_rows(rows)
    for row in operations:
        row.outlook = outlook(row)  # type: ignore[attr-defined]
    return operations


def check_known(name: str) -> None:
    """Raise 404 for a queue that does not exist."""
    if not (known_queues.is_known(name) or is_attached(name)):
        raise Http404(_NO_QUEUE)


def _actions(row: dict[str, Any], role: str) -> list[dict[str, Any]]:
    """One entry a button: ``label``, ``icon``, ``url``, ``tone``; ``why_not`` if it is disabled.

    ``in_dialog``: its page opens over this one.
    """
    refusal = "" if may(role, "operator") else str(VIEWERS)
    resume, pause = (
        (_("Resume"), "right", "queue_resume", "primary"),
        (_("Pause"), "pause", "queue_pause", ""),
    )
    name = row["name"]
    buttons = [
        (*resume, refusal) if row["paused"] or row["left_alone"] else (*pause, refusal),
        (_("Change"), "", "queue_policy", "", refusal or why_not("change", name)),
        (_("Purge…"), "trash", "queue_purge", "danger", refusal or why_not("purge", name)),
        (
            _("Drop"),
            "close",
            "queue_drop",
            "danger",
            why_not("drop", name) if role == "admin" else str(_ADMINS),
        ),
    ]
    names = ("label", "icon", "url", "tone", "why_not")
    return [
        dict(zip(names, (label, icon, reverse(f"dlq:{view}", args=[row["name"]]), *rest), strict=True))
        | {"in_dialog": label.endswith("…")}
        for label, icon, view, *rest in buttons
    ]


def _mask_excerpt(excerpt: str | None) -> str | None:
    return None if excerpt is None else masked_texts().beginning(excerpt)


def _history(name: str) -> list[dict[str, Any]]:
    """The newest audit entries of the queue, and the operations on its messages."""
    entries = AuditEntry.objects.filter(target=f"queue:{name}").order_by("-id")[:_HISTORY]
    rows = [
        {"at": entry.at, "actor": entry.actor, "text": sentence(entry), "reason": entry.reason, "url": ""}
        for entry in entries
    ]
    operations = Operation.objects.filter(queue=name).exclude(queue="").order_by("-id")[:_HISTORY]
    rows += map(_operation, operations)
    return sorted(rows, key=itemgetter("at"), reverse=True)[:_HISTORY]


def _operation(operation: Operation) -> dict[str, Any]:
    kind = kinds.shown(operation.kind)
    return {
        "at": operation.created_at,
        "actor": operation.actor,
        "text": _("{done:,} of {selected:,} messages {past}, {status}:").format(
            done=operation.done, selected=operation.selected, past=kind.past, status=operation.status
        ),
        "url": reverse("dlq:operation", args=[operation.pk]),
        "number": operation.pk,
        "reason": operation.reason,
    }


@viewer_required
@require_safe
def archive(request: HttpRequest, name: str) -> HttpResponse:
    """The queue's archive, newest first; also after the queue was dropped, until its last message expires."""
    is_known = known_queues.is_known(name)
    if not (is_known or archived_messages.has_any(name)):
        raise Http404(_NO_QUEUE)
    form = ArchiveForm(request.GET)
    hits = _search(name, form, request.GET.get("before", ""))
    context = {
        "name": name,
        "form": form,
        "rows": [row | {"excerpt": _mask_excerpt(row["excerpt"])} for row in hits.rows],
        "next_url": "?" + urlencode(form.criteria | {"before": hits.next}) if hits.next else "",
        "back_url": reverse("dlq:queue", args=[name]) if is_known else reverse("dlq:queues"),
        "dropped": not is_known,
    }
    return page(request, "console/queues/archive.html", context, status=400 if form.errors else 200)


def _search(name: str, form: ArchiveForm, before: str) -> archived_messages.ArchivePage:
    """A page of matches; none for an invalid form."""
    if form.is_valid():
        try:
            return archived_messages.page(name, form.criteria, before=before)
        except InvalidFilter as refusal:
            for problem in refusal.problems:
                form.add_error(None, problem)
    return archived_messages.ArchivePage([], "")
