"""Django's admin: dead letters to look at and to act on, everything else to look at only.

Nothing here writes a row itself. The actions ask for an operation, as the console's buttons do.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME, ActionForm
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Case, Model, Q, QuerySet, When
from django.db.models.functions import Left
from django.forms import CharField
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlqconsole.console.access.permissions import actor
from dlqconsole.console.admin.filters import FILTERS, as_parameters
from dlqconsole.console.dead_letters.export_views import download
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.parts.fields import ReasonField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.hidden_characters import visible
from dlqconsole.console.parts.shown_payload import headers_text, shown_payload
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, FailureGroup, Message, Queue
from dlqconsole.operations import offers
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import Matching, Rows
from dlqconsole.operations.service import request_operation
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.reasons import REASON_LIMIT
from dlqconsole.reports import exports
from dlqconsole.reports.models import PipelineRun
from dlqconsole.retries.models import RetryRun

_FIRST, _LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class ReadOnly(_ModelAdmin):
    """Look, do not touch: what changes these rows is audited, and stands elsewhere."""

    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    actions: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class WhyForm(ConsoleForm):
    """Why an operation is asked for; an export has no need of it."""

    reason = ReasonField()


class ReasonForm(ActionForm):
    """The input for it, beside the actions."""

    reason = CharField(required=False, max_length=REASON_LIMIT, label="Because")


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnly):
    """The console's list and bulk actions, for those who know the admin."""

    list_display = ("id", "created_at", "status", "error_category", "event_type", "short_reason", "queue")
    list_display_links = ("id",)
    list_filter = FILTERS
    search_fields = ("error_reason",)  # shows the box; the one filter does the searching
    ordering = ("-created_at", "-id")
    action_form = ReasonForm
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
        """The kinds of operations that the admin offers, and its own exports."""
        return [*map(_operate, offers.in_admin()), "export_csv", "export_jsonl"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeadLetter]:
        """What the one filter matches; payloads and long texts stay in the database."""
        try:
            matching = DeadLetterFilter.parse(as_parameters(request))
        except InvalidFilter as error:
            raise IncorrectLookupParameters(str(error)) from error
        rows = matching.queryset().annotate(reason_excerpt=Left("error_reason", 160))
        return rows.defer(*excerpts.LEFT_THERE)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[DeadLetter], search_term: str
    ) -> tuple[QuerySet[DeadLetter], bool]:
        return queryset, False

    @admin.display(description="reason")
    def short_reason(self, letter: Any) -> str:
        return visible(masked_texts().text(letter.reason_excerpt))

    @admin.display(description="reason")
    def long_reason(self, letter: DeadLetter) -> SafeString:
        found = excerpts.letter(letter.pk)
        return _preformatted(masked_texts().text(found.error_reason if found else ""))

    @admin.display(description="stack trace")
    def stacktrace(self, letter: DeadLetter) -> SafeString:
        found = excerpts.letter(letter.pk)
        return _preformatted(masked_texts().text(found.error_stacktrace if found else ""))

    @admin.display(description="payload")
    def payload_text(self, letter: DeadLetter) -> SafeString:
        return _preformatted(shown_payload(excerpts.payload(letter.pk), masked_texts())["text"])

    @admin.display(description="headers")
    def headers_text(self, letter: DeadLetter) -> SafeString:
        return _preformatted(headers_text(excerpts.payload(letter.pk), masked_texts()))

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether the bulk actions are offered."""
        return request.user.has_perm("operations.add_operation")

    @admin.action(description="Export as CSV", permissions=["operate"])
    def export_csv(self, request: HttpRequest, rows: QuerySet[DeadLetter]) -> HttpResponseBase:
        return _export(request, "csv")

    @admin.action(description="Export as JSON Lines", permissions=["operate"])
    def export_jsonl(self, request: HttpRequest, rows: QuerySet[DeadLetter]) -> HttpResponseBase:
        return _export(request, "jsonl")


def _operate(kind: Kind) -> Callable[..., HttpResponseBase | None]:
    """The action that asks for an operation of this kind, as the console's button does."""

    @admin.action(description=f"{kind.title}: {kind.brief}", permissions=["operate"])
    def act(
        model_admin: DeadLetterAdmin, request: HttpRequest, rows: QuerySet[DeadLetter]
    ) -> HttpResponseBase | None:
        try:
            reason, options = WhyForm(request.POST).read()["reason"], OptionsForm(kind, {}).read()
            asked = OperationRequest(kind.name, _scope(request), reason, options)
            operation = request_operation(asked, actor=actor(request))
        except (InvalidInput, OperationRefused) as problem:
            model_admin.message_user(request, str(problem), messages.ERROR)
            return None
        return redirect("operation", operation.pk)

    act.__name__ = kind.name
    return act


