from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0006_counting")]
    operations = [run_sql_file("0007_revive")]
