from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0003_archive")]
    operations = [run_sql_file("0004_classification")]
