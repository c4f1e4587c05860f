from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve

SERVED = {
    "attached_queues_pkey": "an attached queue by its name here",
    "attached_queues_once": "no queue is attached twice",
    "forwarded_messages_pkey": "what was forwarded, in order",
    "forwarded_messages_once": "a revival is forwarded once; a revived dead letter's message",
    "forwarded_messages_remote": "a message over there that was completed or failed: which dead letter it revives",
    "source_positions_pkey": "how far the partitions of a log were read",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("transports", "0001_initial")]
    operations = [
        drop_unasked("attached_queues_name_d5ec4607_like"),
        say_what_indexes_serve(SERVED),
    ]
