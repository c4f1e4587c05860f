from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "failed_sign_ins_pkey": "a row by number; nothing of ours asks for it",
    "failed_sign_ins_account": "the throttle: wrong passwords of an account lately",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("console", "0001_initial")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
