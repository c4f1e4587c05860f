from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {
    "dead_letter_searches_pkey": "a search, dead letter by dead letter; one that is gone",
    "dead_letter_searches_marks": "whatever holds a personal value, by its hash",
    "dead_letter_unsearched_pkey": "what is to be looked at, the newest first",
}


class Migration(migrations.Migration):
    """Triggers of dlq_events, and what the indexes serve: both need the tables to be there."""

    dependencies = [("engine", "0011_searches")]
    operations = [run_sql_file("0012_searching"), say_what_indexes_serve(SERVED)]
