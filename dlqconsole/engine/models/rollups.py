"""How many dead letters there are, kept by triggers: a page adds up a few rows instead of counting millions.

What a writer changed stands in ``dead_letter_deltas`` until it is folded into these tables, so a figure is
always the sum of both: ``engine.rollups`` reads them so.
"""

from django.db import models


class DeadLetterCount(models.Model):
    """How many dead letters share these five. Rows stay when they are counted down to nothing."""

    pk = models.CompositePrimaryKey("group_id", "event_type", "error_category", "queue", "status")
    group_id = models.BigIntegerField()
    event_type = models.CharField(max_length=255)
    error_category = models.CharField(max_length=16)
    queue = models.CharField(
        max_length=255, db_comment="the dead letter's, or the one that is named after its event type"
    )
    status = models.CharField(max_length=16)
    letters = models.BigIntegerField()
    occurrences = models.BigIntegerField()
    first_at = models.DateTimeField(null=True, db_comment="of all that were ever counted here")
    last_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "dead_letter_counts"
        db_table_comment = (
            "How many dead letters share these five. Rows stay when they are counted down to nothing."
        )

    def __str__(self) -> str:
        return f"{self.letters} {self.status} in group {self.group_id}"


class DeadLetterHour(models.Model):
    """How many dead letters of a group came in one hour, by where they stand now."""

    pk = models.CompositePrimaryKey("group_id", "hour", "status")
    group_id = models.BigIntegerField()
    hour = models.DateTimeField(db_comment="its beginning, in UTC")
    status = models.CharField(max_length=16)
    letters = models.BigIntegerField()

    class Meta:
        db_table = "dead_letter_hours"
        db_table_comment = "How many dead letters of a group came in one hour, by where they stand now."
        indexes = [models.Index(fields=["hour"], name="dead_letter_hours_hour")]

    def __str__(self) -> str:
        return f"{self.letters} {self.status} in group {self.group_id} at {self.hour}"


class RevivalOutcome(models.Model):
    """What became of some of an operation's revived dead letters; the sum of its rows is what is known."""

    operation_id = models.BigIntegerField(db_index=True)
    group_id = models.BigIntegerField(
        db_default=0, db_comment="the failure group that they had while they were revived"
    )
    succeeded = models.BigIntegerField()
    failed = models.BigIntegerField()

    class Meta:
        db_table = "revival_outcomes"
        db_table_comment = (
            "What became of some of an operation's revived dead letters; the sum of its rows is what "
            "is known."
        )

    def __str__(self) -> str:
        return f"operation {self.operation_id}: {self.succeeded} succeeded, {self.failed} failed"
