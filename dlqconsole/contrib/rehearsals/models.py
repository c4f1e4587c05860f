"""The predictions of rehearsals."""

from django.db import models

from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.models import Operation


class Would(models.TextChoices):
    """The predicted outcome of a dead letter."""

    SUCCEED = "succeed", _("would succeed")
    FAIL = "fail", _("would fail")
    # it exits, hangs or takes too much memory
    STOP = "stop", _("would stop its process")
    # a write of it was refused: what came of it then says nothing
    WRITE = "write", _("cannot be rehearsed: it writes")
    # its handler does not say that it can be rehearsed, or must not run now
    UNKNOWN = "unknown", _("not rehearsed")


class Prediction(models.Model):
    """A rehearsal's prediction for one dead letter. It goes with the item."""

    pk = models.CompositePrimaryKey("operation_id", "dead_letter_id")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    dead_letter_id = models.BigIntegerField()
    payload_version = models.IntegerField()
    would = models.CharField(max_length=16, choices=Would)
    error_class = models.TextField(db_default="")
    category = models.CharField(max_length=16, db_default="")
    reason = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "rehearsal_predictions"

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id}: {self.get_would_display()}"
