"""Queues that are left alone for a while."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class QueueBreaker(models.Model):
    """An open circuit breaker: everything on this queue failed in ways that may heal."""

    queue = models.CharField(max_length=255, primary_key=True)
    opened_at = models.DateTimeField(db_default=Now())
    failures = models.IntegerField(db_comment="in a row, when it opened")
    reason = models.TextField()
    probes = models.IntegerField(db_default=0, db_comment="messages tried since")
    open_until = models.DateTimeField(db_comment="when the next one may be tried")

    class Meta:
        db_table = "queue_breakers"
        db_table_comment = "An open circuit breaker: everything on this queue failed in ways that may heal."
        constraints = [
            models.CheckConstraint(
                condition=readable("opened_at", "open_until"), name="queue_breakers_moments"
            ),
        ]

    def __str__(self) -> str:
        return f"breaker of {self.queue}"
