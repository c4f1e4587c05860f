from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "dlq_events_reason": "words and values in reasons, for who operates; a word that is nowhere is told so at once",
    "dlq_events_ids": "the search box: source key, message, correlation and trace ids",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("engine", "0011_searches")]
    operations = [say_what_indexes_serve(SERVED)]
