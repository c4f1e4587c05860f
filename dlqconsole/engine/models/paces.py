"""How fast what failed is tried again, by failure group: of the schedule, and of each operation."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class PacedGroup(models.Model):
    """How fast events of a failure group are tried again, by the schedule or by one operation, and why."""

    operation_id = models.BigIntegerField(
        db_default=0, db_comment="the operation whose own pace it is; 0: the schedule's"
    )
    event_type = models.CharField(max_length=255)
    group_id = models.BigIntegerField(
        db_default=0, db_comment="the failure group they had when they were taken up; 0: none"
    )
    rate = models.FloatField(
        null=True, db_default=None, db_comment="events a second; NULL: nothing is held back"
    )
    floor = models.FloatField(db_comment="the slowest, events a second, as it was when last judged")
    ceiling = models.FloatField(db_comment="from here on nothing is held back")
    baseline_seconds = models.FloatField(
        null=True, db_default=None, db_comment="how long its handler usually takes: a slow average"
    )
    recent_seconds = models.FloatField(
        null=True, db_default=None, db_comment="how long it took in the window that was judged last"
    )
    share = models.FloatField(
        null=True,
        db_default=None,
        db_comment="of what was tried again in that window, how much failed again: 0 to 1",
    )
    why = models.TextField(
        db_default="", db_comment="why it was slowed last; empty while nothing is held back"
    )
    slowed_at = models.DateTimeField(null=True, db_default=None, db_comment="since when it is held back")
    changed_at = models.DateTimeField(db_default=Now(), db_comment="when its rate changed last")
    tried = models.IntegerField(db_default=0, db_comment="outcomes in the window that is not judged yet")
    came_back = models.IntegerField(db_default=0)
    timed = models.IntegerField(db_default=0)
    log_seconds = models.FloatField(
        db_default=0.0, db_comment="the sum of the logarithms of so many successes' seconds"
    )
    begun_at = models.DateTimeField(db_default=Now(), db_comment="when the window began")
    noted_at = models.DateTimeField(db_default=Now(), db_comment="when an outcome was noted last")
    tokens = models.FloatField(db_default=0.0, db_comment="what may begin at once")
    filled_at = models.DateTimeField(db_default=Now())
    handed_out = models.BigIntegerField(
        db_default=0, db_comment="a revive's: so many of the group it has put on queues"
    )
    heard = models.BigIntegerField(
        db_default=0, db_comment="a revive's: so many outcomes of these are in its windows already"
    )
    heard_back = models.BigIntegerField(db_default=0, db_comment="a revive's: so many of them came back")
    heard_at = models.DateTimeField(
        db_default=Now(), db_comment="a revive's: when it began, or an outcome was heard last"
    )
    watched = ArrayField(
        models.BigIntegerField(),
        db_default=[],
        db_comment="a revive's newest messages of the group: whether they fail on their queue already",
    )

    class Meta:
        db_table = "paces"
        db_table_comment = (
            "How fast events of a failure group are tried again, by the schedule or by one operation,"
            " and why."
        )
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rate__isnull=True) | models.Q(rate__gt=0), name="paces_never_stop"
            ),
            models.CheckConstraint(
                condition=readable(
                    "slowed_at", "changed_at", "begun_at", "noted_at", "filled_at", "heard_at"
                ),
                name="paces_moments",
            ),
            models.UniqueConstraint(fields=["operation_id", "event_type", "group_id"], name="paces_group"),
        ]

    def __str__(self) -> str:
        return f"pace of group {self.group_id} of {self.event_type}"
