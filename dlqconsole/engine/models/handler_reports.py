"""Who runs now, and which event types each can handle."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class HandlerReport(models.Model):
    """What one worker or consumer last said of itself: that it runs, and what it has handlers for."""

    worker = models.TextField(primary_key=True)
    role = models.CharField(
        max_length=16,
        db_comment="worker: runs the schedule and operations; consumer: of these queues; celery: the first"
        " process of a Celery worker, which serves these queues of wake-ups",
    )
    queues = ArrayField(models.TextField(), default=list)
    event_types = ArrayField(models.TextField(), default=list, db_comment="those it has handlers for")
    rehearsable = ArrayField(
        models.TextField(), default=list, db_comment="of these the ones whose handlers can be rehearsed"
    )
    unhandled = models.JSONField(
        default=dict,
        db_comment="by queue and event type how many messages it has put back for want of a handler, where"
        " the queue itself does not say it",
    )
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "handler_reports"
        db_table_comment = (
            "What one worker or consumer last said of itself: that it runs, and for which event types it has"
            " handlers. Who is silent for ten minutes is forgotten."
        )
        constraints = [
            models.CheckConstraint(condition=readable("seen_at"), name="handler_reports_moments"),
        ]

    def __str__(self) -> str:
        return f"handlers of {self.worker}"
