"""The audit log: each change, its person, time and reason."""

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dlqconsole.console.access.permissions import actor, viewer_required
from dlqconsole.console.audit.words import sentence
from dlqconsole.console.parts.feature_cards import cards
from dlqconsole.console.parts.fields import RequestKeyField, TypedField
from dlqconsole.console.parts.forms import DaysForm
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.counts import summaries
from dlqconsole.engine.counts.summaries import count
from dlqconsole.engine.models import AuditEntry
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.export_audit import (
    LONGEST,
    ExportAudit,
    chosen,
    entries_words,
    newest_entry,
    subjects,
)
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import LogEntries
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.people.names import named
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Choice, Text
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import REASON_LIMIT

SIZE = 100
LIMIT = 5_000  # milliseconds that looking for entries may take
CRITERIA = ("who", "subject", "since", "until")
# the reasons that they give are sentences of ours
_MACHINES = ("database", "pace")
_PAGES = {"dead_letter": "dead_letter", "operation": "operation"}


@viewer_required
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """The newest entries that match the filter, and older ones by pages."""
    form = AuditForm(request.GET)
    criteria = form.criteria | _operation_of(request.GET)
    entries = visibility.audit_entries().order_by("-id")
    if before := as_id(request.GET.get("before", "")):
        entries = entries.filter(pk__lt=before)
    rows, too_slow = _read(chosen(entries, criteria))
    context = {
        "form": form,
        "entries": _describe_all(rows[:SIZE]),
        "is_chosen": bool(criteria),
        "too_slow": too_slow,
        "feature_cards": cards("audit", request),
        "next_url": _next_url(rows, criteria),
        # as its form posts them, in whatever language the page is
        "criteria": {name: str(value) for name, value in criteria.items()},
        "formats": [format for format in FORMATS.values() if not format.why_not()],
        "request_key": uuid4(),
    }
    return page(request, "console/audit/list.html", context, part="console/audit/table.html")


@viewer_required
@require_POST
def export(request: HttpRequest) -> HttpResponse:
    """Ask for a file of the entries that the filter matches; a click twice is one operation."""
    form = AuditExportForm(request.POST)
    criteria = {name: str(value) for name, value in form.criteria.items()} | _operation_of(request.POST)
    number = count(chosen(visibility.audit_entries(), criteria).values("pk"))
    scope = LogEntries(entries_words(criteria), newest_entry(), number)
    options = {"format": request.POST.get("format", ""), "entries": criteria}
    try:
        key = form.read()["request_key"]
        reason = f"export of {scope.description}"[:REASON_LIMIT]
        operation_request = OperationRequest(ExportAudit.name, scope, reason, options, key=key)
        new = request_operation(operation_request, actor=actor(request))
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, str(problem))
        return redirect("dlq:audit")
    return redirect("dlq:operation", new.pk)


def _operation_of(parameters: QueryDict) -> dict[str, int]:
    """The operation that a page was opened for."""
    number = as_id(parameters.get("operation", ""))
    return {"operation": number} if number else {}


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
    if row.actor in _MACHINES:
        row.reason = stored_text(row.reason)


def _next_url(rows: list[AuditEntry], criteria: dict[str, Any]) -> str:
    if len(rows) <= SIZE:
        return ""
    return f"{reverse('dlq:audit')}?{urlencode(criteria | {'before': rows[SIZE - 1].pk})}"


def _choices() -> list[tuple[str, str]]:
    return [(name, words) for name, (words, _nouns) in subjects().items()]


class AuditForm(DaysForm):
    """The filter's fields, all of them optional."""

    ids = "a"
    field_order = CRITERIA

    who = TypedField(Text(what=gettext_lazy("Who"), label=gettext_lazy("Who"), limit=LONGEST), required=False)
    subject = TypedField(
        Choice(
            what=gettext_lazy("The subject"),
            label=gettext_lazy("About"),
            choices=_choices(),
            empty=gettext_lazy("everything"),
        ),
        required=False,
    )

    def __init__(self, parameters: QueryDict) -> None:
        super().__init__(parameters.dict())
        self.fields["who"].widget.attrs |= {"data-search": True}

    @property
    def criteria(self) -> dict[str, Any]:
        """The valid values of the filter, by name."""
        self.is_valid()
        return {name: self.cleaned_data[name] for name in CRITERIA if self.cleaned_data.get(name)}


class AuditExportForm(AuditForm):
    """The same filter, with the key that makes two clicks one export."""

    request_key = RequestKeyField()
