"""Records of what was done: the audit log, handlers that processes have, files that an ingest has read."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class HandlerReport(models.Model):
    """The last report of a worker or consumer: it runs, and has handlers for these event types."""

    worker = models.TextField(primary_key=True)
    role = models.CharField(max_length=16)
    queues = ArrayField(models.TextField(), default=list)
    event_types = ArrayField(models.TextField(), default=list)
    rehearsable = ArrayField(models.TextField(), default=list)
    unhandled = models.JSONField(default=dict)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "handler_reports"

    def __str__(self) -> str:
        return f"handlers of {self.worker}"


class AuditEntry(models.Model):
    """A change: actor, target, moment and reason. The database refuses all but new rows."""

    at = models.DateTimeField(db_default=Now())
    actor = models.TextField()
    action = models.CharField(max_length=64)
    target = models.TextField()
    operation_id = models.BigIntegerField(null=True, db_default=None)
    reason = models.TextField(db_default="")
    detail = models.JSONField(db_default={})

    class Meta:
        managed = False
        db_table = "audit_log"
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"


class IngestedFile(models.Model):
    """Whole lines of a file whose events are in their tables."""

    place = models.UUIDField()
    family = models.UUIDField()
    root = models.TextField()
    seen_as = models.TextField()
    known_as = models.TextField()
    inode = models.BigIntegerField()
    size = models.BigIntegerField()
    modified_ns = models.BigIntegerField()
    changed_ns = models.BigIntegerField()
    whole = models.BooleanField()
    start_byte = models.BigIntegerField()
    end_byte = models.BigIntegerField()
    end_line = models.BigIntegerField()
    digest = models.UUIDField()
    run_id = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "ingested_files"

    def __str__(self) -> str:
        return f"{self.seen_as}, lines up to {self.end_line:,}"
