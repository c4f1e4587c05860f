"""Who did what."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class AuditEntry(models.Model):
    """Who changed what, when and why. Rows are only ever added; the database refuses the rest."""

    at = models.DateTimeField(db_default=Now())
    actor = models.TextField()
    action = models.CharField(max_length=64)
    target = models.TextField(db_comment='what was changed: "dead_letter:42", "operation:7", "queue:orders"')
    operation_id = models.BigIntegerField(null=True, db_default=None)
    reason = models.TextField(db_default="")
    detail = models.JSONField(db_default={})

    class Meta:
        db_table = "audit_log"
        db_table_comment = (
            "Who changed what, when and why. Rows are only ever added; the database refuses the rest."
        )
        verbose_name_plural = "audit entries"
        constraints = [
            models.CheckConstraint(condition=readable("at"), name="audit_log_moments"),
        ]
        indexes = [
            models.Index(fields=["target", "-id"], name="audit_log_target"),
            models.Index(
                fields=["operation_id"], condition=Q(operation_id__isnull=False), name="audit_log_operation"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"
