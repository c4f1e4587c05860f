from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "pipeline_runs_pkey": "a run by number; the list, newest first",
    "pipeline_runs_one": "a second run of a job is not asked for while one is open",
    "pipeline_runs_open": "what waits and what runs: the tick, a worker that is free",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("runs", "0001_initial")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
