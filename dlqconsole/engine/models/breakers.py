"""Breakers: handlers that wait because a system that they need does not answer."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"


class Breaker(models.Model):
    """One circuit breaker: of an event type, or of a dependency that handlers name."""

    key = models.TextField(primary_key=True)
    state = models.TextField(db_default=CLOSED)
    since = models.DateTimeField(db_default=Now())
    reason = models.TextField(db_default="")
    event_types = ArrayField(models.TextField(), db_default=[])
    only_again = models.BooleanField(db_default=False)
    score = models.FloatField(db_default=0)
    rose_at = models.DateTimeField(null=True, db_default=None)
    again_score = models.FloatField(db_default=0)
    failures = models.IntegerField(db_default=0)
    noted_at = models.DateTimeField(db_default=Now())
    first_success_at = models.DateTimeField(null=True, db_default=None)
    next_probe_at = models.DateTimeField(null=True, db_default=None)
    probes = models.IntegerField(db_default=0)
    successes = models.IntegerField(db_default=0)
    held = models.TextField(null=True, db_default=None)
    held_until = models.DateTimeField(null=True, db_default=None)
    held_by = models.TextField(db_default="")
    held_reason = models.TextField(db_default="")
    told_by = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "breakers"

    def __str__(self) -> str:
        return f"breaker {self.key}"
