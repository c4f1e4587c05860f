"""Django's admin for the queue's messages, and for tables that need nothing but a list of columns."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.db.models import Case, Q, QuerySet, When
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils.safestring import SafeString

from dlqconsole.console.administration.read_only import ReadOnly, mask_rows, preformatted
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.gate import cut
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, FailureGroup, Message, Queue
from dlqconsole.operations import visibility
from dlqconsole.operations.models import Operation
from dlqconsole.retries.models import RetryRun
from dlqconsole.runs.models import PipelineRun

_FIRST, _LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def _representable(column: str) -> Case:
    """A moment that Python can represent; plain SQL may have written ``infinity``."""
    return Case(When(Q(**{f"{column}__range": (_FIRST, _LAST)}), then=column))


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

    def rows(self, request: HttpRequest) -> QuerySet[Message]:
        moments = {"lease": _representable("lease_until"), "claimed": _representable("dequeued_time")}
        long_columns = ("payload", "payload_raw", "headers", "last_error", "lease_until", "dequeued_time")
        return mask_rows(Message.objects.annotate(**moments).defer(*long_columns))

    def within(self, rows: QuerySet[Message]) -> QuerySet[Message]:
        access = current_access()
        return rows.filter(access.condition(access.columns("message_queue.queue", "NULL")))

    @admin.display(description="lease until")
    def held_until(self, message: Any) -> Any:
        return message.lease

    @admin.display(description="claimed at")
    def claimed_at(self, message: Any) -> Any:
        return message.claimed

    @admin.display(description="last error")
    def error(self, message: Message) -> SafeString:
        errors = Message.objects.filter(pk=message.pk).values_list(
            Left("last_error", excerpts.LONG), flat=True
        )
        return preformatted(cut(errors.first() or "", excerpts.LONG))


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

    def within(self, rows: QuerySet[Queue]) -> QuerySet[Queue]:
        access = current_access()
        return rows.filter(access.condition(access.columns("queues.name", "NULL")))


@admin.register(FailureGroup)
class FailureGroupAdmin(ReadOnly):
    """Failure groups. A person with a scope sees them in the console instead, limited to that scope."""

    list_display = ("id", "event_type", "error_category", "error_class", "message", "created_at")
    list_filter = ("error_category",)
    ordering = ("-created_at",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("id", "dlq_event_id", "kind", "outcome", "worker", "started_at", "finished_at")
    list_filter = ("kind", "outcome")
    ordering = ("-id",)

    def within(self, rows: QuerySet[Attempt]) -> QuerySet[Attempt]:
        return rows.filter(dlq_event_id__in=current_access().limit(DeadLetter.objects.all()).values("pk"))


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("id", "at", "actor", "action", "target", "reason", "operation_id")
    ordering = ("-id",)

    def within(self, rows: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        return rows & visibility.audit_entries()


@admin.register(Operation)
class OperationAdmin(ReadOnly):
    list_display = ("id", "kind", "status", "actor", "selected", "done", "skipped", "failed", "created_at")
    list_filter = ("kind", "status")
    ordering = ("-id",)

    def within(self, rows: QuerySet[Operation]) -> QuerySet[Operation]:
        return rows & visibility.whole()


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
