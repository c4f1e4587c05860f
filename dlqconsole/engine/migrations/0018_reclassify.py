from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0017_held_messages")]
    operations = [run_sql_file("0018_reclassify")]
