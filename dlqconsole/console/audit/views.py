"""The audit log: each change, its person, time and reason."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.audit.forms import AuditForm
from dlqconsole.console.audit.words import sentence
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import visibility
from dlqconsole.people.names import named
from dlqconsole.processing.inputs.numbers import as_id

SIZE = 100
LIMIT = 5_000  # milliseconds that looking for entries may take
_PAGES = {"dead_letter": "dead_letter", "operation": "operation"}


@viewer_required
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """The newest entries that match the filter, and older ones by pages."""
    form = AuditForm(request.GET)
    entries = visibility.audit_entries().order_by("-id")
    if before := as_id(request.GET.get("before", "")):
        entries = entries.filter(pk__lt=before)
    if operation := as_id(request.GET.get("operation", "")):
        entries = entries.filter(operation_id=operation)
    rows, too_slow = _read(form.choose(entries))
    criteria = form.criteria | ({"operation": operation} if operation else {})
    context = {
        "form": form,
        "entries": _describe_all(rows[:SIZE]),
        "is_chosen": bool(criteria),
        "too_slow": too_slow,
        "feature_cards": cards("audit", request),
        "next_url": _next_url(rows, criteria),
    }
    return page(request, "console/audit/list.html", context, part="console/audit/table.html")


def _read(entries: QuerySet[AuditEntry]) -> tuple[list[AuditEntry], bool]:
    """A page of entries and one more; and whether the search took too long."""
    try:
        with summaries.time_budget(LIMIT):
            return list(entries[: SIZE + 1]), False
    except summaries.TooSlow:
        return [], True


def _describe_all(rows: list[AuditEntry]) -> list[AuditEntry]:
    """Set the words of each entry, and the address of its subject if that has a page."""
    for row in rows:
        _describe(row)
    return rows


def _describe(row: Any) -> None:
    noun, _colon, key = row.target.partition(":")
    is_page = noun in _PAGES and as_id(key) is not None
    row.target_url = reverse(f"dlq:{_PAGES[noun]}", args=[int(key)]) if is_page else ""
    if noun == "queue" and key:
        row.target_url = reverse("dlq:queue", args=[key])
    row.noun = f"{noun} {key}".replace("_", " ").strip()
    if noun == "account" and as_id(key) is not None:
        row.noun = f"account {named(f'user:{key}')}"
    row.is_operation = noun == "operation"
    row.words = sentence(row)


def _next_url(rows: list[AuditEntry], criteria: dict[str, Any]) -> str:
    if len(rows) <= SIZE:
        return ""
    return f"{reverse('dlq:audit')}?{urlencode(criteria | {'before': rows[SIZE - 1].pk})}"
