"""The runs of the pipeline's jobs: asked for here, or begun on a command line."""

from django.db import models
from django.db.models.functions import Now


class RunStatus(models.TextChoices):
    # waits for a worker
    ASKED = "asked"
    RUNNING = "running"
    # somebody wants it to end
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = (RunStatus.RUNNING, RunStatus.CANCELLING)
OPEN = (RunStatus.ASKED, *LIVE)


class PipelineRun(models.Model):
    """One run of a pipeline job. The job keeps the row up to date while it works."""

    kind = models.CharField(max_length=16)
    status = models.CharField(max_length=16, db_default=RunStatus.RUNNING)
    subject = models.TextField(db_default="")
    asked_by = models.TextField(db_default="")
    asked_at = models.DateTimeField(null=True, db_default=None)
    arguments = models.JSONField(db_default={})
    operation_id = models.BigIntegerField(null=True, db_default=None)
    lock_name = models.CharField(max_length=64, null=True, db_default=None)
    memory = models.IntegerField(db_default=0)
    host = models.TextField(db_default="")
    pid = models.IntegerField(null=True, db_default=None)
    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    cancelled_by = models.TextField(db_default="")
    exit_status = models.IntegerField(null=True, db_default=None)
    log = models.TextField(db_default="")
    total = models.BigIntegerField(db_default=0)
    done = models.BigIntegerField(db_default=0)
    unit = models.CharField(max_length=16, db_default="events")
    counts = models.JSONField(db_default={})
    message = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "pipeline_runs"

    def __str__(self) -> str:
        return f"{self.kind} run {self.pk}"

    @property
    def is_open(self) -> bool:
        """Tell whether it waits or works."""
        return self.status in OPEN

    @property
    def has_begun(self) -> bool:
        """Tell whether a worker ever had it. A run of the command line has no other beginning."""
        return self.asked_at is None or bool(self.host)
