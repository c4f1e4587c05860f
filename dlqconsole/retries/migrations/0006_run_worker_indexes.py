from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "retry_run_workers_pkey": "one worker's part in a run, by number",
    "retry_run_workers_one": "the workers of a run, whose counts are added up; one part a worker",
    "retry_tickers_pkey": "a beat by number",
    "retry_tickers_name": "a beat by its name: it says every few seconds that it runs",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves; the indexes are made when 0005 ends."""

    dependencies = [("retries", "0005_run_workers")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
