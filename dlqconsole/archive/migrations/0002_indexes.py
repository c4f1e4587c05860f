from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "archive_files_pkey": "a file by number",
    "archive_files_path": "no path twice",
    "archive_files_ids": "which files may hold a dead letter of some number",
    "archive_files_state_archived": "files that are begun, leaving, or were kept long enough",
    "archive_counts_pkey": "a count by number; nothing of ours asks for it",
    "archive_counts_once": "the counts of one file; no queue and status twice",
    "restored_dead_letters_pkey": "the trigger of dlq_events: whether a closed dead letter comes from the archive; what is left alone for a while",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("archive", "0001_initial"), ("engine", "0009_indexes")]
    operations = [say_what_indexes_serve(SERVED)]
