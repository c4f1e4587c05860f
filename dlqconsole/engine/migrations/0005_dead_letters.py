from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0004_classification")]
    operations = [run_sql_file("0005_dead_letters")]
