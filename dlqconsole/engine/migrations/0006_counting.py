from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0005_dead_letters")]
    operations = [run_sql_file("0006_counting")]
