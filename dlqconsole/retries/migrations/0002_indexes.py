from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "retry_runs_pkey": "a run by number: its figures are kept up to date",
    "retry_runs_newest": "the newest run, asked at every tick; the list of runs",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("retries", "0001_initial")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
