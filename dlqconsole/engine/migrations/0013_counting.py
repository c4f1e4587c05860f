from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0012_rollups")]
    operations = [run_sql_file("0013_counting")]
