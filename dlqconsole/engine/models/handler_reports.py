"""The running processes, and the event types that each can handle."""

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
