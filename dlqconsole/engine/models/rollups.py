"""The counts of dead letters, kept by triggers: a page adds a few rows instead of counting millions.

What a writer changed stands in ``dead_letter_deltas`` until it is folded into these tables, so a figure is
always the sum of both: ``engine.rollups`` reads them so.
"""

from django.db import models


class DeadLetterCount(models.Model):
    """The number of dead letters that share these five values. A row stays when its number is zero."""

    pk = models.CompositePrimaryKey("group_id", "event_type", "error_category", "queue", "status")
    group_id = models.BigIntegerField()
    event_type = models.CharField(max_length=255)
    error_category = models.CharField(max_length=16)
    queue = models.CharField(max_length=255)
    status = models.CharField(max_length=16)
    letters = models.BigIntegerField()
    occurrences = models.BigIntegerField()
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "dead_letter_counts"

    def __str__(self) -> str:
        return f"{self.letters} {self.status} in group {self.group_id}"


class DeadLetterHour(models.Model):
    """The number of a group's dead letters of one hour, by their status now."""

    pk = models.CompositePrimaryKey("group_id", "hour", "status")
    group_id = models.BigIntegerField()
    hour = models.DateTimeField()
    status = models.CharField(max_length=16)
    letters = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = "dead_letter_hours"

    def __str__(self) -> str:
        return f"{self.letters} {self.status} in group {self.group_id} at {self.hour}"


class RevivalOutcome(models.Model):
    """The outcomes of some of an operation's revived dead letters. Add its rows for the total."""

    operation_id = models.BigIntegerField(db_index=True)
    group_id = models.BigIntegerField(db_default=0)
    succeeded = models.BigIntegerField()
    failed = models.BigIntegerField()

    class Meta:
        managed = False
        db_table = "revival_outcomes"

    def __str__(self) -> str:
        return f"operation {self.operation_id}: {self.succeeded} succeeded, {self.failed} failed"
