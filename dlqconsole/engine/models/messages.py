"""The messages that wait, are scheduled, or are claimed."""

from typing import Any

from django.core.checks import CheckMessage
from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import MessageStatus


class StoredField(models.GeneratedField):
    """A column that Django reads and never writes. The schema says what it holds."""

    def __init__(self, output_field: "models.Field[Any, Any]", **options: Any) -> None:
        options |= {"expression": models.Value(None), "db_persist": True}
        super().__init__(output_field=output_field, **options)

    def _check_supported(self, databases: Any) -> list[CheckMessage]:
        """Ask no database: every PostgreSQL that runs this has such columns."""
        return []


class Message(models.Model):
    """One message on a queue. A completed message leaves the table."""

    queue = models.CharField(max_length=255)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True, db_default=None)
    headers = models.JSONField(db_default={})
    priority = models.SmallIntegerField(db_default=0)
    status = models.CharField(
        max_length=16, choices=MessageStatus.choices(), db_default=MessageStatus.PENDING
    )
    retry_count = models.IntegerField(db_default=0)
    max_retries = models.IntegerField(null=True, db_default=None)
    next_retry_at = models.DateTimeField(db_default=Now())
    owner = models.TextField(null=True, db_default=None)
    lease_token = models.UUIDField(null=True, db_default=None)
    lease_until = models.DateTimeField(null=True, db_default=None)
    dequeued_time = models.DateTimeField(null=True, db_default=None)
    crash_count = models.SmallIntegerField(db_default=0)
    charge = models.SmallIntegerField(db_default=0)
    last_error = models.TextField(null=True, db_default=None)
    unhandled_type = models.TextField(null=True, db_default=None)
    dedupe_key = models.CharField(max_length=255, null=True, db_default=None)
    group_key = models.CharField(max_length=255, null=True, db_default=None)
    group_in_flight = models.CharField(max_length=255, null=True, db_default=None)
    phase = StoredField(models.CharField(max_length=16))
    turn = StoredField(models.IntegerField())
    dlq_event_id = models.BigIntegerField(null=True, db_default=None)
    revive_seq = models.IntegerField(null=True, db_default=None)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "message_queue"

    def __str__(self) -> str:
        return f"message {self.pk} on {self.queue}"
