"""What the schedule did, run by run."""

from django.db import models
from django.db.models.functions import Now


class RetryRun(models.Model):
    """One scheduled run: the lock's holder drains what is due, in batches."""

    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    trigger = models.CharField(max_length=16, db_comment='"schedule" or "by hand"')
    worker = models.TextField()
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    lost = models.IntegerField(
        db_default=0,
        db_comment="leases that ran out while a handler ran: somebody else took the row",
    )
    more_due = models.BooleanField(
        db_default=False,
        db_comment="ended by its time budget or a lost lock: the next tick goes on at once",
    )
    note = models.TextField(
        db_default="", db_comment='why it ended, where that is not "nothing is due any more"'
    )

    class Meta:
        db_table = "retry_runs"
        db_table_comment = "One scheduled run: the lock's holder drains what is due, in batches."
        # the newest run: asked at every tick
        indexes = [models.Index(fields=["-started_at"], name="retry_runs_newest")]

    def __str__(self) -> str:
        return f"retry run {self.pk}"
