"""Which kinds of operations there are, their registry says; the table says only what a name looks like."""

from django.db import migrations, models

import dlqconsole.operations.models


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0002_indexes"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="operation", name="operations_kind"),
        migrations.AlterField(
            model_name="operation",
            name="kind",
            field=models.CharField(choices=dlqconsole.operations.models.kind_choices, max_length=16),
        ),
        migrations.AddConstraint(
            model_name="operation",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__regex", "^[a-z_]{1,16}$")), name="operations_kind"
            ),
        ),
    ]
