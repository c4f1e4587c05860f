from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models

_FIRST, _END = "1900-01-01T00:00:00Z", "9999-01-01T00:00:00Z"
_MOMENTS = (
    "approve_until", "approved_at", "created_at", "finished_at", "lease_until", "paced_until", "released_at",
    "started_at", "undo_until", "watch_until",
)  # fmt: skip
_BOUNDS = [(f"{moment}__gt", _FIRST) for moment in _MOMENTS] + [
    (f"{moment}__lt", _END) for moment in _MOMENTS
]
_PUT_RIGHT = "; ".join(
    f"UPDATE operations SET {moment} = least(greatest({moment}, '1900-01-02 00:00+00'), '9998-12-31 00:00+00')"  # noqa: S608
    f" WHERE {moment} NOT BETWEEN '1900-01-02 00:00+00' AND '9998-12-31 00:00+00'"
    for moment in _MOMENTS
)


class Migration(migrations.Migration):
    """No moment of an operation that a page could not read; those that are there are put right."""

    dependencies = [("operations", "0003_operations_in_full")]
    operations = [
        migrations.RunSQL(_PUT_RIGHT, migrations.RunSQL.noop),
        AddConstraintNotValid(
            "operation",
            models.CheckConstraint(condition=models.Q(*sorted(_BOUNDS)), name="operations_moments"),
        ),
        ValidateConstraint("operation", "operations_moments"),
    ]
