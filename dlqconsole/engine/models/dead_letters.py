"""Dead letters, their attempts and payload versions, and what handlers returned."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus


class DeadLetter(models.Model):
    """A failed event with everything needed to understand it."""

    event_type = models.CharField(max_length=255)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True, db_default=None)
    headers = models.JSONField(db_default={})
    error_reason = models.TextField(db_default="")
    error_stacktrace = models.TextField(db_default="")
    error_category = models.CharField(max_length=16, choices=Category.choices(), db_default=Category.UNKNOWN)
    error_class = models.CharField(max_length=255, db_default="")
    status = models.CharField(
        max_length=16, choices=DeadLetterStatus.choices(), db_default=DeadLetterStatus.PENDING
    )
    retry_count = models.IntegerField(db_default=0)
    max_retries = models.IntegerField(null=True, db_default=None)
    retry_after = models.DateTimeField(db_default=Now())
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    occurrences = models.IntegerField(db_default=1)
    queue = models.CharField(max_length=255, null=True, db_default=None)
    group_key = models.CharField(max_length=255, null=True, db_default=None)
    original_message_id = models.BigIntegerField(null=True, db_default=None)
    same_id_as = models.BigIntegerField(null=True, db_default=None)
    occurred_at = models.DateTimeField(null=True, db_default=None)
    first_failure_at = models.DateTimeField(db_default=Now())
    last_failure_at = models.DateTimeField(db_default=Now())
    dead_lettered_at = models.DateTimeField(db_default=Now())
    said_category = models.CharField(max_length=16, null=True, db_default=None)
    category_rule_id = models.BigIntegerField(null=True, db_default=None)
    fingerprint_rule_id = models.BigIntegerField(null=True, db_default=None)
    fingerprint_id = models.BigIntegerField(db_default=0)
    fingerprint_version = models.SmallIntegerField(db_default=1)
    group_id = models.BigIntegerField(db_default=0)
    reclassified_at = models.DateTimeField(null=True, db_default=None)
    payload_version = models.IntegerField(db_default=0)
    revive_count = models.IntegerField(db_default=0)
    come_backs = models.IntegerField(db_default=0)
    revived_at = models.DateTimeField(null=True, db_default=None)
    revived_from = models.CharField(max_length=16, null=True, db_default=None)
    operation_id = models.BigIntegerField(null=True, db_default=None)
    owner = models.TextField(null=True, db_default=None)
    lease_token = models.UUIDField(null=True, db_default=None)
    lease_until = models.DateTimeField(null=True, db_default=None)
    begun_at = models.DateTimeField(null=True, db_default=None)
    crash_count = models.SmallIntegerField(db_default=0)
    version = models.IntegerField(db_default=1)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "dlq_events"

    def __str__(self) -> str:
        return f"dead letter {self.pk}"


class Attempt(models.Model):
    """One run of a handler on an event, wherever it ran; or a failure that somebody else reported."""

    dlq_event_id = models.BigIntegerField(null=True, db_default=None)
    message = models.CharField(max_length=320, db_default="")
    kind = models.CharField(max_length=16)
    worker = models.TextField(db_default="")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(db_default=Now())
    outcome = models.CharField(max_length=16)
    error_category = models.CharField(max_length=16, db_default="")
    error_reason = models.TextField(db_default="")
    error_stacktrace = models.TextField(db_default="")
    reopened_from = models.CharField(max_length=16, db_default="")
    stands_for = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "dlq_attempts"

    def __str__(self) -> str:
        return f"{self.kind} attempt on dead letter {self.dlq_event_id}: {self.outcome}"


class PayloadVersion(models.Model):
    """A dead letter's payload before or after an edit. Number 0 is the original."""

    dlq_event_id = models.BigIntegerField()
    number = models.IntegerField()
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True, db_default=None)
    headers = models.JSONField(db_default={})
    actor = models.TextField(db_default="")
    reason = models.TextField(db_default="")
    operation_id = models.BigIntegerField(null=True, db_default=None)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "payload_versions"

    def __str__(self) -> str:
        return f"version {self.number} of dead letter {self.dlq_event_id}"


class EnrichedEvent(models.Model):
    """A handler's record for an event: one row an event, however often it ran."""

    event_type = models.CharField(max_length=255)
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    occurred_at = models.DateTimeField(null=True, db_default=None)
    record = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    digest = models.UUIDField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "enriched_events"

    def __str__(self) -> str:
        return f"{self.event_type} {self.source}/{self.source_key}"
