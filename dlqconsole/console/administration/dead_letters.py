"""Dead letters in Django's admin: the console's filter, and actions that request operations."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME, ActionForm
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.forms import Field, TextInput
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.safestring import SafeString

from dlqconsole.console.access.permissions import actor
from dlqconsole.console.administration import dead_letter_list
from dlqconsole.console.administration.dead_letter_list import FILTERS, as_parameters
from dlqconsole.console.administration.read_only import ReadOnly, mask_rows, preformatted
from dlqconsole.console.masking import revelations
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.parts.fields import ReasonField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.shown_payload import headers_text, shown_payload
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import MARGIN, beginning, cut
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds import offers
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Matching, Rows
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import REASON_LIMIT
from dlqconsole.processing.texts import visible


class WhyForm(ConsoleForm):
    """The reason for an operation."""

    reason = ReasonField()


class AdminActionForm(ActionForm):
    """The input of the reason, beside the actions.

    Any text is valid here: with an invalid form, Django says that no action was selected.
    """

    reason = Field(required=False, label="Because", widget=TextInput(attrs={"maxlength": str(REASON_LIMIT)}))


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnly):
    """The console's list and bulk actions, for those who know the admin."""

    list_display = ("id", "created_at", "status", "error_category", "event_type", "short_reason", "queue")
    list_display_links = ("id",)
    list_filter = FILTERS
    search_fields = ("error_reason",)  # shows the box; the one filter does the searching
    ordering = ("-created_at", "-id")
    action_form = AdminActionForm
    change_list_template = "admin/dead_letters.html"
    sortable_by = ()
    fields = (
        "id", "event_type", "status", "error_category", "error_class", "long_reason", "stacktrace",
        "payload_text", "headers_text", "queue", "source", "source_key", "retry_count", "max_retries",
        "retry_after", "occurrences", "revive_count", "created_at", "first_failure_at", "last_failure_at",
        "dead_lettered_at", "version",
    )  # fmt: skip
    readonly_fields = ("long_reason", "stacktrace", "payload_text", "headers_text")

    @property
    def actions(self) -> list[Any]:  # type: ignore[override]
        """The kinds of operations that the admin offers."""
        return list(map(_operate, offers.in_admin()))

    def rows(self, request: HttpRequest) -> QuerySet[DeadLetter]:
        """The rows that the filter matches; payloads and long texts stay in the database."""
        match = request.resolver_match
        is_list = match is not None and str(match.url_name).endswith("_changelist")
        try:
            letter_filter = DeadLetterFilter.parse(as_parameters(request) if is_list else {})
        except InvalidFilter as error:
            raise IncorrectLookupParameters(translated(error)) from error
        revelations.note_search(letter_filter, actor(request))
        visible_rows = letter_filter.queryset()
        rows = visible_rows.annotate(reason_excerpt=Left("error_reason", 160 + MARGIN))
        return mask_rows(rows.defer(*excerpts.LEFT_THERE))

    def within(self, rows: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        return rows  # the filter has limited them

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[DeadLetter], search_term: str
    ) -> tuple[QuerySet[DeadLetter], bool]:
        return queryset, False

    @admin.display(description="reason")
    def short_reason(self, letter: Any) -> str:
        return visible(beginning(letter.reason_excerpt, 160))

    @admin.display(description="reason")
    def long_reason(self, letter: DeadLetter) -> SafeString:
        row = excerpts.letter(letter.pk)
        return preformatted(cut(row.error_reason if row else "", excerpts.LONG))

    @admin.display(description="stack trace")
    def stacktrace(self, letter: DeadLetter) -> SafeString:
        row = excerpts.letter(letter.pk)
        return preformatted(cut(row.error_stacktrace if row else "", excerpts.LONG))

    @admin.display(description="payload")
    def payload_text(self, letter: DeadLetter) -> SafeString:
        return preformatted(shown_payload(excerpts.payload(letter.pk), masked_texts())["text"])

    @admin.display(description="headers")
    def headers_text(self, letter: DeadLetter) -> SafeString:
        return preformatted(headers_text(excerpts.payload(letter.pk), masked_texts()))

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Tell whether the bulk actions are offered."""
        return request.user.has_perm("operations.add_operation")


def _operate(kind: Kind) -> Callable[..., HttpResponseBase | None]:
    """The action that requests an operation of this kind, as the console's button does."""

    @admin.action(description=f"{kind.title}: {kind.brief}", permissions=["operate"])
    def act(
        model_admin: DeadLetterAdmin, request: HttpRequest, rows: QuerySet[DeadLetter]
    ) -> HttpResponseBase | None:
        try:
            return _request_operation(kind, request)
        except (InvalidInput, OperationRefused) as problem:
            model_admin.message_user(request, translated(problem), messages.ERROR)
            return None

    act.__name__ = kind.name
    return act


def _request_operation(kind: Kind, request: HttpRequest) -> HttpResponseBase:
    """Request the operation and lead to its receipt, or answer with the page that confirms it first."""
    scope, count = _scope(request), None
    reason, options = WhyForm(request.POST).read()["reason"], OptionsForm(kind, {}).read()
    if isinstance(scope, Matching):
        count = dead_letter_list.shown_count(request)
        if why := dead_letter_list.confirmation_reason(kind, scope, options, count):
            return dead_letter_list.show_confirmation(request, kind, scope, why)
    operation_request = OperationRequest(kind.name, scope, reason, options, seen=count)
    return redirect("dlq:operation", request_operation(operation_request, actor=actor(request)).pk)


def _scope(request: HttpRequest) -> Matching | Rows:
    """The ticked rows, or the filter when “select all” was chosen across pages."""
    if request.POST.get("select_across") == "1":
        return Matching(DeadLetterFilter.parse(as_parameters(request)))
    texts = request.POST.getlist(ACTION_CHECKBOX_NAME)
    return Rows.of(number for text in texts if (number := as_id(text)) is not None)
