from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {
    "message_queue_unhandled": "what was put back for want of a handler: counted by type, and called by a consumer that has one",
    "message_queue_unlogged_unhandled": "the same as message_queue_unhandled",
    "dlq_events_due": "the schedule: what may be retried of a type that has a handler, in the order it is due",
    "handler_reports_pkey": "a worker or consumer finds what it said last; who runs now",
}


class Migration(migrations.Migration):
    """The index of the unlogged table, and for each index the query that it serves."""

    dependencies = [("engine", "0010_unhandled")]
    operations = [
        drop_unasked("handler_reports_worker_766f6a81_like"),
        run_sql_file("0011_unhandled"),
        say_what_indexes_serve(SERVED),
    ]
