"""What the Spark pipeline writes for people: its runs, and the rows of the daily reports."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class PipelineRun(models.Model):
    """One run of a pipeline job. The job keeps the row up to date while it works."""

    kind = models.CharField(max_length=16, db_comment='"ingest", "report", "replay", "archive"')
    status = models.CharField(
        max_length=16, db_default="running", db_comment='"running", "completed", "failed"'
    )
    subject = models.TextField(db_default="", db_comment="what it reads: a path, a topic, a day")
    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
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
    keys = models.JSONField(db_comment="the names of the key columns, in order")
    metrics = models.JSONField(
        db_comment='[["flights", "count"], ["on_time_share", "share"], …]: an object would lose its order'
    )
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "reports"
        db_table_comment = (
            "A daily report that a user's module declares; its columns are kept so that a page can show it."
        )

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
    key = models.JSONField(db_comment='{"carrier": "UA"}')
    figures = models.JSONField(db_comment='{"flights": 165, "on_time_share": 0.81}')

    class Meta:
        db_table = "report_rows"
        db_table_comment = "One line of a daily report: a day, a key, its figures."
        constraints = [models.UniqueConstraint(fields=["report", "day", "key"], name="report_rows_one")]

    def __str__(self) -> str:
        return f"{self.report_id} {self.day} {self.key}"
