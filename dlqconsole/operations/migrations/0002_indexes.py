from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "operations_pkey": "an operation by number; the list, newest first",
    "operations_request_key_key": "the same click twice is one operation",
    "operations_live": "the beat: what a worker has to do",
    "operations_held": "the release: whose messages are still held back",
    "operations_group": "the operations on a failure group, newest first",
    "operations_queue": "a queue's page: the operations on its messages, newest first",
    "operations_source_operation_id_2cc0478d": "the foreign key: no operation goes while another began from its items",
    "operations_undone_by_id_5b089cac": "the foreign key: what an operation that goes has undone",
    "operations_itemised": "retention: the oldest that are over and whose items are there",
    "operation_items_pkey": "a page: the items in the order of their numbers; an item by operation and dead letter",
    "operation_items_remaining": "the next page: items without an outcome, in order",
    "operation_items_letter": "a dead letter's page: the operations that it was part of",
    "operation_messages_pkey": "a page: the messages in the order of their numbers; a receipt's list of them",
    "operation_messages_remaining": "the next page: messages without an outcome, in order",
    "operation_groups_pkey": "counted once, however often the end is reached",
    "operation_groups_group_id_8ea80af8": "a failure group's page: the operations that had items of it",
    "operation_predictions_pkey": "what a rehearsal says of the dead letters of a page, or of all that it looked at",
    "operation_parts_pkey": "whether an operation, or some of it, lies in what a person may see",
    "export_chunks_pkey": "the parts of an export's file, in order",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("operations", "0001_initial")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
