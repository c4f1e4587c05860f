from pathlib import Path

from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("reports", "0002_indexes"), ("engine", "0015_breaking")]
    operations = [run_sql_file("0003_report_days", Path(__file__).parent / "sql")]
