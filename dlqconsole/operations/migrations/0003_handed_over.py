from django.db import migrations, models

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "operations_handed_over": "the newest operations whose messages may still be to be handled",
}


class Migration(migrations.Migration):
    """An operation is over when its messages are."""

    dependencies = [
        ("operations", "0002_indexes"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="operation",
            name="operations_moments",
        ),
        migrations.AddField(
            model_name="operation",
            name="handled_at",
            field=models.DateTimeField(
                db_comment="after its end: when none of the messages that it put on queues was left to be handled",
                db_default=None,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="operation",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False), ("handled_at__isnull", True)),
                fields=["-id"],
                name="operations_handed_over",
            ),
        ),
        migrations.AddConstraint(
            model_name="operation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approve_until__gt", "1900-01-01T00:00:00Z"),
                    ("approve_until__lt", "9999-01-01T00:00:00Z"),
                    ("approved_at__gt", "1900-01-01T00:00:00Z"),
                    ("approved_at__lt", "9999-01-01T00:00:00Z"),
                    ("created_at__gt", "1900-01-01T00:00:00Z"),
                    ("created_at__lt", "9999-01-01T00:00:00Z"),
                    ("finished_at__gt", "1900-01-01T00:00:00Z"),
                    ("finished_at__lt", "9999-01-01T00:00:00Z"),
                    ("handled_at__gt", "1900-01-01T00:00:00Z"),
                    ("handled_at__lt", "9999-01-01T00:00:00Z"),
                    ("lease_until__gt", "1900-01-01T00:00:00Z"),
                    ("lease_until__lt", "9999-01-01T00:00:00Z"),
                    ("paced_until__gt", "1900-01-01T00:00:00Z"),
                    ("paced_until__lt", "9999-01-01T00:00:00Z"),
                    ("released_at__gt", "1900-01-01T00:00:00Z"),
                    ("released_at__lt", "9999-01-01T00:00:00Z"),
                    ("started_at__gt", "1900-01-01T00:00:00Z"),
                    ("started_at__lt", "9999-01-01T00:00:00Z"),
                    ("undo_until__gt", "1900-01-01T00:00:00Z"),
                    ("undo_until__lt", "9999-01-01T00:00:00Z"),
                    ("watch_until__gt", "1900-01-01T00:00:00Z"),
                    ("watch_until__lt", "9999-01-01T00:00:00Z"),
                ),
                name="operations_moments",
            ),
        ),
        say_what_indexes_serve(SERVED),
    ]
