"""Queues as rows: how each treats its messages, what it keeps of them, and what it has done."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class Retention(models.TextChoices):
    DELETE = "delete", "Deleted"
    ARCHIVE = "archive", "Archived"


class NotifyMode(models.TextChoices):
    # only when a consumer sleeps
    THROTTLED = "throttled", "When a consumer waits"
    STATEMENT = "statement", "With every statement"
    OFF = "off", "Never: consumers poll"


class Queue(models.Model):
    """A queue's policy. A queue without a row here has these defaults."""

    name = models.CharField(max_length=47, primary_key=True)
    max_retries = models.IntegerField(db_default=3)
    lease_seconds = models.IntegerField(db_default=60)
    backoff_base_seconds = models.FloatField(
        db_default=5.0,
        db_comment="the delay before the nth retry: base x factor^(n-1), at most cap",
    )
    backoff_factor = models.FloatField(db_default=2.0)
    backoff_cap_seconds = models.FloatField(db_default=3600.0)
    backoff_jitter = models.FloatField(
        db_default=1.0, db_comment="the share of the delay that is drawn by lot"
    )
    retention = models.CharField(
        max_length=8,
        choices=Retention,
        db_default=Retention.DELETE,
        db_comment="what becomes of a completed message",
    )
    archive_days = models.IntegerField(db_default=30, db_comment="how long an archived one is kept")
    notify = models.CharField(max_length=12, choices=NotifyMode, db_default=NotifyMode.THROTTLED)
    fifo_groups = models.BooleanField(
        db_default=True,
        db_comment="messages of one group key one at a time, in order; false: the key is only a label",
    )
    rate_limit = models.FloatField(
        null=True,
        db_default=None,
        db_comment="claims a second by all consumers together; NULL: as many as they can",
    )
    unlogged = models.BooleanField(
        db_default=False,
        db_comment="messages are not logged: twice as fast to send, and gone after a crash of the database",
    )
    paused = models.BooleanField(db_default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "queues"
        db_table_comment = "A queue's policy. A queue without a row here has these defaults."
        constraints = [
            models.CheckConstraint(
                condition=Q(max_retries__gte=0, lease_seconds__gte=1, backoff_base_seconds__gte=0),
                name="queues_bounds",
            ),
            models.CheckConstraint(
                condition=Q(backoff_factor__gte=1, backoff_cap_seconds__gte=0, archive_days__gte=1)
                & Q(backoff_jitter__gte=0, backoff_jitter__lte=1)
                & (Q(rate_limit__isnull=True) | Q(rate_limit__gt=0)),
                name="queues_policy_bounds",
            ),
            models.CheckConstraint(condition=Q(retention__in=Retention.values), name="queues_retention"),
            models.CheckConstraint(condition=Q(notify__in=NotifyMode.values), name="queues_notify"),
            models.CheckConstraint(condition=readable("created_at"), name="queues_moments"),
        ]

    def __str__(self) -> str:
        return self.name


class QueueActivity(models.Model):
    """What consumers did with a queue in one minute, added up by themselves every few seconds."""

    queue = models.CharField(max_length=255)
    minute = models.DateTimeField()
    completed = models.IntegerField(db_default=0)
    retried = models.IntegerField(db_default=0)
    dead_lettered = models.IntegerField(db_default=0)
    lost = models.IntegerField(db_default=0)

    class Meta:
        db_table = "queue_activity"
        db_table_comment = (
            "What consumers did with a queue in one minute, added up by themselves every few seconds."
        )
        constraints = [
            models.CheckConstraint(condition=readable("minute"), name="queue_activity_moments"),
            models.UniqueConstraint(fields=["queue", "minute"], name="queue_activity_minute"),
        ]

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
    archived_at = models.DateTimeField()
    # fixed when it was archived: what its queue says later leaves it alone
    keep_until = models.DateTimeField()

    class Meta:
        db_table = "message_archive"
        managed = False  # partitioned by the day it is kept until: made in migrations/sql

    def __str__(self) -> str:
        return f"archived message {self.pk} of {self.queue}"
