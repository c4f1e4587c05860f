"""The runs of the pipeline's jobs: asked for here, or begun on a command line."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import all_readable


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

    kind = models.CharField(max_length=16, db_comment="the job: its file in runs/jobs, its command")
    status = models.CharField(
        max_length=16,
        db_default=RunStatus.RUNNING,
        db_comment='"asked", "running", "cancelling", "completed", "failed", "cancelled"',
    )
    subject = models.TextField(db_default="", db_comment="what it reads: a path, a topic, a day")
    asked_by = models.TextField(
        db_default="", db_comment="who asked for it; empty: begun on the command line"
    )
    asked_at = models.DateTimeField(null=True, db_default=None)
    arguments = models.JSONField(db_default={}, db_comment="what was asked for, as its job reads it")
    operation_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the operation whose items it works on"
    )
    lock_name = models.CharField(
        max_length=64,
        null=True,
        db_default=None,
        db_comment="of all that were asked for, one of this name is open at a time",
    )
    memory = models.IntegerField(db_default=0, db_comment="MiB that its processes may come to need together")
    host = models.TextField(db_default="", db_comment="where its process is")
    pid = models.IntegerField(null=True, db_default=None, db_comment="its process, once that took it up")
    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    cancelled_by = models.TextField(db_default="", db_comment="who wanted it to end")
    exit_status = models.IntegerField(
        null=True, db_default=None, db_comment="of its process; below 0: the signal that killed it"
    )
    log = models.TextField(db_default="", db_comment="the end of what it printed, without secrets")
    total = models.BigIntegerField(
        db_default=0, db_comment="bytes, rows or items, as unit says; 0 while unknown"
    )
    done = models.BigIntegerField(db_default=0)
    unit = models.CharField(max_length=16, db_default="events")
    counts = models.JSONField(
        db_default={}, db_comment="read, enriched, dead_lettered, unchanged, blank, files …"
    )
    message = models.TextField(db_default="", db_comment="one sentence: what it is doing, or why it failed")

    class Meta:
        db_table = "pipeline_runs"
        db_table_comment = "One run of a pipeline job. The job keeps the row up to date while it works."
        constraints = [
            models.CheckConstraint(condition=Q(status__in=RunStatus.values), name="pipeline_runs_status"),
            # who may not write asked_at cannot have a run wait for a worker
            models.CheckConstraint(
                condition=~Q(status=RunStatus.ASKED) | Q(asked_at__isnull=False), name="pipeline_runs_asked"
            ),
            models.CheckConstraint(
                condition=all_readable("asked_at", "started_at", "heartbeat_at", "finished_at"),
                name="pipeline_runs_moments",
            ),
            models.UniqueConstraint(
                fields=["lock_name"],
                condition=Q(status__in=["asked", "running", "cancelling"]),
                name="pipeline_runs_one",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(status__in=["asked", "running", "cancelling"]),
                name="pipeline_runs_open",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} run {self.pk}"

    @property
    def is_open(self) -> bool:
        """Whether it waits or works."""
        return self.status in OPEN

    @property
    def has_begun(self) -> bool:
        """Whether a worker ever had it; what was begun on the command line has no other beginning."""
        return self.asked_at is None or bool(self.host)
