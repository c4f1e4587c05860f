"""Django's admin for all tables that need nothing but a list of columns."""

from django.contrib import admin
from django.db.models import QuerySet

from dlqconsole.console.administration.read_only import ReadOnly
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, FailureGroup, Queue
from dlqconsole.operations import visibility
from dlqconsole.operations.models import Operation
from dlqconsole.retries.models import RetryRun
from dlqconsole.runs.models import PipelineRun


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
