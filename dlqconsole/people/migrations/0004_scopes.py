import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """What people are limited to."""

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("people", "0003_accounts_audited"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Scope",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "queue",
                    models.CharField(
                        db_comment="a name, the beginning of one with * behind it, or * for all",
                        db_default="*",
                        default="*",
                        max_length=256,
                    ),
                ),
                (
                    "event_type",
                    models.CharField(
                        db_comment="the same of event types", db_default="*", default="*", max_length=256
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_default=None,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scopes",
                        to="auth.group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_default=None,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scopes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "scopes",
                "db_table_comment": "What a person, or each member of a group, is limited to; who has none of these is not limited.",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group__isnull", True), ("user__isnull", False)),
                            models.Q(("group__isnull", False), ("user__isnull", True)),
                            _connector="OR",
                        ),
                        name="scopes_of_somebody",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("event_type__regex", "^([^*]+\\*?|\\*)$"), ("queue__regex", "^([^*]+\\*?|\\*)$")
                        ),
                        name="scopes_patterns",
                    ),
                ],
            },
        ),
    ]
