"""What the Spark pipeline writes for people: the rows of the daily reports."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable

# what Python can read, too
_A_DAY = models.Q(day__gte="0001-01-01", day__lte="9999-12-31")


class Report(models.Model):
    """A daily report that a user's module declares; its columns are kept so that a page can show it."""

    name = models.CharField(max_length=64, primary_key=True)
    title = models.TextField()
    keys = models.JSONField(db_comment="the names of the key columns, in order")
    metrics = models.JSONField(
        db_comment='[["flights", "count"], ["on_time_share", "share"], …]: an object would lose its order'
    )
    updated_at = models.DateTimeField(null=True, db_default=Now(), db_comment="NULL: not computed yet")
    day_of = models.CharField(
        max_length=16,
        db_default="",
        db_comment='what an event\'s day follows from: "occurred_at", of a dead letter "created_at";'
        " empty: not said",
    )
    timezone = models.TextField(db_default="UTC", db_comment="where its days begin at midnight")
    margin_seconds = models.IntegerField(
        db_default=0, db_comment="how far an event may lie outside of the day that it counts on"
    )
    changes = models.BigIntegerField(
        db_default=0, db_comment="of all hours, when all its days were computed last; without day_of"
    )

    class Meta:
        db_table = "reports"
        db_table_comment = (
            "A daily report that a user's module declares; its columns are kept so that a page can show it."
        )
        constraints = [models.CheckConstraint(condition=readable("updated_at"), name="reports_moments")]

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
        constraints = [
            models.UniqueConstraint(fields=["report", "day", "key"], name="report_rows_one"),
            models.CheckConstraint(condition=_A_DAY, name="report_rows_day"),
        ]

    def __str__(self) -> str:
        return f"{self.report_id} {self.day} {self.key}"


class ReportDay(models.Model):
    """A day of a report that was computed: open again when the marks of its hours say another number."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    computed_at = models.DateTimeField(db_default=Now())
    changes = models.BigIntegerField(
        db_default=0, db_comment="of its hours, in the snapshot it was computed from"
    )
    removed = models.BigIntegerField(db_default=0, db_comment="the same: what had been taken away")
    lines = models.IntegerField(db_default=0, db_comment="its rows")
    kept_at = models.DateTimeField(
        null=True,
        db_default=None,
        db_comment="when it was not computed anew, as some of its events had been purged or archived",
    )

    class Meta:
        db_table = "report_days"
        db_table_comment = (
            "A day of a report that was computed: open again when the marks of its hours say another number."
        )
        constraints = [
            models.UniqueConstraint(fields=["report", "day"], name="report_days_one"),
            models.CheckConstraint(
                condition=_A_DAY & (models.Q(kept_at=None) | readable("kept_at")) & readable("computed_at"),
                name="report_days_moments",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id} {self.day}"
