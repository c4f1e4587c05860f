from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

TABLE_COMMENT = (
    "How fast events of a failure group are tried again, by the schedule or by one operation, and why."
)
OUTCOME_COMMENT = "the failure group that they had while they were revived"


class Migration(migrations.Migration):
    """A pace for each failure group, of the schedule and of each operation; outcomes of revivals by group.

    What was known by event type says nothing about its groups.
    """

    dependencies = [("engine", "0020_celery_workers")]
    operations = [
        migrations.RunSQL(["DELETE FROM paces"], migrations.RunSQL.noop),
        migrations.RenameModel("PacedType", "PacedGroup"),
        migrations.RemoveConstraint("PacedGroup", "paces_event_type"),
        migrations.RemoveConstraint("PacedGroup", "paces_moments"),
        migrations.AlterModelTableComment("PacedGroup", TABLE_COMMENT),
        migrations.AddField(
            "PacedGroup",
            "operation_id",
            models.BigIntegerField(
                db_default=0, db_comment="the operation whose own pace it is; 0: the schedule's"
            ),
        ),
        migrations.AddField(
            "PacedGroup",
            "group_id",
            models.BigIntegerField(
                db_default=0, db_comment="the failure group they had when they were taken up; 0: none"
            ),
        ),
        migrations.AddField(
            "PacedGroup",
            "handed_out",
            models.BigIntegerField(
                db_default=0, db_comment="a revive's: so many of the group it has put on queues"
            ),
        ),
        migrations.AddField(
            "PacedGroup",
            "heard",
            models.BigIntegerField(
                db_default=0, db_comment="a revive's: so many outcomes of these are in its windows already"
            ),
        ),
        migrations.AddField(
            "PacedGroup",
            "heard_back",
            models.BigIntegerField(db_default=0, db_comment="a revive's: so many of them came back"),
        ),
        migrations.AddField(
            "PacedGroup",
            "heard_at",
            models.DateTimeField(
                db_default=Now(), db_comment="a revive's: when it began, or an outcome was heard last"
            ),
        ),
        migrations.AddField(
            "PacedGroup",
            "watched",
            ArrayField(
                models.BigIntegerField(),
                db_default=[],
                db_comment="a revive's newest messages of the group: whether they fail on their queue already",
            ),
        ),
        migrations.AddConstraint(
            "PacedGroup",
            models.CheckConstraint(
                condition=models.Q(
                    *(
                        (f"{name}__{way}", f"{year}-01-01T00:00:00Z")
                        for name in (
                            "begun_at",
                            "changed_at",
                            "filled_at",
                            "heard_at",
                            "noted_at",
                            "slowed_at",
                        )
                        for way, year in (("gt", 1900), ("lt", 9999))
                    )
                ),
                name="paces_moments",
            ),
        ),
        migrations.AddConstraint(
            "PacedGroup",
            models.UniqueConstraint(fields=["operation_id", "event_type", "group_id"], name="paces_group"),
        ),
        migrations.AddField(
            "RevivalOutcome",
            "group_id",
            models.BigIntegerField(db_default=0, db_comment=OUTCOME_COMMENT),
        ),
    ]
