"""Flow control as rows: breakers, and the paces of failure groups."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class PacedGroup(models.Model):
    """The rate of a failure group's retries, by the schedule or by one operation, and the reason."""

    operation_id = models.BigIntegerField(db_default=0)
    event_type = models.CharField(max_length=255)
    group_id = models.BigIntegerField(db_default=0)
    rate = models.FloatField(null=True, db_default=None)
    floor = models.FloatField()
    ceiling = models.FloatField()
    baseline_seconds = models.FloatField(null=True, db_default=None)
    recent_seconds = models.FloatField(null=True, db_default=None)
    share = models.FloatField(null=True, db_default=None)
    why = models.TextField(db_default="")
    slowed_at = models.DateTimeField(null=True, db_default=None)
    changed_at = models.DateTimeField(db_default=Now())
    tried = models.IntegerField(db_default=0)
    came_back = models.IntegerField(db_default=0)
    timed = models.IntegerField(db_default=0)
    log_seconds = models.FloatField(db_default=0.0)
    begun_at = models.DateTimeField(db_default=Now())
    noted_at = models.DateTimeField(db_default=Now())
    tokens = models.FloatField(db_default=0.0)
    filled_at = models.DateTimeField(db_default=Now())
    handed_out = models.BigIntegerField(db_default=0)
    heard = models.BigIntegerField(db_default=0)
    heard_back = models.BigIntegerField(db_default=0)
    heard_at = models.DateTimeField(db_default=Now())
    watched = ArrayField(models.BigIntegerField(), db_default=[])

    class Meta:
        managed = False
        db_table = "paces"

    def __str__(self) -> str:
        return f"pace of group {self.group_id} of {self.event_type}"


CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"


class Breaker(models.Model):
    """One circuit breaker: of an event type, of a dependency that handlers name, or of a flood gate."""

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
    waits = models.IntegerField(db_default=0)
    drained_until = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "breakers"

    def __str__(self) -> str:
        return f"breaker {self.key}"
