from django.db import migrations, models


class Migration(migrations.Migration):
    """When an attached queue's system last answered."""

    dependencies = [("transports", "0002_indexes")]
    operations = [
        migrations.AddField(
            "attachedqueue",
            "seen_at",
            models.DateTimeField(null=True, db_comment="when its system last answered, to about 5 s"),
        ),
    ]
