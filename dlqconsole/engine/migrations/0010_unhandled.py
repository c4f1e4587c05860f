import django.contrib.postgres.fields
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("engine", "0009_indexes"),
    ]

    operations = [
        migrations.CreateModel(
            name="HandlerReport",
            fields=[
                ("worker", models.TextField(primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        db_comment="worker: runs the schedule and operations; consumer: of these queues",
                        max_length=16,
                    ),
                ),
                (
                    "queues",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list),
                ),
                (
                    "event_types",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), db_comment="those it has handlers for", default=list
                    ),
                ),
                (
                    "unhandled",
                    models.JSONField(
                        db_comment="by queue and event type how many messages it has put back for want of a handler, where the queue itself does not say it",
                        default=dict,
                    ),
                ),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "handler_reports",
                "db_table_comment": "What one worker or consumer last said of itself: that it runs, and for which event types it has handlers. Who is silent for ten minutes is forgotten.",
            },
        ),
        migrations.RemoveIndex(
            model_name="deadletter",
            name="dlq_events_due",
        ),
        migrations.AddField(
            model_name="message",
            name="unhandled_type",
            field=models.TextField(
                db_comment="the event type for which the consumer that put it back had no handler; it waits until next_retry_at, or until a consumer that has one calls it",
                db_default=None,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="deadletter",
            index=models.Index(
                condition=models.Q(
                    ("error_category__in", ["DEPENDENCY", "TRANSIENT", "UNKNOWN"]), ("status", "PENDING")
                ),
                fields=["event_type", "retry_after", "id"],
                name="dlq_events_due",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("unhandled_type__isnull", False)),
                fields=["queue", "unhandled_type", "id"],
                name="message_queue_unhandled",
            ),
        ),
        migrations.AddConstraint(
            model_name="handlerreport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("seen_at__gt", "1900-01-01T00:00:00Z"), ("seen_at__lt", "9999-01-01T00:00:00Z")
                ),
                name="handler_reports_moments",
            ),
        ),
    ]
