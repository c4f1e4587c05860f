from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve

SERVED = {
    "reports_pkey": "a report by name",
    "report_rows_pkey": "a line by number; nothing of ours asks for it",
    "report_rows_one": "a day's lines of a report; a report made again replaces its lines",
    "report_days_pkey": "a day by number; nothing of ours asks for it",
    "report_days_one": "when a report's day was computed; a day computed anew replaces it",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("reports", "0001_initial")]
    operations = [
        drop_unasked("reports_name_dd0c1103_like"),
        say_what_indexes_serve(SERVED),
    ]
