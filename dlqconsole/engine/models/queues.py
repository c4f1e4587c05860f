"""Queues and their messages as rows."""

from typing import Any

from django.core.checks import CheckMessage
from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import pgettext_lazy


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


class Retention(models.TextChoices):
    DELETE = "delete", pgettext_lazy("completed messages", "Deleted")
    ARCHIVE = "archive", pgettext_lazy("completed messages", "Archived")


class NotifyMode(models.TextChoices):
    # only when a consumer sleeps
    THROTTLED = "throttled", _("When a consumer waits")
    STATEMENT = "statement", _("With every statement")
    OFF = "off", _("Never: consumers poll")


class OnDeadLetter(models.TextChoices):
    CONTINUE = "continue", _("Goes on")
    HOLD = "hold", _("Waits until that one is closed")


class Queue(models.Model):
    """A queue's policy. A queue without a row here has these defaults."""

    name = models.CharField(max_length=255, primary_key=True)
    max_retries = models.IntegerField(db_default=3)
    lease_seconds = models.IntegerField(db_default=60)
    backoff_base_seconds = models.FloatField(db_default=5.0)
    backoff_factor = models.FloatField(db_default=2.0)
    backoff_cap_seconds = models.FloatField(db_default=3600.0)
    backoff_jitter = models.FloatField(db_default=1.0)
    retention = models.CharField(max_length=8, choices=Retention, db_default=Retention.DELETE)
    archive_days = models.IntegerField(db_default=30)
    notify = models.CharField(max_length=12, choices=NotifyMode, db_default=NotifyMode.THROTTLED)
    fifo_groups = models.BooleanField(db_default=True)
    on_dead_letter = models.CharField(max_length=8, choices=OnDeadLetter, db_default=OnDeadLetter.CONTINUE)
    rate_limit = models.FloatField(null=True, db_default=None)
    age_limit_seconds = models.IntegerField(null=True, db_default=None)
    unlogged = models.BooleanField(db_default=False)
    paused = models.BooleanField(db_default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "queues"

    def __str__(self) -> str:
        return self.name


class QueueActivity(models.Model):
    """The consumers' work on a queue in one minute. They add to it every few seconds."""

    queue = models.CharField(max_length=255)
    minute = models.DateTimeField()
    completed = models.IntegerField(db_default=0)
    retried = models.IntegerField(db_default=0)
    dead_lettered = models.IntegerField(db_default=0)
    lost = models.IntegerField(db_default=0)
    consumer = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "queue_activity"

    def __str__(self) -> str:
        return f"{self.queue} at {self.minute}"


class ArchivedMessage(models.Model):
    """A message that was completed or set aside on a queue that archives. A partition goes with its day."""

    id = models.BigIntegerField(primary_key=True)
    queue = models.CharField(max_length=255)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True)
    headers = models.JSONField()
    priority = models.SmallIntegerField()
    retry_count = models.IntegerField()
    group_key = models.CharField(max_length=255, null=True)
    dlq_event_id = models.BigIntegerField(null=True)
    revive_seq = models.IntegerField(null=True)
    owner = models.TextField(null=True)
    created_at = models.DateTimeField()
    dequeued_time = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(db_default=Now())
    # fixed when it was archived: what its queue says later leaves it alone
    keep_until = models.DateTimeField()

    class Meta:
        db_table = "message_archive"
        managed = False  # partitioned by the day it is kept until: made in migrations/sql

    def __str__(self) -> str:
        return f"archived message {self.pk} of {self.queue}"
