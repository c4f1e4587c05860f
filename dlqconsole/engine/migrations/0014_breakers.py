import datetime

import django.contrib.postgres.fields
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("engine", "0013_paces"),
    ]

    operations = [
        migrations.CreateModel(
            name="Breaker",
            fields=[
                (
                    "key",
                    models.TextField(
                        db_comment="type:<event type> or dependency:<name>", primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.TextField(
                        db_comment="closed: handlers run; open: they do not; half-open: a few runs try whether it is over",
                        db_default="closed",
                    ),
                ),
                (
                    "since",
                    models.DateTimeField(
                        db_comment="of this state", db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        db_comment="the last failure that says the other side is away", db_default=""
                    ),
                ),
                (
                    "event_types",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        db_comment="those that were told of it, a hundred at most",
                        db_default=[],
                    ),
                ),
                (
                    "only_again",
                    models.BooleanField(
                        db_comment="opened by what had failed before: first attempts go on", db_default=False
                    ),
                ),
                (
                    "score",
                    models.FloatField(
                        db_comment="of first attempts; it opens where this is too high", db_default=0
                    ),
                ),
                (
                    "rose_at",
                    models.DateTimeField(
                        db_comment="when the score last left zero; older successes do not count",
                        db_default=None,
                        null=True,
                    ),
                ),
                (
                    "again_score",
                    models.FloatField(db_comment="the same of what had failed before", db_default=0),
                ),
                ("failures", models.IntegerField(db_comment="since the score was zero", db_default=0)),
                (
                    "noted_at",
                    models.DateTimeField(
                        db_comment="the last outcome that was told",
                        db_default=django.db.models.functions.datetime.Now(),
                    ),
                ),
                (
                    "first_success_at",
                    models.DateTimeField(
                        db_comment="the last success of a first attempt that was told",
                        db_default=None,
                        null=True,
                    ),
                ),
                (
                    "next_probe_at",
                    models.DateTimeField(db_comment="when one run may try", db_default=None, null=True),
                ),
                ("probes", models.IntegerField(db_comment="runs that tried since it opened", db_default=0)),
                (
                    "successes",
                    models.IntegerField(
                        db_comment="of these, the last in a row that went well", db_default=0
                    ),
                ),
                (
                    "held",
                    models.TextField(
                        db_comment="open or closed, as a person said", db_default=None, null=True
                    ),
                ),
                ("held_until", models.DateTimeField(db_default=None, null=True)),
                ("held_by", models.TextField(db_default="")),
                ("held_reason", models.TextField(db_default="")),
                (
                    "told_by",
                    models.TextField(
                        db_comment="the role of the database that told the reason", db_default=""
                    ),
                ),
            ],
            options={
                "db_table": "breakers",
                "db_table_comment": "One circuit breaker a row: of an event type, or of a dependency that handlers name. Closed where there is none.",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("key__startswith", "type:"), ("key__startswith", "dependency:"), _connector="OR"
                        ),
                        name="breakers_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["closed", "open", "half-open"])),
                        name="breakers_state",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "closed"), ("next_probe_at__isnull", False), _connector="OR"
                        ),
                        name="breakers_probed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("held__isnull", True), ("held_until__isnull", True)),
                            models.Q(("held__in", ["open", "closed"]), ("held_until__isnull", False)),
                            _connector="OR",
                        ),
                        name="breakers_held",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("first_success_at__gt", "1900-01-01T00:00:00Z"),
                            ("first_success_at__lt", "9999-01-01T00:00:00Z"),
                            ("held_until__gt", "1900-01-01T00:00:00Z"),
                            ("held_until__lt", "9999-01-01T00:00:00Z"),
                            ("next_probe_at__gt", "1900-01-01T00:00:00Z"),
                            ("next_probe_at__lt", "9999-01-01T00:00:00Z"),
                            ("noted_at__gt", "1900-01-01T00:00:00Z"),
                            ("noted_at__lt", "9999-01-01T00:00:00Z"),
                            ("rose_at__gt", "1900-01-01T00:00:00Z"),
                            ("rose_at__lt", "9999-01-01T00:00:00Z"),
                            ("since__gt", "1900-01-01T00:00:00Z"),
                            ("since__lt", "9999-01-01T00:00:00Z"),
                        ),
                        name="breakers_moments",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.GreaterThanOrEqual(
                                django.db.models.functions.comparison.Least(
                                    "failures", "probes", "successes"
                                ),
                                0,
                            ),
                            django.db.models.lookups.LessThanOrEqual(
                                django.db.models.functions.comparison.Greatest(
                                    "failures", "probes", "successes"
                                ),
                                1000000000,
                            ),
                        ),
                        name="breakers_numbers",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "next_probe_at__lte",
                                django.db.models.expressions.CombinedExpression(
                                    models.Func(
                                        function="clock_timestamp", output_field=models.DateTimeField()
                                    ),
                                    "+",
                                    models.Value(datetime.timedelta(days=1, seconds=3600)),
                                ),
                            ),
                            (
                                "since__lte",
                                django.db.models.expressions.CombinedExpression(
                                    models.Func(
                                        function="clock_timestamp", output_field=models.DateTimeField()
                                    ),
                                    "+",
                                    models.Value(datetime.timedelta(seconds=3600)),
                                ),
                            ),
                        ),
                        name="breakers_soon",
                    ),
                ],
            },
        ),
    ]