def _preformatted(text: str) -> SafeString:
    return format_html("<pre>{}</pre>", visible(text))


def _in_time(column: str) -> Case:
    """A moment that Python can hold; plain SQL may have written ``infinity``."""
    return Case(When(Q(**{f"{column}__range": (_FIRST, _LAST)}), then=column))


def _scope(request: HttpRequest) -> Matching | Rows:
    """The ticked rows, or the filter when “select all” was chosen across pages."""
    if request.POST.get("select_across") == "1":
        return Matching(DeadLetterFilter.parse(as_parameters(request)))
    texts = request.POST.getlist(ACTION_CHECKBOX_NAME)
    return Rows.of(number for text in texts if (number := as_id(text)) is not None)


def _export(request: HttpRequest, format: exports.Format) -> HttpResponseBase:
    scope, who = _scope(request), actor(request)
    if isinstance(scope, Matching):
        return download(exports.of_filter(scope.filter, format, who))
    return download(exports.of_ids(list(scope.ids), format, who))


@admin.register(Message)
class MessageAdmin(ReadOnly):
    list_display = (
        "id",
        "queue",
        "status",
        "priority",
        "retry_count",
        "next_retry_at",
        "owner",
        "created_at",
    )
    list_filter = ("status",)
    ordering = ("-id",)
    fields = (
        "id", "queue", "status", "priority", "retry_count", "max_retries", "next_retry_at", "owner",
        "held_until", "claimed_at", "crash_count", "error", "dlq_event_id", "created_at",
    )  # fmt: skip
    readonly_fields = ("held_until", "claimed_at", "error")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        moments = {"lease": _in_time("lease_until"), "claimed": _in_time("dequeued_time")}
        left_there = ("payload", "payload_raw", "headers", "last_error", "lease_until", "dequeued_time")
        return Message.objects.annotate(**moments).defer(*left_there)

    @admin.display(description="lease until")
    def held_until(self, message: Any) -> Any:
        return message.lease

    @admin.display(description="claimed at")
    def claimed_at(self, message: Any) -> Any:
        return message.claimed

    @admin.display(description="last error")
    def error(self, message: Message) -> SafeString:
        found = Message.objects.filter(pk=message.pk).values_list(
            Left("last_error", excerpts.LONG), flat=True
        )
        return _preformatted(found.first() or "")


@admin.register(Queue)
class QueueAdmin(ReadOnly):
    list_display = (
        "name",
        "max_retries",
        "lease_seconds",
        "backoff_base_seconds",
        "backoff_cap_seconds",
        "paused",
    )


@admin.register(FailureGroup)
class FailureGroupAdmin(ReadOnly):
    list_display = ("id", "event_type", "error_category", "error_class", "message", "created_at")
    list_filter = ("error_category",)
    ordering = ("-created_at",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("id", "dlq_event_id", "kind", "outcome", "worker", "started_at", "finished_at")
    list_filter = ("kind", "outcome")
    ordering = ("-id",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("id", "at", "actor", "action", "target", "reason", "operation_id")
    ordering = ("-id",)


@admin.register(Operation)
class OperationAdmin(ReadOnly):
    list_display = ("id", "kind", "status", "actor", "selected", "done", "skipped", "failed", "created_at")
    list_filter = ("kind", "status")
    ordering = ("-id",)


@admin.register(RetryRun)
class RetryRunAdmin(ReadOnly):
    list_display = (
        "id",
        "started_at",
        "finished_at",
        "trigger",
        "claimed",
        "succeeded",
        "failed",
        "exhausted",
    )
    ordering = ("-id",)


@admin.register(PipelineRun)
class PipelineRunAdmin(ReadOnly):
    list_display = ("id", "kind", "status", "subject", "started_at", "finished_at", "done", "total")
    list_filter = ("kind", "status")
    ordering = ("-id",)
