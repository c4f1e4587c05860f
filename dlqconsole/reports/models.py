"""What the Spark pipeline writes for people: its runs, and the rows of the daily reports."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class PipelineRun(models.Model):
    """One run of a pipeline job. The job keeps the row up to date while it works."""

    # "ingest", "report", "replay", "archive"
    kind = models.CharField(max_length=16)
    # "running", "completed", "failed"
    status = models.CharField(max_length=16, db_default="running")
    # what it reads: a path, a topic, a day
    subject = models.TextField(db_default="")
    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    # bytes, rows or items, as ``unit`` says; 0 while unknown
    total = models.BigIntegerField(db_default=0)
    done = models.BigIntegerField(db_default=0)
    unit = models.CharField(max_length=16, db_default="events")
    # read, enriched, dead_lettered, unchanged, blank, files …
    counts = models.JSONField(db_default={})
    # one sentence: what it is doing, or why it failed
    message = models.TextField(db_default="")

    class Meta:
        db_table = "pipeline_runs"
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["running", "completed", "failed"]), name="pipeline_runs_status"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} run {self.pk}"


class Report(models.Model):
    """A daily report that a user's module declares; its columns are kept so that a page can show it."""

    name = models.CharField(max_length=64, primary_key=True)
    title = models.TextField()
    # the names of the key columns, in order
    keys = models.JSONField()
    # [["flights", "count"], ["on_time_share", "share"], …], in order: an object would lose it in JSONB
    metrics = models.JSONField()
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "reports"

    def __str__(self) -> str:
        return self.title

    @property
    def kinds(self) -> dict[str, str]:
        """Each metric's kind (count, sum, mean or share), in the order its author gave."""
        return dict(self.metrics)


class ReportRow(models.Model):
    """One line of a daily report: a day, a key, its figures."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    # {"carrier": "UA"}
    key = models.JSONField()
    # {"flights": 165, "on_time_share": 0.81}
    figures = models.JSONField()

    class Meta:
        db_table = "report_rows"
        constraints = [models.UniqueConstraint(fields=["report", "day", "key"], name="report_rows_one")]

    def __str__(self) -> str:
        return f"{self.report_id} {self.day} {self.key}"
