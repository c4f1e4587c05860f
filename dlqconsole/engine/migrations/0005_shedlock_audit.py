from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0004_revive_dead_letter")]
    operations = [run_sql_file("0005_shedlock_audit")]
