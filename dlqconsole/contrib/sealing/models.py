"""The seals, which prove that the audit log has not changed."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class AuditSeal(models.Model):
    """A block of audit entries under a key that the database does not have. Each seal holds the last one."""

    number = models.BigIntegerField(primary_key=True)
    above = models.BigIntegerField()
    up_to = models.BigIntegerField()
    count = models.IntegerField()
    columns = ArrayField(models.TextField())
    content = models.BinaryField()
    marks = models.BinaryField()
    next_up_to = models.BigIntegerField()
    waits_for = ArrayField(models.TextField())
    at = models.DateTimeField()
    key_name = models.CharField(max_length=16)
    previous = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        managed = False
        db_table = "audit_seals"

    def __str__(self) -> str:
        return f"seal {self.number}, up to row {self.up_to}"
