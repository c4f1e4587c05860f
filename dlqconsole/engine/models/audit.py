"""The audit log."""

from django.db import models
from django.db.models.functions import Now


class AuditEntry(models.Model):
    """A change: actor, target, moment and reason. The database refuses all but new rows."""

    at = models.DateTimeField(db_default=Now())
    actor = models.TextField()
    action = models.CharField(max_length=64)
    target = models.TextField()
    operation_id = models.BigIntegerField(null=True, db_default=None)
    reason = models.TextField(db_default="")
    detail = models.JSONField(db_default={})

    class Meta:
        managed = False
        db_table = "audit_log"
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.target}"
