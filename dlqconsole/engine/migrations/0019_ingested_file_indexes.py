from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "ingested_files_pkey": "the newest of a file's rows",
    "ingested_files_place": "what is known of a file, by its name; a mark that takes the place of others",
    "ingested_files_family": "what a packed file may have been packed from",
    "ingested_files_inode": "a file that has another name now",
    "ingested_files_seen": "the files that nobody has seen for long",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("engine", "0018_ingested_files")]
    operations = [say_what_indexes_serve(SERVED)]
