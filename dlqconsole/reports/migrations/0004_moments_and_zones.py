from django.db import migrations, models

from dlqconsole.engine.models._checks import readable

A_DAY = models.Q(day__gte="0001-01-01", day__lte="9999-12-31")


class Migration(migrations.Migration):
    """No row of a reporter breaks the pages, or the question whether a day is open."""

    dependencies = [("reports", "0003_report_days")]
    operations = [
        migrations.AddConstraint(
            "report", models.CheckConstraint(condition=readable("updated_at"), name="reports_moments")
        ),
        # raises for a zone that the server does not know
        migrations.RunSQL(
            "ALTER TABLE reports ADD CONSTRAINT reports_timezone"
            " CHECK (timestamptz '2000-01-01' AT TIME ZONE timezone IS NOT NULL)",
            "ALTER TABLE reports DROP CONSTRAINT reports_timezone",
        ),
        migrations.AddConstraint(
            "reportday",
            models.CheckConstraint(
                condition=A_DAY & (models.Q(kept_at=None) | readable("kept_at")) & readable("computed_at"),
                name="report_days_moments",
            ),
        ),
        migrations.AddConstraint(
            "reportrow", models.CheckConstraint(condition=A_DAY, name="report_rows_day")
        ),
    ]
