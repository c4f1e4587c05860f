from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {"paces_group": "what a process has noted is added; how many may begin; those of one operation"}


class Migration(migrations.Migration):
    """The trigger that counts what became of revived dead letters, and what the new index serves."""

    dependencies = [("engine", "0021_paces_by_group")]
    operations = [run_sql_file("0022_revivals_by_group"), say_what_indexes_serve(SERVED)]
