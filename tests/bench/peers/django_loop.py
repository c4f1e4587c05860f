"""Django's ORM, a row at a time: what a management command without set-based SQL does."""

import time
from uuid import uuid4

import django

django.setup()

from django.db import connection, transaction  # noqa: E402
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402

from dlqconsole.engine.models import AuditEntry, DeadLetter, Message  # noqa: E402
from dlqconsole.operations.models import Operation, OperationItem  # noqa: E402


class Peer:
    def __init__(self, url: str) -> None:
        connection.ensure_connection()

    def revive(self, number: int) -> float:
        """Revive so many, each in a transaction of its own; items a second."""
        operation = Operation.objects.create(
            request_key=uuid4(), kind="revive", actor="bench", reason="to measure it", scope="filter",
            cutoff_id=0, expected=number, selected=number, status="running",
        )  # fmt: skip
        ids = DeadLetter.objects.filter(status="PENDING").order_by("pk").values_list("pk", flat=True)
        chosen = list(ids[:number])
        OperationItem.objects.bulk_create(
            OperationItem(operation=operation, dead_letter_id=pk) for pk in chosen
        )
        begun = time.monotonic()
        for pk in chosen:
            with transaction.atomic():
                self._revive(operation, pk)
        return number / (time.monotonic() - begun)

    def _revive(self, operation: Operation, pk: int) -> None:
        letter = DeadLetter.objects.select_for_update().get(pk=pk)
        was = {"status": letter.status, "revived_at": letter.revived_at}
        letter.status, letter.revive_count = "REVIVED", letter.revive_count + 1
        letter.revived_at, letter.operation_id = timezone.now(), operation.pk
        letter.save(update_fields=["status", "revive_count", "revived_at", "operation_id"])
        identity = {"ce_type": letter.event_type, "ce_source": letter.source, "ce_id": letter.source_key}
        message = Message.objects.create(
            queue=letter.queue or letter.event_type,
            payload=letter.payload,
            headers=letter.headers | identity,
            group_key=letter.group_key,
            dlq_event_id=letter.pk,
            revive_seq=letter.revive_count,
            status="held",
        )
        OperationItem.objects.filter(operation=operation, dead_letter_id=pk).update(
            status="done", message_id=message.pk, revive_seq=letter.revive_count, was=was
        )
        Operation.objects.filter(pk=operation.pk).update(done=F("done") + 1)
        AuditEntry.objects.create(
            actor="bench", action="revive", target=f"dead_letter:{pk}", operation_id=operation.pk,
            reason="to measure it", detail={"message_id": message.pk},
        )  # fmt: skip
