"""The queue's messages in Django's admin."""

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
from dlqconsole.engine.models import Message

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
