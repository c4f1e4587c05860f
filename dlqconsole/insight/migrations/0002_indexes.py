from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "common_grounds_pkey": "what a group has in common, as it was computed last",
    "payload_shapes_pkey": "a row by number; nothing of ours asks for it",
    "payload_shapes_once": "the hours of a type and their paths; no path twice in an hour",
    "payload_shapes_hour": "hours that are old, to be let go of",
    "payload_changes_pkey": "a change by number: the list in the admin",
    "payload_changes_once": "what was told of a type; nothing twice in an hour",
    "payload_changes_hour": "the newest changes; old ones, to be let go of",
    "shape_progress_pkey": "the one row",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("insight", "0001_initial")]
    operations = [say_what_indexes_serve(SERVED)]
