import django.contrib.postgres.indexes
from django.db import migrations
from django.db.models import Func
from django.db.models.functions import Left

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [
        ("engine", "0010_audit_seals"),
    ]

    operations = [
        run_sql_file("0011_searches"),
        migrations.AddIndex(
            model_name="deadletter",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(Left("error_reason", 8000), name="gin_trgm_ops"),
                name="dlq_events_reason",
                gin_pending_list_limit=65_536,
            ),
        ),
        migrations.AddIndex(
            model_name="deadletter",
            index=django.contrib.postgres.indexes.GinIndex(
                Func("source_key", "original_message_id", "headers", function="dead_letter_ids"),
                name="dlq_events_ids",
            ),
        ),
    ]
