"""The rows of the daily reports, which the Spark pipeline writes."""

from django.db import models
from django.db.models.functions import Now

# what Python can read, too


class Report(models.Model):
    """A daily report that a user's module declares; its columns are kept so that a page can show it."""

    name = models.CharField(max_length=64, primary_key=True)
    title = models.TextField()
    keys = models.JSONField()
    metrics = models.JSONField()
    updated_at = models.DateTimeField(null=True, db_default=Now())
    day_of = models.CharField(max_length=16, db_default="")
    timezone = models.TextField(db_default="UTC")
    margin_seconds = models.IntegerField(db_default=0)
    changes = models.BigIntegerField(db_default=0)

    class Meta:
        managed = False
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
    key = models.JSONField()
    figures = models.JSONField()

    class Meta:
        managed = False
        db_table = "report_rows"

    def __str__(self) -> str:
        return f"{self.report_id} {self.day} {self.key}"


class ReportDay(models.Model):
    """A day of a report that was computed: open again when the marks of its hours say another number."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    computed_at = models.DateTimeField(db_default=Now())
    changes = models.BigIntegerField(db_default=0)
    removed = models.BigIntegerField(db_default=0)
    lines = models.IntegerField(db_default=0)
    kept_at = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "report_days"

    def __str__(self) -> str:
        return f"{self.report_id} {self.day}"
