"""What the schedule did, run by run."""

from django.db import models
from django.db.models.functions import Now


class RetryRun(models.Model):
    """One scheduled run: the lock's holder drains what is due, in batches."""

    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    # "schedule" or "by hand"
    trigger = models.CharField(max_length=16)
    worker = models.TextField()
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    # why it ended, where that is not "nothing is due any more"
    note = models.TextField(db_default="")

    class Meta:
        db_table = "retry_runs"

    def __str__(self) -> str:
        return f"retry run {self.pk}"
