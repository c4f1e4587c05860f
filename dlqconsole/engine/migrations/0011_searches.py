import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("engine", "0010_audit_seals"),
    ]

    operations = [
        migrations.CreateModel(
            name="UnsearchedDeadLetter",
            fields=[
                ("dead_letter_id", models.BigIntegerField(primary_key=True, serialize=False)),
            ],
            options={
                "db_table": "dead_letter_unsearched",
                "db_table_comment": "Dead letters whose texts are not looked at yet; written by triggers.",
            },
        ),
        migrations.CreateModel(
            name="DeadLetterSearch",
            fields=[
                ("dead_letter_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("names", models.TextField(db_comment="event type and source key", null=True)),
                ("reason", models.TextField(null=True)),
                ("payload", models.TextField(null=True)),
                (
                    "marks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        db_comment="keyed hashes of the personal values in it",
                    ),
                ),
                (
                    "rules",
                    models.TextField(
                        db_comment="the rules of masking and the key; others are looked at again"
                    ),
                ),
                (
                    "searched_at",
                    models.DateTimeField(
                        db_comment="when it could be found by a search",
                        db_default=django.db.models.functions.datetime.Now(),
                    ),
                ),
            ],
            options={
                "db_table": "dead_letter_searches",
                "db_table_comment": "Dead letters' texts as everybody may search them: masked, with hashes of what is.",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["marks"], name="dead_letter_searches_marks"
                    )
                ],
            },
        ),
    ]
