from pathlib import Path

from django.db import migrations, models

from dlqconsole.engine.migrations._sql_file import run_sql_file
from dlqconsole.engine.models._checks import all_readable

MOMENTS = ("asked_at", "started_at", "heartbeat_at", "finished_at")


class Migration(migrations.Migration):
    """Nobody but the app has a run wait for a worker, and nobody breaks the page that lists them."""

    dependencies = [("runs", "0002_indexes")]
    operations = [
        migrations.AddConstraint(
            "pipelinerun",
            models.CheckConstraint(
                condition=~models.Q(status="asked") | models.Q(asked_at__isnull=False),
                name="pipeline_runs_asked",
            ),
        ),
        migrations.AddConstraint(
            "pipelinerun",
            models.CheckConstraint(condition=all_readable(*MOMENTS), name="pipeline_runs_moments"),
        ),
        run_sql_file("0003_asked_by_the_app", Path(__file__).parent / "sql"),
    ]
