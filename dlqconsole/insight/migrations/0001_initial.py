import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="CommonGround",
            fields=[
                ("group_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("computed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("found", models.JSONField(db_comment="what it was computed from, and the findings, masked")),
            ],
            options={
                "db_table": "common_grounds",
                "db_table_comment": "What a failure group's dead letters have in common, as it was computed last.",
            },
        ),
        migrations.CreateModel(
            name="PayloadChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("event_type", models.CharField(max_length=255)),
                ("path", models.CharField(max_length=512)),
                ("hour", models.DateTimeField(db_comment="in which it was first seen, in UTC")),
                ("kind", models.CharField(db_comment="appeared, vanished, became", max_length=16)),
                (
                    "before",
                    models.TextField(
                        db_comment="what stood there, where it became another type", db_default=""
                    ),
                ),
                ("after", models.TextField(db_default="")),
                ("share_before", models.FloatField(db_comment="of the hours before; 0 to 1")),
                ("share_after", models.FloatField(db_comment="of its hour, when it was found")),
                ("payloads", models.IntegerField(db_comment="looked at in its hour, when it was found")),
                ("payloads_before", models.IntegerField(db_comment="looked at in the hours before")),
                ("found_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "payload_changes",
                "db_table_comment": "A path of an event type's payloads that appeared, vanished, or became another type.",
                "indexes": [models.Index(fields=["-hour"], name="payload_changes_hour")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["appeared", "vanished", "became"])),
                        name="payload_changes_kind",
                    ),
                    models.UniqueConstraint(
                        fields=("event_type", "path", "hour", "kind"), name="payload_changes_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PayloadShape",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("event_type", models.CharField(max_length=255)),
                ("hour", models.DateTimeField(db_comment="its beginning, in UTC")),
                (
                    "path",
                    models.CharField(
                        db_comment="items[].sku; empty: all payloads of the hour", max_length=512
                    ),
                ),
                (
                    "events",
                    models.FloatField(
                        db_comment="events of the hour that have it, estimated from those looked at"
                    ),
                ),
                ("payloads", models.IntegerField(db_comment="payloads looked at that have it")),
                (
                    "types",
                    models.JSONField(db_comment='events by what stands there: {"text": 12.5}', db_default={}),
                ),
                (
                    "left_out",
                    models.IntegerField(
                        db_comment="of the row without a path: paths that were too many, or no names",
                        db_default=0,
                    ),
                ),
            ],
            options={
                "db_table": "payload_shapes",
                "db_table_comment": "How frequent each path is in an event type's payloads, by hour. Without one: the hour.",
                "indexes": [models.Index(fields=["hour"], name="payload_shapes_hour")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("event_type", "hour", "path"), name="payload_shapes_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("events__gte", 0), ("payloads__gte", 0)),
                        name="payload_shapes_counts",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShapeProgress",
            fields=[
                ("number", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("until", models.DateTimeField()),
            ],
            options={
                "db_table": "shape_progress",
                "db_table_comment": "Up to when payloads have been looked at for their shapes. One row.",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number", 1)), name="shape_progress_one")
                ],
            },
        ),
    ]
